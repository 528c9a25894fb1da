"""The window's own loop, for tests that go through it as a person without mouse or eyes does."""

from __future__ import annotations

from tests.ui.window.conftest import run, sit_down

__all__ = ["run", "sit_down"]
