#!/bin/sh
# The house rules, for the model. (Part of a made-up demo.)
# On SessionStart plain text on stdout goes to the model.
cat >/dev/null
echo "House rules: never edit files below generated/; change the schema and run make generate."
