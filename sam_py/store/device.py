"""This device's id: it names the files that this device writes, and settles which of two changes came last."""

from __future__ import annotations

import re
import secrets
from pathlib import Path

from sam_py.store.disk import Disk, replace_durably
from sam_py.store.errors import cannot_write

_FORM = re.compile(r"[0-9a-f]{8}\Z")


def device_id(state: Path, disk: Disk | None = None) -> str:
    """Eight hexadecimal digits, made once per state folder. Raises StorageError where they cannot be kept."""
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
    except OSError as error:
        raise cannot_write(error, state) from error
    return made
