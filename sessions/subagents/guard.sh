#!/bin/sh
# A subagent looks and reports; it does not move branches. (Part of a made-up demo.)
# The input of a call inside a subagent has an agent_id; in the main agent there is none.
input=$(cat)
case $input in
*'"agent_id":"'*) ;;
*) exit 0 ;;
esac
command=$(printf '%s\n' "$input" | sed -n 's/.*"command":"\([^"]*\)".*/\1/p')
case $command in
*'git reset'* | *'git checkout'* | *'git stash'*)
    echo "Subagents only look: no git reset, checkout or stash." >&2
    exit 2
    ;;
esac
exit 0
