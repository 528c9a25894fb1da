"""All tools that come with the program, built with what the program gives them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sam_py.messages.message import utc_now
from sam_py.providers.http import Http
from sam_py.store.notes import Notes
from sam_py.tools.base import Tool
from sam_py.tools.builtin.ask_person import AskPerson, AskPersonTool
from sam_py.tools.builtin.calculate import CalculateTool, ConvertUnitsTool
from sam_py.tools.builtin.conversation import BusOf, ReadAttachment, ReadResultTool, RecallHistoryTool
from sam_py.tools.builtin.current_time import CurrentTimeTool
from sam_py.tools.builtin.fetch_page import FetchPageTool
from sam_py.tools.builtin.fetching import Fetcher
from sam_py.tools.builtin.generate_image import GenerateImageTool, KeyOf
from sam_py.tools.builtin.read_document import ReadDocumentText, ReadDocumentTool
from sam_py.tools.builtin.read_files import ListFolderTool, PutAttachment, ReadFileTool
from sam_py.tools.builtin.remember import RecallTool, RememberTool
from sam_py.tools.builtin.search_files import SearchFilesTool
from sam_py.tools.builtin.todo import TodoTool
from sam_py.tools.builtin.work_folder import WorkFolders
from sam_py.tools.builtin.write_files import EditFileTool, WriteFileTool
from sam_py.tools.image_service import ImageService


async def no_key(_account: str) -> str | None:
    return None


@dataclass(frozen=True, slots=True)
class Doors:
    """What the tools may reach. A door that is None is not there, and its tools are not built."""

    bus_of: BusOf
    """Conversation id → its bus, where it is open."""
    root_of: Callable[[str], Path | None]
    """Conversation id → the work folder that the person chose."""
    own_folders: Sequence[Path]
    """Of the program: config, data and state. No file tool enters them."""
    put_attachment: PutAttachment
    read_attachment: ReadAttachment
    http: Http
    read_document: ReadDocumentText | None = None
    """The text of an attached document."""
    notes: Notes | None = None
    ask: AskPerson | None = None
    image_service: Callable[[], ImageService | None] = lambda: None
    """The service for pictures that the person chose."""
    key_of: KeyOf = no_key
    """An account's id → its key."""
    may_reach_private: Callable[[str], bool] = lambda _host: False
    """Whether the person allowed pages of that host on this machine or in the own network."""
    now: Callable[[], datetime] = utc_now


def builtin_tools(doors: Doors) -> list[Tool]:
    """Every tool of ours. Which of them are offered is the settings' word."""
    folders = WorkFolders.apart_from(doors.own_folders, doors.root_of)
    tools: list[Tool] = [
        ReadFileTool(folders, doors.put_attachment),
        ListFolderTool(folders),
        SearchFilesTool(folders),
        WriteFileTool(folders),
        EditFileTool(folders),
        FetchPageTool(Fetcher(may_reach_private=doors.may_reach_private)),
        TodoTool(doors.bus_of),
        RecallHistoryTool(doors.bus_of),
        ReadResultTool(doors.bus_of, doors.read_attachment),
        ReadDocumentTool(doors.bus_of, doors.read_attachment, doors.read_document),
        CalculateTool(),
        ConvertUnitsTool(),
        CurrentTimeTool(doors.now),
        GenerateImageTool(doors.http, doors.image_service, doors.put_attachment, doors.key_of),
    ]
    if doors.notes is not None:
        tools += [RememberTool(doors.notes), RecallTool(doors.notes)]
    if doors.ask is not None:
        tools.append(AskPersonTool(doors.ask))
    return tools
