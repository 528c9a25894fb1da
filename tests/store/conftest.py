"""The folders of one installation, for each test of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from sam_py.paths import Paths, default_paths


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return default_paths(tmp_path).create()
