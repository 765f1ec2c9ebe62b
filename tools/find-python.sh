#!/bin/sh
# Print a Python that can build the course, or say what to do.
#
# A candidate is run, not just looked up: version managers put commands on the PATH that only
# fail when called. PYTHON=... names one and no other is tried.

suits='import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))'

if [ -n "${PYTHON:-}" ]; then
    if "$PYTHON" -c "$suits" >/dev/null 2>&1; then
        printf '%s\n' "$PYTHON"
        exit 0
    fi
    said=$("$PYTHON" --version 2>&1 | head -n 1)
    echo "PYTHON=$PYTHON is not a Python 3.11, 3.12 or 3.13 that runs (it says: ${said:-nothing})." >&2
    echo "Name another one, as in: make book PYTHON=python3.12" >&2
    exit 1
fi

for candidate in python3 python3.13 python3.12 python3.11 python; do
    if "$candidate" -c "$suits" >/dev/null 2>&1; then
        command -v "$candidate"
        exit 0
    fi
done

found=$(python3 --version 2>&1 | head -n 1)
echo "The course needs Python 3.11, 3.12 or 3.13; python3 here says: ${found:-nothing}." >&2
echo "Install one of them (from python.org, or with your system's package manager), or name it:" >&2
echo "    make book PYTHON=/path/to/python3.12" >&2
exit 1
