"""Tool groups: tools that a person switches together, and our own words for each of our tools."""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

ALL = "*"
"""The key under which a conversation says that it uses no tools at all. No tool is called so."""
OTHER = "group:other"
SERVER = "server:"
GROUPS: dict[str, tuple[str, ...]] = {
    "group:files": ("read_file", "list_folder", "search_files", "write_file", "edit_file"),
    "group:web": ("fetch_page",),
    "group:conversation": ("todo_list", "ask_person", "recall_history", "read_result", "read_document"),
    "group:sums": ("calculate", "convert_units", "current_time"),
    "group:pictures": ("generate_image",),
    "group:notes": ("remember", "recall"),
}
"""Group → its tools, as they are shown."""
_GROUP_OF = {name: group for group, names in GROUPS.items() for name in names}

_LABELS = {
    "read_file": QT_TRANSLATE_NOOP("ToolGroups", "Read a file"),
    "list_folder": QT_TRANSLATE_NOOP("ToolGroups", "List a folder"),
    "search_files": QT_TRANSLATE_NOOP("ToolGroups", "Search files"),
    "write_file": QT_TRANSLATE_NOOP("ToolGroups", "Write a file"),
    "edit_file": QT_TRANSLATE_NOOP("ToolGroups", "Edit a file"),
    "fetch_page": QT_TRANSLATE_NOOP("ToolGroups", "Fetch a web page"),
    "todo_list": QT_TRANSLATE_NOOP("ToolGroups", "Task list"),
    "ask_person": QT_TRANSLATE_NOOP("ToolGroups", "Question"),
    "recall_history": QT_TRANSLATE_NOOP("ToolGroups", "Search this conversation"),
    "read_result": QT_TRANSLATE_NOOP("ToolGroups", "Read a long result"),
    "read_document": QT_TRANSLATE_NOOP("ToolGroups", "Read a document"),
    "calculate": QT_TRANSLATE_NOOP("ToolGroups", "Calculate"),
    "convert_units": QT_TRANSLATE_NOOP("ToolGroups", "Convert units"),
    "current_time": QT_TRANSLATE_NOOP("ToolGroups", "Current time"),
    "generate_image": QT_TRANSLATE_NOOP("ToolGroups", "Generate an image"),
    "remember": QT_TRANSLATE_NOOP("ToolGroups", "Remember"),
    "recall": QT_TRANSLATE_NOOP("ToolGroups", "Recall notes"),
}
_WORDS = {
    "read_file": QT_TRANSLATE_NOOP("ToolGroups", "Reads a text, or looks at a picture."),
    "list_folder": QT_TRANSLATE_NOOP("ToolGroups", "Lists what is in a folder."),
    "search_files": QT_TRANSLATE_NOOP("ToolGroups", "Finds files by name, and lines by their words."),
    "write_file": QT_TRANSLATE_NOOP("ToolGroups", "Writes a file, or replaces one. Asks first."),
    "edit_file": QT_TRANSLATE_NOOP("ToolGroups", "Changes a piece of a file. Asks first."),
    "fetch_page": QT_TRANSLATE_NOOP("ToolGroups", "Reads a page of the web as text. Asks first."),
    "todo_list": QT_TRANSLATE_NOOP("ToolGroups", "Keeps a list of what is to be done, which you see."),
    "ask_person": QT_TRANSLATE_NOOP("ToolGroups", "Asks you something in the middle of its work, and waits."),
    "recall_history": QT_TRANSLATE_NOOP("ToolGroups", "Finds what was said earlier and no longer fits into requests."),
    "read_result": QT_TRANSLATE_NOOP("ToolGroups", "Reads on in a long result of another tool."),
    "read_document": QT_TRANSLATE_NOOP("ToolGroups", "Reads in a document of this conversation."),
    "calculate": QT_TRANSLATE_NOOP("ToolGroups", "Works out a sum, exactly."),
    "convert_units": QT_TRANSLATE_NOOP("ToolGroups", "Converts between units."),
    "current_time": QT_TRANSLATE_NOOP("ToolGroups", "Tells the date and the time, anywhere."),
    "generate_image": QT_TRANSLATE_NOOP("ToolGroups", "Has a picture made by a service. Costs money, and asks first."),
    "remember": QT_TRANSLATE_NOOP("ToolGroups", "Keeps a note for later conversations."),
    "recall": QT_TRANSLATE_NOOP("ToolGroups", "Looks through the notes of earlier conversations."),
}


def own_group_of(name: str) -> str:
    """The group of a tool of ours; `OTHER` for one that is in none.

    >>> own_group_of("recall"), own_group_of("everything__echo")
    ('group:notes', 'group:other')
    """
    return _GROUP_OF.get(name, OTHER)


def group_words(group: str) -> str:
    match group:
        case "group:files":
            return _tr("Files in the work folder")
        case "group:web":
            return _tr("The web")
        case "group:conversation":
            return _tr("This conversation")
        case "group:sums":
            return _tr("Sums, units and the time")
        case "group:pictures":
            return _tr("Pictures")
        case "group:notes":
            return _tr("Notes across conversations")
        case _:
            return _tr("Other tools")


def tool_label(name: str, label: str) -> str:
    """What a tool is called on screen: one of ours in the person's language, another by its own `label`."""
    return _tr(str(_LABELS[name])) if name in _LABELS else label


def tool_words(name: str) -> str:
    """What a tool of ours does, for a person; "" for one that is not ours: its own description is for models."""
    return _tr(str(_WORDS[name])) if name in _WORDS else ""


def _tr(text: str) -> str:
    return QCoreApplication.translate("ToolGroups", text)
