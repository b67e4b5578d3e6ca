#!/bin/sh
# A review ends with a verdict. (Part of a made-up demo.)
# Asks once: the second time stop_hook_active is true, and the subagent may go.
input=$(cat)
case $input in
*'"stop_hook_active":true'*) exit 0 ;;
esac
case $input in
*'"last_assistant_message":"'*'Verdict:'*) exit 0 ;;
esac
printf '%s\n' '{"decision":"block","reason":"End with a line that starts with Verdict:"}'
