"""CallAssembly: tool calls as thirty services stream them, told apart and in order.

Seen in recorded traffic: a whole call in one delta; id and name resent with every delta (so they are set,
never appended); an index that starts at 1, is missing, or is 0 for every call; no id at all; arguments
that are null, absent, or an object instead of its text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from sam_py.messages.builder import mend_surrogates
from sam_py.providers.base import ThinkingSigned, ToolCallDelta, ToolCallStarted

MAX_CALLS = 1000
_LONGEST_NAME = 1000


@dataclass(slots=True)
class _Call:
    key: str
    call_id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list)
    extra: Any = None
    """What the server hung on the call and wants back with it (Google's thought signature)."""

    @property
    def is_complete(self) -> bool:
        """Whether the arguments are a JSON object; a call without any takes none."""
        text = "".join(self.pieces).strip()
        if not text:
            return bool(self.name)
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return False
        return bool(self.name) and (value is None or isinstance(value, dict))


class CallAssembly:
    """Collects the calls of one reply and says what is new as events. `size` is how many characters are held."""

    def __init__(self, new_call_id: Callable[[], str]) -> None:
        self.size = 0
        self._new_call_id = new_call_id
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}

    def add(self, delta: dict[str, Any]) -> Iterator[ToolCallStarted | ToolCallDelta]:
        """Read ``tool_calls`` of a delta (or ``function_call``, as of 2023)."""
        fragments = delta.get("tool_calls")
        old = delta.get("function_call")
        if not isinstance(fragments, list):
            fragments = [{"index": 0, "function": old}] if isinstance(old, dict) else []
        for fragment in fragments:
            if isinstance(fragment, dict):
                yield from self._add_fragment(fragment)

    @property
    def count(self) -> int:
        return len(self._calls)

    def end(self) -> Iterator[ToolCallStarted | ThinkingSigned]:
        """The reply has ended: give an id to each call that the server gave none, and tell equal ids apart."""
        seen: set[str] = set()
        for place, call in enumerate(self._calls):
            if call.extra is not None:
                signed = json.dumps({"call": place, "extra_content": call.extra}, ensure_ascii=False)
                yield ThinkingSigned(mend_surrogates(signed))
            if not call.call_id or call.call_id in seen:
                call.call_id = self._new_call_id()
                yield ToolCallStarted(call.key, call.call_id, "")
            seen.add(call.call_id)

    def _add_fragment(self, fragment: dict[str, Any]) -> Iterator[ToolCallStarted | ToolCallDelta]:
        function = fragment.get("function")
        if not isinstance(function, dict):  # "type": "custom" holds name and free-form input
            custom = fragment.get("custom")
            function = (
                {"name": custom.get("name"), "arguments": custom.get("input")} if isinstance(custom, dict) else {}
            )
        call_id, name = _text(fragment.get("id")), _text(function.get("name"))
        arguments = function.get("arguments")
        if arguments is not None and not isinstance(arguments, str):
            arguments = json.dumps(arguments, ensure_ascii=False)
        call, is_new = self._find(fragment.get("index"), call_id, name, arguments or "")
        if call is None:
            return
        changed = is_new or (bool(call_id) and call_id != call.call_id) or (bool(name) and name != call.name)
        call.call_id, call.name = call_id or call.call_id, name or call.name
        if changed:
            yield ToolCallStarted(call.key, call_id, name)
        if isinstance(fragment.get("extra_content"), dict):
            call.extra = fragment["extra_content"]
        if arguments:
            call.pieces.append(arguments)
            self.size += len(arguments)
            yield ToolCallDelta(call.key, arguments)

    def _find(self, index: Any, call_id: str, name: str, arguments: str) -> tuple[_Call | None, bool]:
        """The call that a fragment belongs to, and whether it is a new one. None: to no call that we know."""
        if isinstance(index, int) and not isinstance(index, bool):
            call = self._by_index.get(index)
            if call is None or (name and self._is_another(call, call_id, arguments)):
                call = self._open()
                self._by_index[index] = call
                return call, True
            return call, False
        known = next((call for call in self._calls if call_id and call.call_id == call_id), None)
        if known is not None:
            return known, False
        if name or call_id:
            return self._open(), True
        return (self._calls[-1] if self._calls else None), False

    @staticmethod
    def _is_another(call: _Call, call_id: str, arguments: str) -> bool:
        """Whether a fragment with a name and the index of `call` is no part of it: some number every call 0."""
        if call_id and call.call_id:
            return call_id != call.call_id and call.is_complete
        return bool(call.pieces) and arguments.lstrip().startswith("{") and call.is_complete

    def _open(self) -> _Call:
        call = _Call(key=str(len(self._calls)))
        self._calls.append(call)
        return call


def _text(value: Any) -> str:
    return mend_surrogates(value[:_LONGEST_NAME]) if isinstance(value, str) else ""
