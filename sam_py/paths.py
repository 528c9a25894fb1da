"""Where configuration, data and resources are, on each platform and in a frozen program."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

import platformdirs

APP = "sam-py"
DATA_FOLDER = "data-folder.txt"
"""In the folder of settings, where the data folder was moved: its path, on one line."""


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
        config = base / "config"
        return Paths(config=config, data=_moved_to(config) or base / "data", state=base / "state")
    dirs = platformdirs.PlatformDirs(APP, appauthor=False)
    config = Path(dirs.user_config_dir)
    data = _moved_to(config) or Path(dirs.user_data_dir)
    return Paths(config=config, data=data, state=Path(dirs.user_state_dir))


def _moved_to(config: Path) -> Path | None:
    try:
        said = (config / DATA_FOLDER).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None
    return Path(said).expanduser() if said else None


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
