"""File permissions that hold for the superuser, too: tests in a container run as one."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_VERSION = 0x20080522
_OVERRIDES = 1 << 1 | 1 << 2
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: what lets the superuser past permissions (capabilities(7))."""


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Set(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


def can_hold() -> bool:
    """Whether `permissions_hold` can be used here."""
    return os.name == "posix" and (os.geteuid() != 0 or sys.platform.startswith("linux"))


@contextmanager
def permissions_hold() -> Iterator[None]:
    """This thread, and those that it starts, may read and write what the permissions of files say and no more."""
    if os.geteuid() != 0:
        yield
        return
    before = _get()
    less = (_Set * 2)(*before)
    less[0].effective &= ~_OVERRIDES
    _call("capset", less)
    try:
        yield
    finally:
        _call("capset", before)


def _get() -> ctypes.Array[_Set]:
    now = (_Set * 2)()
    _call("capget", now)
    return now


def _call(name: str, sets: ctypes.Array[_Set]) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    header = _Header(_VERSION, 0)
    if getattr(libc, name)(ctypes.byref(header), sets) != 0:
        raise OSError(ctypes.get_errno(), f"{name} failed")
