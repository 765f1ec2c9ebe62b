#!/bin/sh
# Renew requirements/*.txt from pyproject.toml: hashes for every file, no index address.
# `test` holds everything; `book` and `lab` are parts of it at the same versions.
set -eu
cd "$(dirname "$0")/.."

if ! command -v uv >/dev/null 2>&1; then
    echo "Renewing the locks needs uv: python -m pip install uv, or see its own instructions." >&2
    exit 1
fi

compile() {
    uv pip compile pyproject.toml --quiet --universal --python-version 3.11 --generate-hashes \
        --no-annotate --no-header --no-emit-index-url --no-emit-find-links "$@"
}

# Without --upgrade, uv keeps what the present lock names wherever it still fits.
compile --extra test -o requirements/test.txt "$@"
for part in book lab; do
    compile --extra "$part" --constraint requirements/test.txt -o "requirements/$part.txt" "$@"
done
