"""This device's id: it names the files that this device writes, and settles which of two changes came last.

A home that is copied takes its id along: to another computer, with a system image, into a container. So at each start
a home draws a number and puts it in ``data/devices/<id>``, its pen. Where another home's number lies, the id is used
twice, and whoever sees it first makes a new one. A second file of one device costs nothing; a second writer of one
file costs what a sync program makes of it.
"""

from __future__ import annotations

import logging
import re
import secrets
from pathlib import Path

from sam_py.store.disk import Disk, replace_durably, write_all
from sam_py.store.errors import cannot_write

log = logging.getLogger(__name__)

_FORM = re.compile(r"[0-9a-f]{8}\Z")
_NUMBER = re.compile(r"[0-9a-f]{32}\Z")
_NUMBERS_KEPT = 8
"""That lies in the data folder which was drawn last, or an older one: where it could not be written, or a folder is
used again that was left before."""


def device_id(state: Path, disk: Disk | None = None) -> str:
    """Eight hexadecimal digits, made once per state folder; where they cannot be kept they are of this run alone."""
    known = _read(state / "device-id")
    return known if _FORM.match(known) else _new_id(state, disk or Disk())


def take_pen(state: Path, data: Path, disk: Disk, *, anew: bool = False) -> str:
    """The id to write under in `data` from now on: a new one where another home does so under ours, or if `anew`."""
    id = device_id(state, disk)
    if anew or not holds_pen(state, data, id):
        log.warning("another home writes as %s, too, as when one is copied: this one gets a new id", id)
        id = _new_id(state, disk)
    number, found = secrets.token_hex(16), _read(data / "devices" / id)
    others = (each for each in _numbers(state, id) if each != found)
    numbers = [number, *([found] if found else ()), *others][:_NUMBERS_KEPT]
    try:
        _put(disk, state / "device-pen", "\n".join((id, *numbers)))
        (data / "devices").mkdir(exist_ok=True, mode=0o700)
        _put(disk, data / "devices" / id, number)
    except OSError as error:  # what is written meanwhile is read all the same; the next start tries again
        log.warning("the pen of this device cannot be put down: %s", cannot_write(error, data))
    return id


def pen_held(state: Path, data: Path, id: str, disk: Disk, *, anew: bool = False) -> str:
    """`id` as long as it is ours alone, else the new one that `take_pen` makes."""
    return take_pen(state, data, disk, anew=anew) if anew or not holds_pen(state, data, id) else id


def holds_pen(state: Path, data: Path, id: str) -> bool:
    """Whether nobody else has written in `data` as `id` since this home drew its last number."""
    found = _read(data / "devices" / id)
    return not _NUMBER.match(found) or found in _numbers(state, id)


def _numbers(state: Path, id: str) -> list[str]:
    """What this home drew as `id`, the last one first."""
    kept, *numbers = _read(state / "device-pen").split("\n")
    return numbers if kept == id else []


def _new_id(state: Path, disk: Disk) -> str:
    made = secrets.token_hex(4)
    try:
        state.mkdir(parents=True, exist_ok=True, mode=0o700)
        replace_durably(disk, str(state / "device-id"), made.encode())
    except OSError as error:  # each run then has a file of its own in what it writes: more files, nothing lost
        log.warning("the id of this device cannot be kept: %s", cannot_write(error, state))
    return made


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""


def _put(disk: Disk, path: Path, text: str) -> None:
    """In one step, without waiting for the disk: what a power cut takes away costs a new id at most."""
    beside = path.with_suffix(".tmp")
    fd = disk.open(str(beside), "new")
    try:
        write_all(disk, fd, text.encode("ascii"))
    finally:
        disk.close(fd)
    disk.rename(str(beside), str(path))
