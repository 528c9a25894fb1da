"""What all file tools share: the work folder of a conversation, and what is out of bounds in it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self, TypeVar

from sam_py.tools.base import Arguments, BuiltinTool, Touch
from sam_py.tools.builtin.folder_files import FolderFiles
from sam_py.tools.builtin.paths import Place, place_of


@dataclass(frozen=True, slots=True)
class WorkFolders:
    """The work folder of each conversation (None: none was chosen), and the program's own folders."""

    root_of: Callable[[str], Path | None]
    excluded: tuple[Path, ...] = ()
    files: FolderFiles = field(default_factory=FolderFiles)

    @classmethod
    def apart_from(cls, excluded: Sequence[Path], root_of: Callable[[str], Path | None]) -> WorkFolders:
        return cls(root_of, tuple(excluded), FolderFiles(excluded))


A = TypeVar("A", bound=Arguments)


class FileTool(BuiltinTool[A]):
    """A tool for the files of a work folder. It acts in one conversation: see `in_conversation`.

    Invariant: what a call's `touches` named is what its `run` opens. Each call has a tool of its own
    (`in_conversation`), which keeps what a path led to when it was first asked.
    """

    icon = "file"

    def __init__(self, folders: WorkFolders) -> None:
        self._folders = folders
        self._conversation_id = ""
        self._places: dict[str, Place] | None = None

    def in_conversation(self, conversation_id: str) -> Self:
        """This tool, with the work folder of that conversation."""
        bound = copy.copy(self)
        bound._conversation_id = conversation_id
        bound._places = {}
        return bound

    @property
    def _files(self) -> FolderFiles:
        return self._folders.files

    def _place(self, path: str) -> Place:
        """Where `path` leads. Raises `ToolError`."""
        if self._places is not None and path in self._places:
            return self._places[path]
        place = place_of(path, self._folders.root_of(self._conversation_id), self._folders.excluded)
        if self._places is not None:
            self._places[path] = place
        return place

    def _reads(self, path: str) -> tuple[Touch, ...]:
        return (Touch("read", self._place(path).full, free=True),)

    def _writes(self, path: str) -> tuple[Touch, ...]:
        place = self._place(path)
        return (Touch("write", place.full, within=place.root),)
