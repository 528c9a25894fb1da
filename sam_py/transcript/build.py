"""build: a conversation's active path as the turns that a model is shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, assert_never

from sam_py.messages.builder import mend_surrogates
from sam_py.messages.history import ToolStateChanged
from sam_py.messages.message import (
    AssistantMessage,
    DeveloperMessage,
    Message,
    SystemMessage,
    ToolResultMessage,
    UserMessage,
)
from sam_py.messages.parts import FilePart, ImagePart, TextPart, ThinkingSignaturePart, ThinkingTextPart, ToolCallPart
from sam_py.messages.turn import Limits, ToolResultPart, Transcript, Turn, TurnPart
from sam_py.transcript.budget import shortened_message
from sam_py.transcript.documents import DocumentTexts
from sam_py.transcript.pairing import LOST, Pair, pair_calls
from sam_py.transcript.plan import Plan
from sam_py.transcript.shown import Shown, mended, named
from sam_py.transcript.thinking import Asker, without_idle_thinking, without_thinking
from sam_py.transcript.uncollected import uncollected

__all__ = ["BEGINS_LEFT_OUT", "BEGINS_WITHOUT_USER", "BROKE_OFF", "INTERRUPTED", "LOST", "build"]

BEGINS_WITHOUT_USER = "[The conversation begins with the assistant.]"
BEGINS_LEFT_OUT = "[Earlier messages of this conversation are left out here.]"
INTERRUPTED = "[The reply above was interrupted.]"
BROKE_OFF = "[The reply above broke off because of an error.]"

_REMINDER = "<system-reminder>"


def build(
    messages: Sequence[Message],
    ledger: Mapping[str, ToolStateChanged] | None = None,
    reminders: Sequence[str] = (),
    limits: Limits | None = None,
    *,
    system: str = "",
    provider: str = "",
    model: str = "",
    plan: Plan | None = None,
    documents: DocumentTexts | None = None,
) -> Transcript:
    """The transcript of `messages` (in order), valid whatever they are; linear in their number.

    `ledger` says what became of tool calls, `limits` what the model can take: the rest becomes text that
    says what was there. `reminders` open the last turn in which the user wrote. `system` stands before
    what system messages say. `provider` and `model` are asked: they alone get their thinking back. `plan`, made of
    the same messages, says what is left out, shortened, or stood for by a summary; without one all is sent.
    `documents` stand for the files of their hashes.
    """
    with uncollected():
        chosen = messages if plan is None else _shortened(messages, plan)
        shown = Shown(limits or Limits(), {}, documents)
        return _built(chosen, ledger, reminders, shown, system, (provider, model), plan or Plan())


def _shortened(messages: Sequence[Message], plan: Plan) -> Sequence[Message]:
    if not plan.shortened:
        return messages
    kept = plan.shortened
    return [shortened_message(message, kept[message.id]) if message.id in kept else message for message in messages]


def _built(
    messages: Sequence[Message],
    ledger: Mapping[str, ToolStateChanged] | None,
    reminders: Sequence[str],
    shown: Shown,
    system: str,
    asked: tuple[str, str],
    plan: Plan,
) -> Transcript:
    limits = shown.limits
    pairs = pair_calls(messages, ledger)
    asker = Asker(*asked, takes_thinking=limits.thinking)
    building = _Building(limits, asker, iter(pairs.calls), shown)
    shown.notes |= dict.fromkeys(pairs.notes)
    prompts = [system.strip()]
    if plan.dropped:
        building.begins = BEGINS_LEFT_OUT
        building.shown.note(f"{len(plan.dropped)} messages are left out: the model's window is full.")
    if plan.shortened:
        building.shown.note(f"{len(plan.shortened)} long messages are sent as their beginning and end.")
    by_id = {message.id: message for message in messages} if plan.stand_ins else {}
    moved = frozenset(plan.stand_ins.values())
    for message in messages:
        if message.id in plan.stand_ins:
            building.stand_in(by_id[plan.stand_ins[message.id]])
        if message.id in plan.left_out or message.id in moved:
            building.skip(message)
            continue
        match message:
            case AssistantMessage():
                building.reply(message)
            case ToolResultMessage():
                pass  # stands behind its call
            case UserMessage():
                building.said_by_user(building.shown.parts(message.parts))
            case DeveloperMessage():
                building.attach(message)
            case SystemMessage():
                prompts.append(message.text.strip())
            case _:
                assert_never(message)
    building.remind(reminders)
    return Transcript(
        turns=tuple(Turn(draft.role, tuple(draft.parts), draft.provider, draft.model) for draft in building.turns),
        system=mend_surrogates("\n\n".join(prompt for prompt in prompts if prompt)),
        notes=tuple(building.shown.notes),
    )


@dataclass(slots=True)
class _Draft:
    """A turn that may still grow. It begins with `results` parts that answer calls."""

    role: Literal["user", "assistant"]
    parts: list[TurnPart]
    provider: str = ""
    model: str = ""
    results: int = 0


@dataclass(slots=True)
class _Building:
    limits: Limits
    asker: Asker
    pairs: Iterator[Pair | None]
    """What became of each call, in the order in which they come."""
    shown: Shown
    begins: str = BEGINS_WITHOUT_USER
    turns: list[_Draft] = field(default_factory=list)
    due: list[TurnPart] = field(default_factory=list)
    """What the next user turn begins with: marks and pictures of the reply before it."""
    addressed: _Draft | None = None
    """The turn of the last message of the user or of a tool: developer messages join it."""
    written: _Draft | None = None
    """The last turn in which the user wrote: reminders open it."""

    def said_by_user(self, parts: list[TurnPart]) -> None:
        if parts:
            self.addressed = self.written = self._open_user(parts)

    def attach(self, message: DeveloperMessage) -> None:
        """To the turn of the user's or tool's message before it; where there is none, it is the user's message."""
        parts = self.shown.parts(message.parts)
        wrapped = [TextPart(text=_wrapped(part.text)) if isinstance(part, TextPart) else part for part in parts]
        if self.addressed is not None:
            self.addressed.parts.extend(wrapped)
        elif wrapped:
            self.addressed = self._open_user(wrapped)

    def stand_in(self, summary: Message) -> None:
        """What covers the messages that stood here; the user tells it."""
        parts = self.shown.parts(part for part in summary.parts if isinstance(part, TextPart))
        if parts:
            told = [TextPart(text=_wrapped(part.text)) for part in parts if isinstance(part, TextPart)]
            self.addressed = self._open_user(list(told))

    def skip(self, message: Message) -> None:
        """`message` is not sent; if it is a reply, neither are the results of its calls."""
        if isinstance(message, AssistantMessage):
            for part in message.parts:
                if type(part) is ToolCallPart:
                    next(self.pairs)

    def reply(self, message: AssistantMessage) -> None:
        keeps_pictures = self.limits.own_pictures and self.asker.is_author(message.provider, message.model)
        thinks = False
        said: list[TurnPart] = []
        results: list[TurnPart] = []
        pictures: list[TurnPart] = []
        for part in message.parts:
            kind = type(part)
            if kind is ToolCallPart:
                pair = next(self.pairs)
                if pair is not None:
                    said.append(pair.call if self.limits.tools else self._call_as_text(pair.call))
                    results.append(self._result(pair))
            elif kind is ThinkingTextPart or kind is ThinkingSignaturePart:
                thinks = True
                said.append(part)
            elif isinstance(part, TextPart):
                if part.text.strip():
                    said.append(mended(part))
            elif isinstance(part, ImagePart) and not keeps_pictures:
                said.append(named("picture made by the assistant", part.alt))
                if self.limits.images:  # few APIs take pictures in a reply: the user shows it to the model
                    pictures += self.shown.parts((part,))
                else:
                    self.shown.note("A picture in a reply is sent as text: this model takes no pictures.")
            else:
                said += self.shown.parts((part,))
        if thinks:
            said = self._own_thinking(said, message)
        if said:
            self._open_assistant(said, message)
            self.due += pictures
            if message.stop_reason == "aborted":
                self.due.append(TextPart(text=INTERRUPTED))
            elif message.stop_reason == "error":
                self.due.append(TextPart(text=BROKE_OFF))
        if results:  # the reply stands directly before: nothing is due between a call and its result
            self.addressed = _Draft("user", results, results=len(results))
            self.turns.append(self.addressed)

    def _own_thinking(self, said: list[TurnPart], message: AssistantMessage) -> list[TurnPart]:
        kept, why = self.asker.sent(said, message)
        if why:
            self.shown.note(why)
        return without_idle_thinking(kept)

    def remind(self, reminders: Sequence[str]) -> None:
        """Open the last turn in which the user wrote with `reminders`; what answers calls stays in front."""
        if self.due and self.turns and self.turns[-1].role == "user":
            self.turns[-1].parts.extend(self.due)
        draft = self.written or next((turn for turn in reversed(self.turns) if turn.role == "user"), None)
        texts = [TextPart(text=_wrapped(mend_surrogates(text))) for text in reminders if text.strip()]
        if draft is not None:
            draft.parts[draft.results : draft.results] = texts

    def _open_user(self, parts: list[TurnPart]) -> _Draft:
        """The user's turn at the end, opened if the assistant spoke last, with what was due and `parts` added."""
        parts, self.due = [*self.due, *parts], []
        if self.turns and self.turns[-1].role == "user":
            self.turns[-1].parts.extend(parts)
        else:
            self.turns.append(_Draft("user", parts))
        return self.turns[-1]

    def _open_assistant(self, parts: list[TurnPart], message: AssistantMessage) -> None:
        if not self.turns:
            self.turns.append(_Draft("user", [TextPart(text=self.begins)]))
        last = self.turns[-1]
        provider, model = message.provider, message.model
        if last.role != "assistant":
            self.turns.append(_Draft("assistant", parts, provider, model))
            return
        if (last.provider, last.model) != (provider, model):
            # A turn has one author: thinking of two would be sent back to the wrong one.
            last.parts = without_thinking(last.parts)
            parts = without_thinking(parts)
            last.provider = last.model = ""
        last.parts.extend(parts)

    def _call_as_text(self, call: ToolCallPart) -> TextPart:
        self.shown.note("Tool calls are sent as text: this model takes no tools.")
        return TextPart(text=mend_surrogates(f"[called the tool {call.tool_name} with {call.arguments_json or '{}'}]"))

    def _result(self, pair: Pair) -> TurnPart:
        call, result, status = pair.call, pair.result, pair.status
        text, kept = pair.text, []
        if result is not None:
            text = mend_surrogates(result.output_text.strip())
            for part in self.shown.parts(result.parts) if result.parts else ():
                if isinstance(part, TextPart):
                    text = f"{text}\n\n{part.text}" if text else part.text
                elif isinstance(part, ImagePart | FilePart):
                    kept.append(part)
        text = text or ("(no output)" if status == "success" else status)
        if not self.limits.tools:
            return TextPart(text=f"[the tool {mend_surrogates(call.tool_name)} returned ({status}): {text}]")
        return ToolResultPart(
            call_id=call.call_id, tool_name=call.tool_name, status=status, text=text, parts=tuple(kept)
        )


def _wrapped(text: str) -> str:
    """`text` between the tags that tell a model what the program says from what the user wrote."""
    text = text.strip()
    return text if text.startswith(_REMINDER) else f"{_REMINDER}\n{text}\n</system-reminder>"
