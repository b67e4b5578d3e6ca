#!/bin/sh
# Stop hook: work is done when the tests have passed. (Part of a made-up demo.)
# The fault: it never reads stop_hook_active, so it says no for ever where the tests cannot run.
cat >/dev/null
if grep -q '^PASS' "$CLAUDE_PROJECT_DIR/build/test-report.txt" 2>/dev/null; then
    exit 0
fi
echo "Tests must pass before you stop: no PASS in build/test-report.txt." >&2
exit 2
