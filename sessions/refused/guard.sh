#!/bin/sh
# History that others have is not rewritten. (Part of a made-up demo.)
# Exit 2 stops the call; what stands on stderr goes to the model.
command=$(sed -n 's/.*"command":"\([^"]*\)".*/\1/p')
case $command in
*'git push'*' --force'* | *'git push'*' -f '*)
    echo "No force push: push to a new branch and open a merge request." >&2
    exit 2
    ;;
esac
exit 0
