"""The tool with which the model asks the person something, and waits for the answer."""

from __future__ import annotations

from typing import Protocol

from pydantic import Field

from sam_py.tools.base import Arguments, BuiltinTool, Running, ToolError, ToolOutput
from sam_py.tools.questions import PersonQuestion

_PATIENCE_S = 7 * 24 * 3600.0
"""A person may be away over the weekend; Stop ends it at once."""
_LONGEST_CHOICE = 300


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
        description="Answers to choose from, where there are a few, each in a few words.",
    )
    several: bool = Field(default=False, description="Whether more than one of the choices may be chosen.")
    own_words: bool = Field(default=True, description="Whether the person may answer in other words than the choices.")


class AskPersonTool(BuiltinTool[Ask]):
    name = "ask_person"
    label = "Question"
    icon = "chat"
    description = (
        "Ask the person one question in the middle of your work and wait for the answer. Only when you cannot go on "
        "without it, or a wrong guess would cost them something. Otherwise decide yourself and say what you assumed. "
        "Never ask for a password or a key. An answer permits no tool anything: each asks by itself."
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
        if any(len(choice) > _LONGEST_CHOICE for choice in choices):
            raise ToolError(f"Keep each choice below {_LONGEST_CHOICE} characters, and the rest in the question.")
        running.report("Waiting for your answer")
        asked = PersonQuestion(
            running.call_id,
            running.conversation_id,
            question,
            choices,
            several=arguments.several and len(choices) > 1,
            own_words=arguments.own_words or not choices,
        )
        answer = (await self._ask(asked) or "").strip()
        if not answer:
            return ToolOutput("The person closed the question without an answer. Go on without it, or stop here.")
        return ToolOutput(answer, details=(answer.replace("\n", "; "),))
