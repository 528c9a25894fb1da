"""The tool with which the model asks the person something, and waits for the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from pydantic import Field

from sam_py.tools.base import Arguments, BuiltinTool, Running, ToolError, ToolOutput

_PATIENCE_S = 7 * 24 * 3600.0
"""A person may be away over the weekend; Stop ends it at once."""


@dataclass(frozen=True, slots=True)
class PersonQuestion:
    """What the window shows. The answer may be one of `choices` or other words."""

    call_id: str
    conversation_id: str
    question: str
    choices: tuple[str, ...] = ()


class AskPerson(Protocol):
    """Shows the question and waits. Cancelled, the question is withdrawn."""

    async def __call__(self, question: PersonQuestion, /) -> str | None:
        """The person's words; None or "" where they closed the question without an answer."""
        ...


class Ask(Arguments):
    question: str = Field(min_length=1, max_length=1_000, description="One question, short and plain.")
    choices: tuple[str, ...] = Field(
        default=(),
        max_length=8,
        description="Answers to choose from, where there are a few; the person may write another.",
    )


class AskPersonTool(BuiltinTool[Ask]):
    name = "ask_person"
    label = "Question"
    icon = "chat"
    description = (
        "Ask the person one question in the middle of your work and wait for the answer. Only when you cannot go on "
        "without it, or a wrong guess would cost them something. Otherwise decide yourself and say what you assumed."
    )
    takes = Ask
    parallel_safe = False
    deadline_s = _PATIENCE_S

    def __init__(self, ask: AskPerson) -> None:
        self._ask = ask

    def doing(self, arguments: Ask) -> str:
        return arguments.question

    async def run(self, arguments: Ask, running: Running) -> ToolOutput:
        choices = tuple(dict.fromkeys(choice.strip() for choice in arguments.choices if choice.strip()))
        question = arguments.question.strip()
        if not question:
            raise ToolError("Give the question.")
        running.report("Waiting for your answer")
        answer = await self._ask(PersonQuestion(running.call_id, running.conversation_id, question, choices))
        answer = (answer or "").strip()
        if not answer:
            return ToolOutput("The person closed the question without an answer. Go on without it, or stop here.")
        return ToolOutput(answer, details=(answer,))
