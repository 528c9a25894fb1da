"""What all tests share: a real llama.cpp server, and where recorded provider traffic lies."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# One deadline for all machines would fail the slow ones; the number of examples keeps the suite short.
settings.register_profile("sam", deadline=None, max_examples=60)
settings.load_profile("sam")


@pytest.fixture(scope="session")
def recordings() -> Path:
    """The folder of recorded provider traffic, from ``SAM_RECORDINGS`` or beside the checkout. Skips without it."""
    root = Path(__file__).resolve().parent.parent
    folder = Path(os.environ.get("SAM_RECORDINGS") or root.parent / "shared" / "recordings")
    if not folder.is_dir():
        pytest.skip("recorded provider traffic is not on this machine (set SAM_RECORDINGS to its folder)")
    return folder
