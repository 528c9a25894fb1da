"""build: a conversation's active path as the turns that a model is shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, assert_never

from sam_py.messages.message import (
    AssistantMessage,
    DeveloperMessage,
    Message,
    SystemMessage,
    ToolResultMessage,
    ToolStatus,
    UserMessage,
)
from sam_py.messages.parts import (
    CodePart,
    FilePart,
    ImagePart,
    Part,
    TextPart,
    ThinkingSignaturePart,
    ThinkingTextPart,
    ToolCallPart,
    UnknownPart,
)
from sam_py.messages.turn import Limits, ToolResultPart, Transcript, Turn, TurnPart
from sam_py.transcript.attached import is_text_file
from sam_py.transcript.pairing import Pair, Pairs, pair_calls

LOST = "No result of this call was recorded."
BEGINS_WITHOUT_USER = "[The conversation begins with the assistant.]"
INTERRUPTED = "[The reply above was interrupted.]"
BROKE_OFF = "[The reply above broke off because of an error.]"

_Thinking = ThinkingTextPart | ThinkingSignaturePart


def build(messages: Sequence[Message], *, system: str = "", limits: Limits | None = None) -> Transcript:
    """The transcript of `messages` (in order), valid whatever they are; linear in their number.

    `system` stands before what system messages say. `limits` are the model's; what it cannot take
    becomes text that says what was there.
    """
    limits = limits or Limits()
    pairs = pair_calls(messages)
    building = _Building(limits, pairs, dict.fromkeys(pairs.notes))
    prompts = [system.strip()]
    for index, message in enumerate(messages):
        match message:
            case SystemMessage():
                prompts.append(message.text.strip())
            case UserMessage():
                building.say("user", building.shown(message.parts))
            case DeveloperMessage():
                building.attach(message)
            case AssistantMessage():
                building.reply(index, message)
            case ToolResultMessage():
                pass  # stands behind its call
            case _:
                assert_never(message)
    return Transcript(
        turns=building.finished(),
        system="\n\n".join(prompt for prompt in prompts if prompt),
        notes=tuple(building.notes),
    )


@dataclass(slots=True)
class _Draft:
    """A turn that may still grow."""

    role: Literal["user", "assistant"]
    parts: list[TurnPart]
    provider: str = ""
    model: str = ""


@dataclass(slots=True)
class _Building:
    limits: Limits
    pairs: Pairs
    notes: dict[str, None]
    turns: list[_Draft] = field(default_factory=list)
    due: list[TurnPart] = field(default_factory=list)
    """What the next user turn begins with: marks and pictures of the reply before it."""

    def say(
        self, role: Literal["user", "assistant"], parts: list[TurnPart], provider: str = "", model: str = ""
    ) -> None:
        """Add to the turn that is open if it is this side's, else open one. Nothing empty opens a turn."""
        if not parts:
            return
        if role == "user":
            parts, self.due = [*self.due, *parts], []
        elif not self.turns:
            self.turns.append(_Draft("user", [TextPart(text=BEGINS_WITHOUT_USER)]))
        last = self.turns[-1] if self.turns else None
        if last is None or last.role != role:
            self.turns.append(_Draft(role, parts, provider, model))
            return
        if role == "assistant" and (last.provider, last.model) != (provider, model):
            # A turn has one author: thinking of two would be sent back to the wrong one.
            last.parts = [part for part in last.parts if not isinstance(part, _Thinking)]
            parts = [part for part in parts if not isinstance(part, _Thinking)]
            last.provider, last.model = (provider, model) if not last.parts else ("", "")
        last.parts.extend(parts)

    def attach(self, message: DeveloperMessage) -> None:
        """To the user's turn before it (results are one), otherwise it opens the next."""
        shown = self.shown(message.parts)
        wrapped: list[TurnPart] = [
            TextPart(text=f"<system-reminder>\n{part.text}\n</system-reminder>") if isinstance(part, TextPart) else part
            for part in shown
        ]
        self.say("user", wrapped)

    def reply(self, index: int, message: AssistantMessage) -> None:
        calls = iter(self.pairs.calls.get(index, ()))
        said: list[TurnPart] = []
        results: list[TurnPart] = []
        pictures: list[TurnPart] = []
        for part in message.parts:
            match part:
                case ToolCallPart():
                    pair = next(calls)
                    if pair is None:
                        continue
                    said.append(pair.call if self.limits.tools else self._call_as_text(pair.call))
                    results.append(self._result(pair))
                case ThinkingTextPart() | ThinkingSignaturePart():
                    if self.limits.thinking:
                        said.append(part)
                    else:
                        self._note("The thinking of earlier replies is not sent: this model does not take it.")
                case ImagePart():
                    said.append(TextPart(text=_named("picture made by the assistant", part.alt)))
                    if self.limits.images:  # no API takes pictures in a reply: the user shows it to the model
                        pictures.append(part)
                    else:
                        self._note("A picture in a reply is sent as text: this model takes no pictures.")
                case _:
                    said.extend(self.shown((part,)))
        while said and isinstance(said[-1], _Thinking):
            said.pop()  # thinking that led to nothing is not accepted at the end of a turn
        if said:
            self.say("assistant", said, message.provider, message.model)
            self.due.extend(pictures)
            if message.stop_reason == "aborted":
                self.due.append(TextPart(text=INTERRUPTED))
            elif message.stop_reason == "error":
                self.due.append(TextPart(text=BROKE_OFF))
        if results:
            due, self.due = self.due, []  # results come first in their turn
            self.say("user", results)
            self.due = due

    def shown(self, parts: Iterable[Part]) -> list[TurnPart]:
        """`parts` as this model takes them: nothing empty, nothing that it cannot read."""
        shown: list[TurnPart] = []
        for part in parts:
            match part:
                case TextPart(text=text):
                    if text.strip():
                        shown.append(part)
                case CodePart():
                    if part.code.strip():
                        shown.append(TextPart(text=_fenced(part)))
                case ImagePart():
                    shown.append(self._image(part))
                case FilePart():
                    shown.append(self._file(part))
                case UnknownPart():
                    self._note(f"A part of the kind {part.kind!r} is of a newer version and is not sent.")
                    shown.append(TextPart(text=f"[content of the kind {part.kind!r}, which cannot be sent]"))
                case ThinkingTextPart() | ThinkingSignaturePart() | ToolCallPart():
                    raise ValueError(f"a {part.kind} part belongs in a reply")
                case _:
                    assert_never(part)
        return shown

    def finished(self) -> tuple[Turn, ...]:
        if self.due and self.turns and self.turns[-1].role == "user":
            self.turns[-1].parts.extend(self.due)
        return tuple(Turn(draft.role, tuple(draft.parts), draft.provider, draft.model) for draft in self.turns)

    def _image(self, part: ImagePart) -> TurnPart:
        if self.limits.images and (part.attachment or part.url):
            return part
        self._note("A picture is sent as text: this model takes no pictures.")
        return TextPart(text=_named("picture", part.alt))

    def _file(self, part: FilePart) -> TurnPart:
        if is_text_file(part) or (part.mime_type == "application/pdf" and self.limits.pdfs):
            return part
        self._note(f"The file {part.filename} is sent as its name alone: this model does not take such files.")
        return TextPart(
            text=f"[file: {part.filename}, {part.mime_type}, {part.size} bytes; its content is not readable here]"
        )

    def _call_as_text(self, call: ToolCallPart) -> TextPart:
        self._note("Tool calls are sent as text: this model takes no tools.")
        return TextPart(text=f"[called the tool {call.tool_name} with {call.arguments_json or '{}'}]")

    def _result(self, pair: Pair) -> TurnPart:
        call, result = pair.call, pair.result
        status: ToolStatus = "error" if result is None else result.status
        text = LOST if result is None else result.output_text.strip()
        shown = self.shown(result.parts) if result is not None and result.parts else []
        for part in shown:
            if isinstance(part, TextPart):
                text = f"{text}\n\n{part.text}" if text else part.text
        text = text or ("(no output)" if status == "success" else status)
        if not self.limits.tools:
            return TextPart(text=f"[the tool {call.tool_name} returned ({status}): {text}]")
        return ToolResultPart(
            call_id=call.call_id,
            tool_name=call.tool_name,
            status=status,
            text=text,
            parts=tuple(part for part in shown if isinstance(part, ImagePart | FilePart)),
        )

    def _note(self, note: str) -> None:
        self.notes[note] = None


def _named(what: str, name: str) -> str:
    return f"[{what}: {name}]" if name else f"[{what}]"


def _fenced(part: CodePart) -> str:
    """The code in a fence that is longer than any in it, its file name above."""
    fence = "```"
    while fence in part.code:
        fence += "`"
    name = f"{part.filename}\n" if part.filename else ""
    return f"{name}{fence}{part.language}\n{part.code}\n{fence}"
