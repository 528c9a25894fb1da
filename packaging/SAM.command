#!/bin/sh
# Double-click on macOS: makes SAM ready (the first time) and starts it.
cd "$(dirname "$0")/.." || exit 1
if ! command -v python3 >/dev/null 2>&1; then
  echo "SAM needs Python 3.11 or newer: install it from python.org and open this file again."
  read -r _
  exit 1
fi
python3 packaging/bootstrap.py run || { echo; echo "Press Enter to close this window."; read -r _; }
