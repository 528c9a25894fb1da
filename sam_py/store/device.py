"""This device's id: it names the files that this device writes, and settles which of two changes came last."""

from __future__ import annotations

import logging
import re
import secrets
from pathlib import Path

from sam_py.store.disk import Disk, replace_durably
from sam_py.store.errors import cannot_write

log = logging.getLogger(__name__)

_FORM = re.compile(r"[0-9a-f]{8}\Z")


def device_id(state: Path, disk: Disk | None = None) -> str:
    """Eight hexadecimal digits, made once per state folder; where they cannot be kept they are of this run alone."""
    path = state / "device-id"
    try:
        known = path.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        known = ""
    if _FORM.match(known):
        return known
    made = secrets.token_hex(4)
    try:
        state.mkdir(parents=True, exist_ok=True, mode=0o700)
        replace_durably(disk or Disk(), str(path), made.encode())
    except OSError as error:  # each run then has a file of its own in what it writes: more files, nothing lost
        log.warning("the id of this device cannot be kept: %s", cannot_write(error, state))
    return made
