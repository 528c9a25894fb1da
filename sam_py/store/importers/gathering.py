"""Gathering: the messages of a foreign conversation become the events of one of ours."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import JsonValue

from sam_py.messages.history import BranchSelected, HistoryEvent, MessageAdded, SettingsChanged
from sam_py.messages.importance import score
from sam_py.messages.message import (
    AssistantMessage,
    Message,
    StopReason,
    SystemMessage,
    ToolResultMessage,
    ToolStatus,
    UserMessage,
)
from sam_py.messages.parts import FilePart, Part, TextPart, ThinkingTextPart, ToolCallPart
from sam_py.messages.usage import Usage
from sam_py.store.exporters.nested import written
from sam_py.store.importers.content import NO_RESULT
from sam_py.store.importers.found import Found, first_words, flat, moment, stable_id, titled, unknown

_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
_STEP = timedelta(milliseconds=1)
_REACH = {"user": 600, "assistant": 300}
"""Characters of a long text that are looked at from either end."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool gave back, where a source has it inside a reply. `call_id` is the source's; "" for the last call."""

    output: object
    call_id: str = ""
    tool_name: str = ""
    status: ToolStatus = "success"
    parts: tuple[Part, ...] = ()


class Gathering:
    """Takes messages in any order in which parents come before children; ids of the source become ours.

    An empty message is left out, and what hangs below it hangs below its parent; what was kept beside it is kept
    beside the conversation. A date that is missing, or before
    that of the parent, is the parent's and a millisecond: so what the source shows in an order stays in it.
    """

    def __init__(self, source: str, id: str, *, title: str = "", created: object = None) -> None:
        """`source` is the format's key, `id` the source's own id of the conversation."""
        self.source = source
        self.foreign_id = id
        self.id = stable_id(source, id)
        self.title = " ".join(title.split())[:300]
        self.created = moment(created)
        self._settings: dict[str, JsonValue] = {}
        self._messages: dict[str, Message] = {}
        self._stands_for: dict[str, str | None] = {}
        self._ends: dict[str, str] = {}
        self._last: str | None = None
        self._latest: dict[str | None, datetime] = {}
        self._calls: dict[str, dict[str, str]] = {}
        self._tools: dict[str, str] = {}
        self._taken: set[str] = set()
        self._answered: set[str] = set()
        self._selected: dict[str | None, str] = {}
        self._notes: dict[str, None] = {}
        self._empty: list[JsonValue] = []

    @property
    def last(self) -> str | None:
        """The source's id of the message that came last."""
        return self._last

    def note(self, sentence: str) -> None:
        self._notes[sentence] = None

    def setting(self, key: str, value: JsonValue) -> None:
        """Set one of the conversation's settings; what says nothing is not set."""
        if value not in (None, "", [], {}, False):
            self._settings[key] = (
                {name: flat(each) for name, each in value.items()} if isinstance(value, dict) else value
            )

    def user(self, id: str, parent: str | None, parts: Iterable[Part | Result], at: object = None, **rest: Any) -> None:
        """What the person said; what only replies hold is kept as a part of its own kind."""
        self._add(id, parent, at, UserMessage, rest, parts=_kept(_said(part) for part in parts))

    def system(
        self, id: str, parent: str | None, said: str | Iterable[Part | Result], at: object = None, **rest: Any
    ) -> None:
        """An instruction; what of it is no text is kept beside it."""
        parts = [TextPart(text=said)] if isinstance(said, str) else [_said(part) for part in said]
        others = [part.model_dump(mode="json") for part in parts if not isinstance(part, TextPart)]
        texts = [part for part in parts if isinstance(part, TextPart)]
        self._add(id, parent, at, SystemMessage, {**rest, "others": others}, parts=_kept(texts))

    def reply(
        self,
        id: str,
        parent: str | None,
        parts: Iterable[Part],
        at: object = None,
        *,
        model: object = "",
        stop_reason: StopReason | None = "stop",
        usage: Usage | None = None,
        **rest: Any,
    ) -> None:
        """A reply; the calls in it get ids that no other call of the conversation has.

        One that failed holds the reason, where `rest` says it: so it is there also where it is nothing else.
        """
        named: dict[str, str] = {}
        said = _kept(parts)
        why = _failure(rest) if stop_reason == "error" else ""
        if (why or not said) and stop_reason == "error" and not any(why and why in _text(part) for part in said):
            said = (*said, unknown("error", {"text": why or "it is not said why."}))
        ours = tuple(self._replied(part, named) for part in said)
        if stop_reason == "stop" and ours and isinstance(ours[-1], ToolCallPart):
            stop_reason = "tool_use"
        self._calls[self._ours(id)] = named
        self._add(
            id,
            parent,
            at,
            AssistantMessage,
            rest,
            parts=ours,
            model=model if isinstance(model, str) else "",
            stop_reason=stop_reason,
            usage=usage,
        )

    def turns(
        self, id: str, parent: str | None, blocks: Iterable[Part | Result], at: object = None, **reply: Any
    ) -> None:
        """A reply with the results of its tools in it: a reply for each round, each result below its call.

        What hangs below `id` in the source hangs below the last of them.
        """
        rounds: list[tuple[list[Part], list[Result]]] = [([], [])]
        for block in blocks:
            if isinstance(block, Result):
                rounds[-1][1].append(block)
                continue
            if rounds[-1][1]:
                rounds.append(([], []))
            rounds[-1][0].append(block)
        above, number = parent, 0
        for parts, results in rounds:
            name = f"{id}/{number}" if number else id
            last = not results and number == len(rounds) - 1
            keys = reply.keys() if number == 0 or last else {"model"}
            if number < len(rounds) - 1:  # how it ended is said of its end
                keys = keys - {"stop_reason"}
            details = {key: reply[key] for key in keys & reply.keys()}
            self.reply(name, above, parts, at, **details)
            above, number = name, number + 1
            calls = [part.call_id for part in parts if isinstance(part, ToolCallPart)]
            for place, result in enumerate(results):
                name = f"{id}/{number}.{place}"
                call = result.call_id or (calls[min(place, len(calls) - 1)] if calls else "")
                self.result(
                    name,
                    above,
                    call,
                    result.output,
                    at,
                    tool_name=result.tool_name,
                    status=result.status,
                    parts=result.parts,
                )
                above = name
        self._end_at(id, above)

    def result(
        self,
        id: str,
        parent: str | None,
        call_id: str,
        output: object,
        at: object = None,
        *,
        tool_name: str = "",
        status: ToolStatus = "success",
        parts: Iterable[Part | Result] = (),
        **rest: Any,
    ) -> None:
        """The result of the nearest call above with that id of the source.

        Where there is none, or it has its result, a call is put before it: so none is lost, and each stays with one.
        """
        call = self._call_above(parent, call_id)
        if call is None or call in self._answered:
            self.note("Some tool results came without their call; an empty call stands before them.")
            asked = f"{id}/call"
            tool_name = tool_name or (self._tool_of(call) if call else "") or "tool"
            self.reply(asked, parent, [ToolCallPart(call_id=call_id or asked, tool_name=tool_name)], at)
            parent, call = asked, self._call_above(asked, call_id or asked)
        assert call is not None
        self._answered.add(call)
        kept = _kept(_said(part) for part in parts)
        text = output if isinstance(output, str) else "" if output is None else as_json(output)
        text = "".join([text, *(part.text for part in kept if isinstance(part, TextPart))])
        self._add(
            id,
            parent,
            at,
            ToolResultMessage,
            rest,
            call_id=call,
            tool_name=self._tool_of(call) or tool_name,
            output_text=text,
            status=status,
            parts=tuple(part for part in kept if not isinstance(part, TextPart)),
        )

    def call_to_answer(self, parent: str | None) -> str:
        """The source's id of the last call above that has no result yet; "" where there is none."""
        step = self._standing(parent)
        while step is not None:
            for theirs, ours in reversed(self._calls.get(step, {}).items()):
                if ours not in self._answered:
                    return theirs
            step = self._messages[step].parent_id
        return ""

    def annotate(self, id: str, *, pinned: bool = False, importance: float | None = None) -> None:
        """What the source said about a message that it has."""
        ours = self._ours(id)
        if (message := self._messages.get(ours)) is not None:
            update: dict[str, Any] = (
                {"pinned": pinned} if importance is None else {"pinned": pinned, "importance": importance}
            )
            self._messages[ours] = message.model_copy(update=update)

    def show(self, leaf: str | None) -> None:
        """The way to this message is the one that is shown."""
        step = self._standing(leaf)
        while step is not None:
            above = self._messages[step].parent_id
            self._selected[above] = step
            step = above

    def found(self) -> Found | None:
        """The conversation; None where there is nothing in it."""
        if not self._messages:
            return None
        self._answer_the_rest()
        events: list[HistoryEvent] = []
        created = self.created or min(message.created_at for message in self._messages.values())
        settings: dict[str, JsonValue] = {"created_at": created.isoformat().replace("+00:00", "Z")}
        title = self.title or first_words(self._messages.values())
        if title:
            settings |= {"title": title, "title_source": "person"} if self.title else titled(title)
        imported: dict[str, JsonValue] = {"from": self.source, "id": self.foreign_id}
        if self._empty:
            imported["empty_messages"] = self._empty
        rest = self._settings.pop("imported", None)
        settings |= {**self._settings, "imported": {**imported, **(rest if isinstance(rest, dict) else {})}}
        events += [SettingsChanged(key=key, value=value) for key, value in settings.items()]
        events += [MessageAdded(message=message) for message in self._messages.values()]
        children: dict[str | None, list[str]] = {}
        for message in self._messages.values():
            children.setdefault(message.parent_id, []).append(message.id)
        events += [
            BranchSelected(parent_id=parent, message_id=child)
            for parent, child in self._selected.items()
            if len(children.get(parent, ())) > 1
        ]
        return Found(self.id, title, events, tuple(self._notes))

    def _answer_the_rest(self) -> None:
        """A call whose result is not in the source gets one that says so: else the conversation seems broken off."""
        below: dict[str | None, list[str]] = {}
        for message in self._messages.values():
            below.setdefault(message.parent_id, []).append(message.id)
        for message in list(self._messages.values()):
            above = message.id
            for call in message.tool_calls:
                if call.call_id in self._answered:
                    continue
                result = ToolResultMessage(
                    id=stable_id(message.id, call.call_id),
                    parent_id=above,
                    created_at=message.created_at,
                    call_id=call.call_id,
                    tool_name=call.tool_name,
                    status="success" if message.id in below else "aborted",
                    output_text=NO_RESULT,
                )
                self._messages[result.id] = result
                above = result.id
            if above == message.id:
                continue
            for child in below.get(message.id, ()):
                self._messages[child] = self._messages[child].model_copy(update={"parent_id": above})
            if message.id in self._selected:
                self._selected[above] = self._selected.pop(message.id)

    def _add(
        self, id: str, parent: str | None, at: object, kind: type[Any], rest: Mapping[str, Any], **own: Any
    ) -> None:
        above = self._standing(parent)
        message_id = self._ours(id)
        while (before := self._messages.get(message_id)) is not None:
            if isinstance(before, kind) and before.parts == own.get("parts", ()):
                return  # the same again
            self.note("Some messages shared an id; each is here.")
            message_id = stable_id(message_id, "again")
        created = self._date(above, moment(at))
        left = {key: flat(value) for key, value in rest.items() if value not in (None, "", [], {}, False)}
        if left:
            own["imported"] = {"id": id, **left}
        message: Message = kind(id=message_id, parent_id=above, created_at=created, **own)
        self._last = id
        if message.is_empty and not isinstance(message, ToolResultMessage):
            self._stands_for[message_id] = above
            if left:
                self._empty.append({"role": message.role, "id": id, **left})
            return
        if isinstance(message, UserMessage | AssistantMessage):
            message = message.model_copy(update={"importance": _importance(message)})
        self._messages[message_id] = message
        self._latest[above] = created

    def _ours(self, id: str) -> str:
        return stable_id(self.source, self.foreign_id, id)

    def _end_at(self, id: str, end: str | None) -> None:
        """What hangs below `id` hangs below `end`, which came last of what it became."""
        first, last = self._ours(id), self._standing(end)
        if last is not None and last != first:
            if first in self._messages:
                self._ends[first] = last
            else:
                self._stands_for[first] = last

    def _standing(self, foreign: str | None) -> str | None:
        """Our id of a message of the source that is there, or of the nearest one above it that is."""
        step = self._ours(foreign) if foreign is not None else None
        while step is not None and step not in self._messages:
            step = self._stands_for.get(step)
        return self._ends.get(step, step) if step is not None else None

    def _date(self, above: str | None, at: datetime | None) -> datetime:
        """Not before the parent's, and after the brother's that came before."""
        brother = self._latest.get(above)
        least = self._messages[above].created_at if above is not None else None
        if at is None or (least is not None and at < least):
            at = least + _STEP if least is not None else (self.created or _EPOCH)
        return brother + _STEP if brother is not None and at <= brother else at

    def _replied(self, part: Part, named: dict[str, str]) -> Part:
        if isinstance(part, FilePart):  # ours hold none in a reply
            return unknown("file", part.model_dump(mode="json"))
        return self._named(part, named) if isinstance(part, ToolCallPart) else part

    def _named(self, part: ToolCallPart, named: dict[str, str]) -> ToolCallPart:
        theirs = part.call_id or f"call_{len(named)}"
        ours, number = theirs, 2
        while ours in self._taken:
            ours, number = f"{theirs}_{number}", number + 1
        self._taken.add(ours)
        named[part.call_id] = ours
        self._tools[ours] = part.tool_name
        return part if ours == part.call_id else part.model_copy(update={"call_id": ours})

    def _call_above(self, parent: str | None, call_id: str) -> str | None:
        step = self._standing(parent)
        while step is not None:
            if call_id in (named := self._calls.get(step, {})):
                return named[call_id]
            step = self._messages[step].parent_id
        return None

    def _tool_of(self, call: str | None) -> str:
        return self._tools.get(call or "", "")


