#!/bin/sh
# After an edit: no line may end in blanks. (Part of a made-up demo.)
# Looks at the new text only and changes nothing.
input=$(cat)
field() {
    printf '%s\n' "$input" | sed -n 's/.*"tool_input":{[^}]*"'"$1"'":"\([^"]*\)".*/\1/p'
}
file=$(field file_path)
case "$(field new_string)$(field content)" in
*' \n'* | *' ')
    echo "${file##*/}: a line ends in blanks." >&2
    exit 2
    ;;
esac
exit 0
