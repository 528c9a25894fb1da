"""Where configuration, data and resources are, on each platform and in a frozen program."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from sam_py.errors import SamError

APP = "sam-py"
DATA_FOLDER = "data-folder.txt"
"""In the folder of settings, where the data folder was moved: its path, on one line."""


class PathsError(SamError):
    """The folders cannot be made, or nobody knows where the data are: guessing would show an empty library."""


@dataclass(frozen=True, slots=True)
class Paths:
    """The folders of one installation. `create()` makes them, private to the user (0700).

    A data folder that was moved is never made: where it is not there, its drive is not.
    """

    config: Path
    """settings.json"""
    data: Path
    """conversations/, attachments/: may lie in a folder that is synced"""
    state: Path
    """drafts, window placement, locks, logs, derived indexes: of this machine only"""
    moved: bool = False
    """Whether the person keeps the data elsewhere."""

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
        """Make what is missing. Raises PathsError."""
        of_data = () if self.moved else (self.data, self.conversations, self.attachments)
        try:
            for folder in (self.config, self.state, *of_data, self.drafts, self.logs):
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise PathsError(
                f"SAM cannot create its folders: {error}. Set SAM_HOME to a folder that you may write to."
            ) from error
        return self


def default_paths(home: str | Path | None = None) -> Paths:
    """The user's folders, or everything below `home` (or the environment's ``SAM_HOME``): tests, portable copies.

    Raises PathsError where the file that names a moved data folder names none.
    """
    root = home or os.environ.get("SAM_HOME")
    if root:
        return _below(Path(root).expanduser().absolute())
    dirs = platformdirs.PlatformDirs(APP, appauthor=False)
    if dirs.user_config_dir == dirs.user_data_dir:  # macOS, Windows: the data alone may be shared by computers
        return _below(Path(dirs.user_data_dir))
    return _with_data(Path(dirs.user_config_dir), Path(dirs.user_data_dir), Path(dirs.user_state_dir))


def _below(base: Path) -> Paths:
    return _with_data(base / "config", base / "data", base / "state")


def _with_data(config: Path, data: Path, state: Path) -> Paths:
    moved = _moved_to(config, data)
    return Paths(config=config, data=moved or data, state=state, moved=moved is not None)


def _moved_to(config: Path, data: Path) -> Path | None:
    file = config / DATA_FOLDER
    try:
        said = file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _unclear(file, data, error.strerror or str(error)) from error
    try:
        line = os.fsdecode(said).rstrip("\r\n")
        if "\n" in line or "\0" in line:
            raise ValueError("it is damaged")
        if not line.strip():
            raise ValueError("it is empty")
        folder = Path(line).expanduser()
        if not folder.is_absolute():
            raise ValueError("the path does not begin at the root of a drive")
    except (ValueError, RuntimeError) as error:
        raise _unclear(file, data, str(error)) from error
    return folder


def _unclear(file: Path, data: Path, why: str) -> PathsError:
    return PathsError(
        f"{file} names the folder with your conversations, but cannot be used: {why}. Write that folder's path into "
        f"it, on one line; or delete the file if they are in {data}. Then start SAM again."
    )


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
