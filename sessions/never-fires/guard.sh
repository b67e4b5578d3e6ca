#!/bin/sh
# Refuses to delete whole folders. (Part of a made-up demo.)
# Exit 2 stops the call; what stands on stderr goes to the model.
command=$(sed -n 's/.*"command":"\([^"]*\)".*/\1/p')
case $command in
*'rm -rf '* | *'rm -fr '* | *'rm -r -f '*)
    echo "No rm -rf here: name the files, or ask." >&2
    exit 2
    ;;
esac
exit 0
