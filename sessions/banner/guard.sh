#!/bin/sh
# Nothing from the network goes straight into a shell. (Part of a made-up demo.)
# The fault: the banner. With a line before it the JSON is plain text, and the refusal is lost.
command=$(sed -n 's/.*"command":"\([^"]*\)".*/\1/p')
echo "guard.sh 1.4"
case $command in
*'curl '*'| sh'* | *'wget '*'| sh'*)
    printf '%s\n' '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"No pipe from the network into a shell."}}'
    ;;
esac
exit 0
