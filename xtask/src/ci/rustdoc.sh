#!/usr/bin/env bash
# Cargo calls this in place of rustdoc to run the examples in a crate's documentation. It also makes the documentation,
# from what was compiled for the examples: `cargo doc` would have all dependencies checked once more.
set -euo pipefail
rustdoc "$@"
arguments=()
while (($#)); do
  case $1 in
    --test) ;;
    --test-run-directory) shift ;;
    *) arguments+=("$1") ;;
  esac
  shift
done
rustdoc "${arguments[@]}" --deny warnings --out-dir "$DOCUMENTATION"
