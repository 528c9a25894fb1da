"""Where configuration, data and resources are, on each platform and in a frozen program."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

import platformdirs

APP = "sam-py"


@dataclass(frozen=True, slots=True)
class Paths:
    """The folders of one installation. `create()` makes them, private to the user (0700)."""

    config: Path
    """settings.json"""
    data: Path
    """conversations/, attachments/: may lie in a folder that is synced"""
    state: Path
    """drafts, window placement, locks, logs, derived indexes: of this machine only"""

    @property
    def conversations(self) -> Path:
        return self.data / "conversations"

    @property
    def attachments(self) -> Path:
        return self.data / "attachments"

    @property
    def drafts(self) -> Path:
        return self.state / "drafts"

    @property
    def logs(self) -> Path:
        return self.state / "logs"

    def create(self) -> Paths:
        below = (self.conversations, self.attachments, self.drafts, self.logs)
        for folder in (self.config, self.data, self.state, *below):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return self


def default_paths(home: str | Path | None = None) -> Paths:
    """The user's folders, or everything below `home` (or the environment's ``SAM_HOME``): tests, portable copies."""
    root = home or os.environ.get("SAM_HOME")
    if root:
        base = Path(root).expanduser().absolute()
        return Paths(config=base / "config", data=base / "data", state=base / "state")
    dirs = platformdirs.PlatformDirs(APP, appauthor=False)
    return Paths(config=Path(dirs.user_config_dir), data=Path(dirs.user_data_dir), state=Path(dirs.user_state_dir))


def resources() -> Path:
    """The folder with icons, guide and docs: beside the package in a checkout, inside it when installed or frozen."""
    frozen = getattr(sys, "_MEIPASS", None)
    candidates = [Path(frozen) / "resources"] if frozen else []
    package = Path(__file__).resolve().parent
    candidates += [package / "resources", package.parent / "resources"]
    for folder in candidates:
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"no resources folder in any of {[str(c) for c in candidates]}")