def _importance(message: UserMessage | AssistantMessage) -> float:
    """By the rules for what is said here; of a long text its beginning and end, where it asks, demands and settles.

    The rules take more than a microsecond a character, ten times as long as all else of an import.
    """
    text, role = message.text, message.role
    reach = _REACH[role]
    return score(text if len(text) <= 2 * reach else f"{text[:reach]}\n{text[-reach:]}", role)[0]


def as_json(value: object) -> str:
    """`value` as arguments or a result are written."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return written(value)


def usage_of(input_tokens: object = None, output_tokens: object = None, **others: object) -> Usage | None:
    """Usage of what are whole numbers; None where nothing is."""
    given = {"input_tokens": input_tokens, "output_tokens": output_tokens, **others}
    known = {key: value for key, value in given.items() if type(value) is int and value > 0}
    return Usage.model_validate(known) if known else None


def _failure(rest: Mapping[str, Any]) -> str:
    """Why a reply failed, as programs write it beside a message; "" where they do not.

    >>> _failure({"message": {"error": {"content": "model not found"}}}), _failure({"message": {"error": True}})
    ('model not found', '')
    """
    for fields in (rest, *(value for value in rest.values() if isinstance(value, Mapping))):
        for key in ("error", "errorMessage"):
            told = fields.get(key)
            if isinstance(told, Mapping):
                told = next((told[each] for each in ("content", "message", "detail") if told.get(each)), as_json(told))
            if isinstance(told, str) and told.strip():
                return told.strip()
    return ""


def _text(part: Part) -> str:
    return part.text if isinstance(part, TextPart) else ""


def _said(part: Part | Result) -> Part:
    if isinstance(part, Result):
        return unknown("result", part.output)
    if isinstance(part, ThinkingTextPart | ToolCallPart):
        return unknown("content", part.model_dump(mode="json"))
    return part


def _kept(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Parts that say something."""
    return tuple(part for part in parts if not isinstance(part, TextPart) or part.text)
