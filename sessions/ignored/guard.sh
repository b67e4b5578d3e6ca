#!/bin/sh
# Nobody pushes to main. (Part of a made-up demo.)
# The fault: exit 1 says "something went wrong with me", not "no". Only exit 2 stops a call.
command=$(sed -n 's/.*"command":"\([^"]*\)".*/\1/p')
case $command in
*'git push'*' main'*)
    echo "Pushing to main is not allowed: open a merge request." >&2
    exit 1
    ;;
esac
exit 0
