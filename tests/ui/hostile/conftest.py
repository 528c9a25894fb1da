"""The window's own loop, for hostile content in the whole window."""

from __future__ import annotations

from tests.ui.window.conftest import run, sit_down

__all__ = ["run", "sit_down"]
