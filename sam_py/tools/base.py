"""Tool: what every tool says of itself, and what its run takes and gives."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeVar, runtime_checkable

from pydantic import BaseModel, ConfigDict, ValidationError

from sam_py.errors import SamError
from sam_py.messages.parts import Part

Effect = Literal["read", "write", "network", "own network", "run", "spend"]
"""What a call does to the world outside the conversation. `own network`: it reaches this machine or the person's
own network; `run`: it drives another program; `spend`: it costs money."""

NEVER_GRANTED: frozenset[Effect] = frozenset({"own network"})
"""What is asked about each time, whatever was allowed before."""

DEADLINE_S = 60.0


class ToolError(SamError):
    """A tool could not do it. `str()` tells the model, and a person, what was wrong and what would work."""


class BadArguments(ToolError):
    """The arguments of a call are not what the tool takes; the text says which and what instead."""


@dataclass(frozen=True, slots=True)
class Touch:
    """One thing outside the conversation that a call would touch, in the words that a person checks.

    `target` is resolved: the real path, the real address. `free`: the person opened it to tools beforehand
    (reading in the work folder), so that nobody need be asked. `within`: the place that a grant holds for (the
    resolved work folder); empty, it holds wherever the tool reaches.
    """

    effect: Effect
    target: str
    free: bool = False
    within: str = ""

    @property
    def granted(self) -> str:
        """What a grant for it names.

        >>> Touch("write", "/bees/a.txt", within="/bees").granted
        'write:/bees'
        """
        return f"{self.effect}:{self.within}" if self.within else self.effect


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """What a tool gives back: text for the model, pictures and files beside it, lines for the card alone."""

    text: str = ""
    parts: tuple[Part, ...] = ()
    details: tuple[str, ...] = ()
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Running:
    """One run of a tool: whose call it is, and where it says how far it is."""

    call_id: str
    conversation_id: str
    report: Callable[[str], None] = field(default=lambda _text: None, repr=False)


class Tool(Protocol):
    """A thing that the model may ask for. One object serves all conversations and any number of runs."""

    @property
    def name(self) -> str:
        """As the model calls it: letters, digits, ``_`` and ``-``, at most 64."""
        ...

    @property
    def label(self) -> str:
        """As a person reads it."""
        ...

    @property
    def description(self) -> str:
        """For the model."""
        ...

    @property
    def icon(self) -> str: ...

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The JSON schema of the arguments, of type object."""
        ...

    @property
    def parallel_safe(self) -> bool:
        """Whether runs of it do not disturb each other or those of other parallel-safe tools."""
        ...

    @property
    def untrusted(self) -> bool:
        """Whether its output was written by strangers (a web page, another program) and may try to give orders."""
        ...

    @property
    def quotes(self) -> bool:
        """Whether its output repeats what is in the person's files: marked for the model, but no grant ends by it."""
        ...

    @property
    def deadline_s(self) -> float: ...

    @property
    def fingerprint(self) -> str:
        """Changes when the tool becomes another one under the same name; a grant holds for one fingerprint."""
        ...

    def parse(self, arguments_json: str) -> Any:
        """The arguments for `doing`, `touches` and `run`. Raises `BadArguments`."""
        ...

    def doing(self, arguments: Any) -> str:
        """What a run with these would do, in one line for a person."""
        ...

    def touches(self, arguments: Any) -> tuple[Touch, ...]:
        """What a run with these would touch; nothing where it stays inside the conversation. Raises `ToolError`."""
        ...

    async def run(self, arguments: Any, running: Running) -> ToolOutput:
        """Do it. Raises `ToolError`. Cancelled, it leaves nothing half done that it could avoid."""
        ...


@runtime_checkable
class ConversationTool(Protocol):
    """A tool that touches other things in each conversation: a work folder, for one."""

    def in_conversation(self, conversation_id: str) -> Tool:
        """The tool as it acts there."""
        ...


def bound_to(tool: Tool, conversation_id: str) -> Tool:
    """`tool` as it acts in that conversation; most are the same in all of them."""
    return tool.in_conversation(conversation_id) if isinstance(tool, ConversationTool) else tool


class Arguments(BaseModel):
    """Arguments of a tool of ours: unknown ones are refused, so that a model learns of its mistake."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


A = TypeVar("A", bound=Arguments)


class BuiltinTool(ABC, Generic[A]):
    """A tool of ours: its arguments are a pydantic model, out of which the schema comes."""

    name: ClassVar[str]
    label: ClassVar[str]
    description: ClassVar[str]
    icon: ClassVar[str] = "code"
    parallel_safe: ClassVar[bool] = True
    untrusted: ClassVar[bool] = False
    quotes: ClassVar[bool] = False
    deadline_s: ClassVar[float] = DEADLINE_S
    takes: type[A]

    @property
    def parameters(self) -> Mapping[str, Any]:
        return schema_of(self.takes)

    @property
    def fingerprint(self) -> str:
        return "builtin"

    def parse(self, arguments_json: str) -> A:
        return parsed(self.takes, arguments_json)

    @abstractmethod
    def doing(self, arguments: A) -> str: ...

    def touches(self, arguments: A) -> tuple[Touch, ...]:
        return ()

    @abstractmethod
    async def run(self, arguments: A, running: Running) -> ToolOutput: ...


def parsed(takes: type[A], arguments_json: str) -> A:
    """The arguments in `arguments_json` (empty counts as none). Raises `BadArguments`, worded for a model."""
    try:
        value = json.loads(arguments_json) if arguments_json.strip() else {}
    except (ValueError, RecursionError) as error:
        raise BadArguments(f"The arguments are not valid JSON ({error}). Send one JSON object.") from error
    if value is None:
        value = {}
    if not isinstance(value, dict):
        raise BadArguments("The arguments must be one JSON object.")
    try:
        return takes.model_validate(value)
    except ValidationError as error:
        raise BadArguments(_explained(error, takes)) from error


@cache
def schema_of(takes: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of `takes` as models are shown it: of type object, without pydantic's titles.

    Made once (it takes half a millisecond, before each request, for each tool), and not to be changed.

    >>> class Sum(Arguments):
    ...     a: int
    >>> schema_of(Sum)["properties"]
    {'a': {'type': 'integer'}}
    """
    schema: dict[str, Any] = _untitled(takes.model_json_schema())
    schema.setdefault("properties", {})
    return schema


def _untitled(value: Any) -> Any:
    if isinstance(value, list):
        return [_untitled(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        # A property may be called "title"; what pydantic adds under that name is text.
        name: _untitled(item)
        for name, item in value.items()
        if not (name == "title" and isinstance(item, str))
    }


def _explained(error: ValidationError, takes: type[BaseModel]) -> str:
    wrong = []
    for each in error.errors(include_url=False, include_context=False, include_input=False)[:8]:
        place = ".".join(str(step) for step in each["loc"]) or "the arguments"
        wrong.append(f"{place}: {each['msg']}")
    known = ", ".join(takes.model_fields) or "none"
    return f"The arguments do not fit. {'; '.join(wrong)}. This tool takes: {known}."
