#!/bin/sh
# Tells a reviewer its limits before it starts. (Part of a made-up demo.)
cat >/dev/null
printf '%s\n' '{"hookSpecificOutput":{"hookEventName":"SubagentStart","additionalContext":"Read only. Report what is wrong, do not repair it."}}'
