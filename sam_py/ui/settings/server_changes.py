"""What a person reads of a server's tools before they accept them: each word that goes to models, and what is new."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable

from PySide6.QtCore import QCoreApplication

from sam_py.tools.mcp.offer import Offer, OfferedTool, ToolChange
from sam_py.ui.chat.tool_words import made_visible, visible_line
from sam_py.ui.settings.server_text import Line

_MOST_COMPARED = 2_000
"""Lines of one text; comparing more takes too long, and the two are shown one after the other."""
_MOST_RESOURCES = 50
_LINE = 72
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+")


def change_lines(change: ToolChange) -> list[Line]:
    """One tool: what is new of it, or what it was and is."""
    now, before = change.now, change.before
    if now is None:
        return [Line("heading", _tr("Gone: %1").replace("%1", visible_line(change.name)))]
    if before is None:
        return [Line("heading", _tr("New: %1").replace("%1", visible_line(now.name))), *tool_lines(now)]
    lines = [Line("warning", _tr("Changed: %1").replace("%1", visible_line(now.name)))]
    old_title = before.title or before.name
    if old_title != now.title:
        lines += [Line("removed", visible_line(old_title)), Line("added", visible_line(now.title))]
    if not before.description and not before.parameters:
        lines.append(Line("muted", _tr("What it said before was too long to keep. What it says now:")))
        return [*lines, *tool_lines(now)]
    compared = _compared(_sentences(before.description), _sentences(now.description))
    lines += compared or [Line("text", each) for each in _sentences(now.description)]
    lines.append(Line("muted", _tr("Arguments")))
    compared = _compared(_pretty(before.parameters), _pretty(json.dumps(now.schema)))
    lines += compared or [Line("code", _tr("the same as before"))]
    return [*lines, *_hint(now)]


def tool_lines(tool: OfferedTool) -> list[Line]:
    """All of what a model is told of `tool`, in lines."""
    lines = []
    if tool.title and tool.title != tool.name:
        lines.append(Line("muted", visible_line(tool.title)))
    said = made_visible(tool.description).splitlines() or [_tr("It says nothing about itself.")]
    lines += [Line("text", each) for each in said]
    lines.append(Line("muted", _tr("Arguments")))
    lines += [Line("code", each) for each in _pretty(json.dumps(tool.schema))]
    return [*lines, *_hint(tool)]


def other_lines(offer: Offer) -> list[Line]:
    """What a server has besides tools: prompts with their arguments, and resources."""
    lines = []
    for prompt in offer.prompts:
        lines.append(Line("heading", _tr("Prompt: %1").replace("%1", visible_line(prompt.title or prompt.name))))
        lines += [Line("text", each) for each in made_visible(prompt.description).splitlines()]
        for argument in prompt.arguments:
            must = _tr("%1 (must be given)") if argument.required else "%1"
            about = f": {visible_line(argument.description)}" if argument.description else ""
            lines.append(Line("muted", must.replace("%1", visible_line(argument.name)) + about))
    if offer.resources:
        lines.append(Line("heading", _tr("Resources: %1").replace("%1", str(len(offer.resources)))))
        lines += [Line("code", visible_line(each.uri)) for each in offer.resources[:_MOST_RESOURCES]]
    if len(offer.resources) > _MOST_RESOURCES:
        lines.append(Line("muted", _tr("The attach button of a message lists all of them.")))
    return lines


def summary_words(changes: Iterable[ToolChange]) -> str:
    """How many tools are new, changed and gone.

    >>> summary_words([ToolChange(None, OfferedTool("a")), ToolChange(None, OfferedTool("b"))])
    '2 new'
    """
    kinds = [_kind(change) for change in changes]
    words = {"new": _tr("%1 new"), "changed": _tr("%1 changed"), "gone": _tr("%1 gone")}
    return ", ".join(text.replace("%1", str(kinds.count(kind))) for kind, text in words.items() if kind in kinds)


def _kind(change: ToolChange) -> str:
    if change.now is None:
        return "gone"
    return "new" if change.before is None else "changed"


def _compared(before: list[str], now: list[str]) -> list[Line]:
    """The lines of both, those that differ marked; nothing where all are the same."""
    if before == now:
        return []
    if max(len(before), len(now)) > _MOST_COMPARED:
        return [*(Line("removed", each) for each in before), *(Line("added", each) for each in now)]
    found = []
    # Not `ndiff`: it looks for likeness within lines, which takes minutes where a server means it to.
    for kind, a, b, c, d in difflib.SequenceMatcher(None, before, now).get_opcodes():
        if kind == "equal":  # as far to the right as those with a sign
            found += [Line("code", f"  {each}") for each in now[c:d]]
            continue
        found += [Line("removed", each) for each in before[a:b]]
        found += [Line("added", each) for each in now[c:d]]
    return found


def _sentences(text: str) -> list[str]:
    """Lines, and sentences of long ones: a change in a paragraph is seen where it is."""
    return [made_visible(each) for line in text.splitlines() for each in _SENTENCE_END.split(line)]


def _pretty(parameters: str) -> list[str]:
    return made_visible(_folded(json.loads(parameters), "")).splitlines()


def _folded(value: object, indent: str) -> str:
    """JSON in lines, like that of ``indent=2``; what fits into one line has one.

    >>> _folded({"type": "object", "required": ["a", "b"]}, "")
    '{"type": "object", "required": ["a", "b"]}'
    """
    short = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(short) <= _LINE or not isinstance(value, dict | list) or not value:
        return short
    inner = indent + "  "
    if isinstance(value, list):
        items = [_folded(each, inner) for each in value]
        return "[\n" + ",\n".join(inner + each for each in items) + f"\n{indent}]"
    items = [f"{json.dumps(name, ensure_ascii=False)}: {_folded(each, inner)}" for name, each in value.items()]
    return "{\n" + ",\n".join(inner + each for each in items) + f"\n{indent}}}"


def _hint(tool: OfferedTool) -> list[Line]:
    if not tool.read_only:
        return []
    return [
        Line("muted", _tr("The server says that it changes nothing. SAM does not rely on that and asks all the same."))
    ]


def _tr(text: str) -> str:
    return QCoreApplication.translate("ServerChanges", text)
