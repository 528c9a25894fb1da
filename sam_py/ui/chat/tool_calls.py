"""ToolCalls: what the cards of the conversation on screen show of its tool calls, and when that changes."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

from PySide6.QtCore import QCoreApplication, QObject, Signal

from sam_py.bus.deltas import Delta, Inserted, Recorded, Removed, Updated
from sam_py.bus.message_bus import MessageBus
from sam_py.errors import SamError
from sam_py.messages.history import ToolStateChanged
from sam_py.messages.message import AssistantMessage, ToolResultMessage
from sam_py.messages.parts import ToolCallPart
from sam_py.tools.approval import Answer, Question
from sam_py.tools.questions import PersonQuestion
from sam_py.tools.runner import CallStatus
from sam_py.ui.program_tools import ProgramTools
from sam_py.ui.tool_groups import tool_label
from sam_py.ui.widgets.plain import one_line
from sam_py.ui.window_state import Folds

log = logging.getLogger(__name__)

Stage = Literal["writing", "scheduled", "awaiting_approval", "running", "success", "error", "aborted"]
"""As the ledger says it; ``writing``: its arguments still stream."""
_DOING_CHARACTERS = 300


@dataclass(frozen=True, slots=True)
class ShownCall:
    """A call as its card shows it."""

    part: ToolCallPart
    label: str
    icon: str
    doing: str
    stage: Stage
    reason: str = ""
    progress: str = ""
    started_s: float | None = None
    """On the clock of `ToolCalls.now_s`; None unless it runs."""
    duration_s: float | None = None
    result: ToolResultMessage | None = None
    question: Question | None = None
    """Whether it may run."""
    asked: PersonQuestion | None = None
    """What the model wants to hear from the person."""

    @property
    def outcome(self) -> str:
        """What came of it in one line, where that is all that is to be told."""
        details = self.result.details if self.result is not None and self.stage == "success" else ()
        return one_line(details[0][:_DOING_CHARACTERS]) if len(details) == 1 else ""

    @property
    def is_over(self) -> bool:
        return self.stage in ("success", "error", "aborted")


_Key = tuple[str, str]
"""The id of a call and that of its conversation."""


@dataclass(slots=True)
class AnswerDraft:
    """What the person has written and chosen so far; kept while the card is scrolled away."""

    text: str = ""
    chosen: set[str] = field(default_factory=set)


class ToolCalls(QObject):
    """Reads ledger, results, runner and questions of one conversation. O(1) per call, but for imported histories."""

    changed = Signal(str)
    """The id of a call that is to be shown anew."""
    questions_changed = Signal()
    """A question came or went: what is on screen may have moved."""
    whole_requested = Signal(str)
    """The attachment with all of a result's text is to be opened."""
    typed = Signal(str)
    """The person wrote this while a question had the keyboard."""

    def __init__(
        self,
        tools: ProgramTools | None = None,
        clock: Callable[[], float] = time.monotonic,
        folds: Folds | None = None,
    ) -> None:
        super().__init__()
        self.now_s = clock
        self._tools = tools or ProgramTools()
        self._bus: MessageBus | None = None
        self._status_of: Callable[[str], CallStatus | None] = lambda _call_id: None
        self._off: list[Callable[[], None]] = []
        self._asked: frozenset[_Key] = frozenset()
        self.folds = folds or Folds()
        self._drafts: dict[_Key, AnswerDraft] = {}
        self._seen: set[_Key] = set()
        self._tools.questions.subscribe(self._forget_drafts)

    def is_open(self, call: ShownCall) -> bool:
        """Whether the card is open: as the person left it, else where something failed."""
        return self.folds.is_open(call.part.call_id, by_itself=call.stage == "error")

    def set_open(self, call_id: str, opened: bool) -> None:
        """The person opened or closed the card. It stays so, also after a restart."""
        self.folds.set(call_id, opened)

    def attach(self, bus: MessageBus) -> None:
        """Follow another conversation."""
        self.detach()
        self._bus = bus
        self.folds.turn_to(bus.conversation_id)
        self._off = [
            bus.subscribe(self._hear),
            self._tools.approvals.subscribe(self._hear_questions),
            self._tools.questions.subscribe(self._hear_questions),
            self._tools.registry.subscribe(lambda: self.changed.emit("")),
        ]
        self._asked = self._all_asked()
        runner = self._tools.runner_of(bus.conversation_id)
        if runner is not None:
            self._status_of = runner.status_of
            self._off.append(runner.subscribe(lambda status: self.changed.emit(status.call_id)))

    def detach(self) -> None:
        for off in self._off:
            off()
        self._off.clear()
        self._bus = None
        self._status_of = lambda _call_id: None

    def answer(self, call_id: str, answer: Answer) -> bool:
        """What the person chose on the card."""
        return self._tools.approvals.answer(*self._key(call_id), answer)

    def tell(self, call_id: str, words: str | None) -> bool:
        """What the person answered to the model's question; None: they skipped it."""
        return self._tools.questions.answer(*self._key(call_id), words)

    def is_first_sight(self, call_id: str) -> bool:
        """Whether its question was not on screen before: only then may the keyboard come to it by itself."""
        self._seen &= self._all_asked()
        key = self._key(call_id)
        is_first = key not in self._seen
        self._seen.add(key)
        return is_first

    def draft_of(self, call_id: str) -> AnswerDraft:
        """The answer that is being written."""
        return self._drafts.setdefault(self._key(call_id), AnswerDraft())

    def show(self, part: ToolCallPart, message_id: str) -> ShownCall:
        """The call `part` of the reply `message_id` as it is now."""
        label, icon, doing = self._named(part)
        shown = ShownCall(part, label, icon, doing, "aborted")
        bus = self._bus
        if bus is None:
            return shown
        entry, result = bus.ledger.get(part.call_id), self.result_of(part.call_id, message_id)
        if entry is None:
            if result is not None:  # imported: nobody kept a ledger
                return replace(shown, stage=result.status, result=result, duration_s=result.duration_s)
            return replace(shown, stage="writing") if bus.is_streaming(message_id) else shown
        status, key = self._status_of(part.call_id), self._key(part.call_id)
        return replace(
            shown,
            stage=entry.state,
            reason=entry.reason,
            progress=status.progress if status is not None and entry.state == "running" else "",
            started_s=status.started_s if status is not None and entry.state == "running" else None,
            duration_s=result.duration_s if result is not None else None,
            result=result,
            question=self._tools.approvals.question_of(*key) if entry.state == "awaiting_approval" else None,
            asked=self._tools.questions.question_of(*key) if entry.state == "running" else None,
        )

    def result_of(self, call_id: str, message_id: str) -> ToolResultMessage | None:
        """The result of a call of the reply `message_id`: the one that the ledger names, else the next one below."""
        bus = self._bus
        if bus is None:
            return None
        entry = bus.ledger.get(call_id)
        if entry is not None and entry.result_id in bus:
            named = bus.get(entry.result_id)
            if isinstance(named, ToolResultMessage):
                return named
        at = bus.index_of(message_id)
        for index in range(len(bus) if at is None else at + 1, len(bus)):
            if bus.role_at(index) != "tool":
                break
            message = bus.at(index)
            if isinstance(message, ToolResultMessage) and message.call_id == call_id:
                return message
        return None

    def reply_of(self, result: ToolResultMessage) -> str | None:
        """The reply on screen whose card shows `result`; None where it has to be shown by itself."""
        bus = self._bus
        at = bus.index_of(result.id) if bus is not None else None
        if bus is None or at is None:
            return None
        for index in range(at - 1, -1, -1):
            if bus.role_at(index) == "tool":
                continue
            reply = bus.at(index)
            calls = {part.call_id for part in reply.tool_calls} if isinstance(reply, AssistantMessage) else set()
            if result.call_id not in calls:
                return None
            shown = self.result_of(result.call_id, reply.id)
            return reply.id if shown is not None and shown.id == result.id else None
        return None

    def place_of(self, message_id: str) -> str:
        """The message in whose row `message_id` is to be seen: a result is on the card of its call, which is opened."""
        message = self._bus.get(message_id) if self._bus is not None and message_id in self._bus else None
        reply = self.reply_of(message) if isinstance(message, ToolResultMessage) else None
        if reply is None:
            return message_id
        assert isinstance(message, ToolResultMessage)
        self.set_open(message.call_id, True)
        self.changed.emit(message.call_id)
        return reply

    def call_of(self, message_id: str, call_id: str) -> ToolCallPart | None:
        """The call of a finished reply by its id."""
        if self._bus is None or message_id not in self._bus:
            return None
        return next((part for part in self._bus.get(message_id).tool_calls if part.call_id == call_id), None)

    def part_of(self, message_id: str, part_index: int) -> ToolCallPart | None:
        """The call at a place of a reply that streams. O(length of the reply): once for each call."""
        if self._bus is None or message_id not in self._bus:
            return None
        parts = self._bus.get(message_id).parts
        part = parts[part_index] if part_index < len(parts) else None
        return part if isinstance(part, ToolCallPart) else None

    def _named(self, part: ToolCallPart) -> tuple[str, str, str]:
        """Label, icon and what it does: from the call alone, so that no result ever renames a card."""
        tool = self._tools.registry.get(part.tool_name)
        if tool is None:
            name = one_line(part.tool_name) or QCoreApplication.translate("ToolCalls", "A tool")
            return name, "tool", one_line(part.arguments_json[:_DOING_CHARACTERS])
        try:
            doing = tool.doing(tool.parse(part.arguments_json))
        except SamError:  # the arguments do not fit, or are not there yet
            doing = part.arguments_json if part.arguments_json.rstrip().endswith("}") else ""
        except Exception:  # a tool's bug must not take the conversation off the screen
            log.exception("the tool %s cannot say what it does", part.tool_name)
            doing = ""
        return one_line(tool_label(tool.name, tool.label)), tool.icon, one_line(doing[:_DOING_CHARACTERS])

    def _hear(self, delta: Delta) -> None:
        match delta:
            case Recorded(event=ToolStateChanged(call_id=call_id)):
                self.changed.emit(call_id)
            case Inserted(message=ToolResultMessage(call_id=call_id)):
                self.changed.emit(call_id)
            case Updated(message=ToolResultMessage(call_id=call_id)):
                self.changed.emit(call_id)
            case Removed():
                self.changed.emit("")
            case _:
                pass

    def _hear_questions(self) -> None:
        asked = self._all_asked()
        for key in asked ^ self._asked:
            if key == self._key(key[0]):  # of the conversation on screen
                self.changed.emit(key[0])
        if asked != self._asked:
            self._asked = asked
            self.questions_changed.emit()

    def _all_asked(self) -> frozenset[_Key]:
        may_run = {(each.call_id, each.conversation_id) for each in self._tools.approvals.questions}
        return frozenset(may_run | {(each.call_id, each.conversation_id) for each in self._tools.questions.questions})

    def _key(self, call_id: str) -> _Key:
        """The call of the conversation on screen: another one may have a call of the same id."""
        return call_id, self._bus.conversation_id if self._bus is not None else ""

    def _forget_drafts(self) -> None:
        for key in [each for each in self._drafts if self._tools.questions.question_of(*each) is None]:
            del self._drafts[key]
