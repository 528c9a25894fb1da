"""An outside checker of request bodies, found beside the recordings; tests that use it skip without it."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest


def problems_of(recordings: Path, wire: str, body: dict[str, Any], model: str = "", dialect: str = "any") -> list[str]:
    """What the checker finds wrong with `body`, matters of style included."""
    checker = _loaded(recordings.parent / "tools" / "validate_requests.py")
    return [str(problem) for problem in checker.check(wire, body, dialect=dialect, model=model or None)]


def _loaded(path: Path) -> Any:
    name = "outside_request_checker"
    if name in sys.modules:
        return sys.modules[name]
    if not path.is_file():
        pytest.skip("the outside checker of request bodies is not on this machine")
    specification = importlib.util.spec_from_file_location(name, path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    specification.loader.exec_module(module)
    return module
