#!/bin/sh
# What a summary must keep. (Part of a made-up demo.)
# On PreCompact plain text on stdout is added to the instructions for the summary.
cat >/dev/null
echo "Keep the list of files that were changed."
