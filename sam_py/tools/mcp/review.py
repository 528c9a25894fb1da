"""Which tools of a server a person has seen as they are: the others are held back until they have been looked at.

What is accepted stands in the settings with its words, so that a change can be shown.  # D-029
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

from sam_py.settings.model import McpToolConsent
from sam_py.tools.mcp.offer import OfferedTool, ToolChange

LARGEST_KEPT = 400_000
"""Characters of one server's texts that are kept for comparing; beyond it the digests alone."""


def digest_of(tool: OfferedTool) -> str:
    """SHA-256 over all that the server says of `tool`: what the model reads, and what the person reads."""
    said = [tool.name, tool.title, tool.description, tool.schema, tool.read_only]
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def tool_changes(agreed: Iterable[McpToolConsent], offered: Iterable[OfferedTool]) -> tuple[ToolChange, ...]:
    """What differs from what was accepted: changed tools, new ones, and those that are gone."""
    before = {each.name: each for each in agreed}
    changed, new = [], []
    for tool in offered:
        known = before.pop(tool.name, None)
        if known is None:
            new.append(ToolChange(None, tool))
        elif known.digest != digest_of(tool):
            changed.append(ToolChange(known, tool))
    return (*changed, *new, *(ToolChange(known, None) for known in before.values()))


def after_accepting(agreed: Iterable[McpToolConsent], seen: Iterable[ToolChange]) -> tuple[McpToolConsent, ...]:
    """What is agreed to once the person accepted `seen`: exactly that, whatever the server offers by now."""
    kept = {each.name: each for each in agreed}
    for change in seen:
        kept.pop(change.name, None)
        if change.now is not None:
            kept[change.name] = _consent(change.now)
    room = LARGEST_KEPT
    bounded = []
    for name in sorted(kept):
        each = kept[name]
        room -= len(each.description) + len(each.parameters)
        bounded.append(each if room >= 0 else each.model_copy(update={"description": "", "parameters": ""}))
    return tuple(bounded)


def _consent(tool: OfferedTool) -> McpToolConsent:
    return McpToolConsent(
        name=tool.name,
        digest=digest_of(tool),
        title=tool.title,
        description=tool.description,
        parameters=json.dumps(tool.schema),
    )
