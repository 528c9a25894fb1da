"""Items of tools that the service ran itself, as a request takes them back. Pure.

The keys are those of OpenAI's request types (openai 3.52): what answers say beyond them is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

ItemJson = dict[str, Any]

_STATUS = frozenset({"", "in_progress", "searching", "interpreting", "calling", "completed", "incomplete", "failed"})
_ACTIONS: Mapping[str, tuple[str, ...]] = {
    "search": ("query", "queries"),
    "open_page": ("url",),
    "find_in_page": ("url", "pattern"),
}


@dataclass(frozen=True, slots=True)
class _Form:
    """Keys that must be there with their types, those that may be, and those that are sent empty where none came."""

    wanted: Mapping[str, type]
    allowed: tuple[str, ...] = ()
    filled: Mapping[str, type] = field(default_factory=dict)


_FORMS: Mapping[str, _Form] = {
    "web_search_call": _Form({"action": dict, "status": str}),
    "file_search_call": _Form({"queries": list, "status": str}, ("results",)),
    "code_interpreter_call": _Form({"container_id": str, "status": str}, filled={"code": str, "outputs": list}),
    "mcp_list_tools": _Form({"server_label": str, "tools": list}, ("error",)),
    "mcp_call": _Form(
        {"arguments": str, "name": str, "server_label": str}, ("approval_request_id", "error", "output", "status")
    ),
    "tool_search_call": _Form({"execution": str, "arguments": dict}, ("status",)),
    "tool_search_output": _Form({"execution": str, "tools": list}, ("status",)),
    "compaction": _Form({"encrypted_content": str}),
}


def server_item(raw: ItemJson) -> ItemJson | None:
    """`raw` as a request takes it; None where it is damaged, of another kind, or waits for an answer of ours.

    >>> server_item({"type": "web_search_call", "status": "completed", "action": {"type": "search", "sources": []}})
    {'type': 'web_search_call', 'status': 'completed', 'action': {'type': 'search'}}
    >>> server_item({"type": "computer_call", "call_id": "c"}) is None
    True
    """
    kind = _text(raw.get("type"))
    form = _FORMS.get(kind)
    if form is None or not all(isinstance(raw.get(key), wanted) for key, wanted in form.wanted.items()):
        return None
    if raw.get("call_id") is not None or raw.get("execution") not in (None, "server"):
        return None
    if _text(raw.get("status")) not in _STATUS:
        return None
    keys = {"type", *form.wanted, *form.allowed}
    if _text(raw.get("id")):
        keys.add("id")
    item = {key: value for key, value in raw.items() if key in keys and value not in (None, "")}
    item |= {key: raw[key] if isinstance(raw.get(key), wanted) else wanted() for key, wanted in form.filled.items()}
    if kind == "web_search_call":
        action = _action(raw["action"])
        return None if action is None else {**item, "action": action}
    return item


def _action(raw: ItemJson) -> ItemJson | None:
    """What was done; where it was found is for the person to see, and no key of a request."""
    keys = _ACTIONS.get(_text(raw.get("type")))
    if keys is None:
        return None
    return {key: value for key, value in raw.items() if key in ("type", *keys) and value is not None}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
