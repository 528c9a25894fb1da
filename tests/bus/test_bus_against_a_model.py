"""The bus against a naive model, a mirror that is fed by deltas alone, and a restart from what was recorded."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from sam_py.bus.deltas import Appended, Delta, Inserted, Recorded, Removed, Reset, Updated
from sam_py.bus.message_bus import ROOT, MessageBus
from sam_py.messages.history import ErrorOccurred, HistoryEvent
from sam_py.messages.message import AssistantMessage, Message, UserMessage
from sam_py.messages.parts import TextPart
from tests.bus.replayed import history_of

TEXTS = st.sampled_from(["a", "b c", " x ", "\n", "words ", "🎉", "\ud83c", "\udf89"])


class Mirror:
    """A view that knows of the bus only what deltas say; after a Reset it reads anew."""

    def __init__(self, bus: MessageBus) -> None:
        self.bus = bus
        self.rows: list[tuple[str, list[str]]] = []
        self.events: list[HistoryEvent] = []
        bus.subscribe(self.take)

    def take(self, delta: Delta) -> None:
        match delta:
            case Inserted(index, message):
                self.rows.insert(index, _row(message))
            case Updated(index, message):
                assert self.rows[index][0] == message.id
                self.rows[index] = _row(message)
            case Appended(index, message_id, part_index, _kind, text):
                if index is None:
                    return
                row_id, parts = self.rows[index]
                assert row_id == message_id
                parts.extend([""] * (part_index + 1 - len(parts)))
                parts[part_index] += text
            case Removed(index, message_id):
                assert self.rows.pop(index)[0] == message_id
            case Reset(first):
                assert [row[0] for row in self.rows[:first]] == list(self.bus.path[:first])
                self.rows[first:] = [_row(self.bus.at(place)) for place in range(first, len(self.bus))]
            case Recorded(event):
                self.events.append(event)
            case _:
                pass


def _row(message: Message) -> tuple[str, list[str]]:
    return message.id, [part.text if hasattr(part, "text") else "" for part in message.parts]


@dataclass
class Model:
    """The tree as plain lists: order of creation, parents, and which child was chosen last."""

    order: list[str] = field(default_factory=list)
    parent: dict[str, str | None] = field(default_factory=dict)
    chosen: dict[str | None, str] = field(default_factory=dict)

    def children(self, of: str | None) -> list[str]:
        return [each for each in self.order if self.parent[each] == of]

    def shown(self, of: str | None) -> str | None:
        children = self.children(of)
        if not children:
            return None
        chosen = self.chosen.get(of)
        return chosen if chosen in children else children[-1]

    def path(self) -> list[str]:
        path: list[str] = []
        step = self.shown(None)
        while step is not None:
            path.append(step)
            step = self.shown(step)
        return path

    def add(self, message_id: str, parent: str | None, *, turns: bool = True) -> None:
        self.order.append(message_id)
        self.parent[message_id] = parent
        if turns:
            self.choose(message_id)

    def choose(self, message_id: str) -> None:
        step: str | None = message_id
        while step is not None:
            self.chosen[self.parent[step]] = step
            step = self.parent[step]

    def insert(self, message_id: str, parent: str | None) -> None:
        shown = self.shown(parent)
        for child in self.children(parent):
            self.parent[child] = message_id
        self.order.append(message_id)
        self.parent[message_id] = parent
        self.chosen.pop(parent, None)
        if shown is not None:
            self.chosen[message_id] = shown
        else:
            self.choose(message_id)

    def remove(self, message_id: str) -> None:
        parent = self.parent[message_id]
        kept = self.shown(parent)
        if kept == message_id:
            kept = self.shown(message_id)
        for child in self.children(message_id):
            self.parent[child] = parent
        self.order.remove(message_id)
        del self.parent[message_id]
        if kept is not None:
            self.chosen[parent] = kept


class BusMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.bus = MessageBus()
        self.mirror = Mirror(self.bus)
        self.model = Model()
        self.live: str | None = None

    def some(self, data: st.DataObject) -> str:
        return data.draw(st.sampled_from(self.model.order))

    @rule(text=TEXTS.filter(str.strip).filter(lambda text: text.isprintable()))
    def say(self, text: str) -> None:
        tip = self.bus.tip
        message = self.bus.add_user_message(text)
        assert message.parent_id == tip
        self.model.add(message.id, tip)

    @precondition(lambda self: self.model.order)
    @rule(data=st.data())
    def say_otherwise(self, data: st.DataObject) -> None:
        parent = self.model.parent[self.some(data)]
        message = self.bus.add_user_message("edited", parent_id=ROOT if parent is None else parent)
        self.model.add(message.id, parent)

    @precondition(lambda self: self.live is None)
    @rule(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        parent = data.draw(st.sampled_from([None, *self.model.order])) if self.model.order else None
        turns, path, at = data.draw(st.booleans()), self.bus.path, ROOT if parent is None else parent
        self.live = self.bus.begin_assistant(provider="p", model="m", parent_id=at, turns=turns)
        self.model.add(self.live, parent, turns=turns or parent is None or parent in path)
        assert self.bus.last_below(self.live) == self.live

    @precondition(lambda self: self.live)
    @rule(text=TEXTS, kind=st.sampled_from(["text", "thinking_text"]))
    def stream(self, text: str, kind: str) -> None:
        self.bus.append_delta(self.live, text, kind)

    @precondition(lambda self: self.live)
    @rule(text=st.sampled_from(["{", '"a"', "}"]))
    def stream_call(self, text: str) -> None:
        self.bus.begin_call(self.live, "0", "id", "tool")
        self.bus.append_arguments(self.live, "0", text)

    @precondition(lambda self: self.live)
    @rule(stopped=st.booleans())
    def finish(self, stopped: bool) -> None:
        assert self.live is not None
        reply = self.bus.abort(self.live) if stopped else self.bus.complete(self.live)
        if reply is None:
            self.model.remove(self.live)
        self.live = None

    @precondition(lambda self: self.live is None and self.model.order)
    @rule(data=st.data())
    def resume(self, data: st.DataObject) -> None:
        message_id = self.some(data)
        if isinstance(self.bus.get(message_id), AssistantMessage):
            self.bus.resume_assistant(message_id)
            self.live = message_id

    @precondition(lambda self: self.model.order)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        message_id = self.some(data)
        self.bus.remove(message_id)
        self.model.remove(message_id)
        if message_id == self.live:
            self.live = None

    @precondition(lambda self: self.model.order and self.live is None)
    @rule(data=st.data())
    def insert(self, data: st.DataObject) -> None:
        parent = self.some(data)
        message = UserMessage(parent_id=parent, parts=(TextPart(text="between"),))
        self.bus.insert(message)
        self.model.insert(message.id, parent)

    @precondition(lambda self: self.model.order)
    @rule(data=st.data())
    def select(self, data: st.DataObject) -> None:
        message_id = self.some(data)
        self.bus.select_branch(message_id)
        self.model.choose(message_id)

    @precondition(lambda self: self.model.order)
    @rule(data=st.data(), pinned=st.booleans(), importance=st.sampled_from([None, 0.1, 1.0]))
    def annotate(self, data: st.DataObject, pinned: bool, importance: float | None) -> None:
        message_id = self.some(data)
        self.bus.annotate(message_id, pinned=pinned, importance=importance)
        assert self.bus.get(message_id).pinned is pinned

    @precondition(lambda self: self.model.order)
    @rule(data=st.data(), pinned=st.booleans())
    def replace(self, data: st.DataObject, pinned: bool) -> None:
        message_id = self.some(data)
        if message_id != self.live:
            changed = {"parts": (TextPart(text="replaced"),), "pinned": pinned}
            self.bus.replace(self.bus.get(message_id).model_copy(update=changed))

    @precondition(lambda self: self.model.order)
    @rule(data=st.data())
    def fail(self, data: st.DataObject) -> None:
        self.bus.record_error(ErrorOccurred(message_id=self.some(data), code="server", text="No."))

    @precondition(lambda self: self.model.order)
    @rule(data=st.data())
    def resolve(self, data: st.DataObject) -> None:
        message_id = self.some(data)
        self.bus.resolve_error(message_id)
        assert self.bus.error_of(message_id) is None

    @rule(key=st.sampled_from(["title", "folder", "of_a_newer_version"]), value=st.sampled_from(["", "a", "b"]))
    def set(self, key: str, value: str) -> None:
        self.bus.change_setting(key, value)

    @invariant()
    def the_path_is_the_models(self) -> None:
        assert list(self.bus.path) == self.model.path()
        assert [self.bus.index_of(each) for each in self.bus.path] == list(range(len(self.bus)))
        assert {each: self.bus.parent_of(each) for each in self.model.order} == self.model.parent
        assert [self.bus.get(each).parent_id for each in self.model.order] == list(self.model.parent.values())

    @invariant()
    def the_mirror_shows_the_path(self) -> None:
        shown = [_row(message) for message in self.bus.messages()]
        if self.live is not None and self.bus.index_of(self.live) is not None:
            place = self.bus.index_of(self.live)
            assert place is not None
            del shown[place]
            rows = [row for row in self.mirror.rows if row[0] != self.live]
            assert rows == shown
            assert len(self.mirror.rows) == len(rows) + 1
            mirrored, kept = "".join(self.mirror.rows[place][1]), "".join(_row(self.bus.at(place))[1])
            assert self.bus.at(place).tool_calls or mirrored == kept
        else:
            assert self.mirror.rows == shown

    @precondition(lambda self: self.live is None)
    @invariant()
    def a_restart_brings_the_same_back(self) -> None:
        again = MessageBus()
        again.load(history_of(self.mirror.events))
        assert again.path == self.bus.path
        assert {m.id: m for m in again.tree()} == {m.id: m for m in self.bus.tree()}
        assert again.settings == self.bus.settings
        errors = [(again.error_of(each), self.bus.error_of(each)) for each in self.model.order]
        assert all(one == other for one, other in errors)


TestBusAgainstAModel = BusMachine.TestCase
TestBusAgainstAModel.settings = settings(max_examples=120, stateful_step_count=30, deadline=None)
