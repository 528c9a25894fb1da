"""Titles: the first words at once, a better one by the model after the first exchange, the person's own for good."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Coroutine, Iterator
from itertools import islice
from typing import Any

from sam_py.agent.errand import text_of_reply
from sam_py.bus.message_bus import MessageBus
from sam_py.errors import SamError
from sam_py.messages.history import TaskRecorded
from sam_py.messages.message import AssistantMessage, Message, UserMessage
from sam_py.messages.parts import TextPart
from sam_py.messages.turn import Turn
from sam_py.messages.usage import Usage
from sam_py.providers.base import ChatRequest, Provider
from sam_py.settings.model import ChatSettings, ModelChoice

log = logging.getLogger(__name__)

GUIDE = "guide"
"""The provider that is no model: it names no conversation."""
FIRST_WORDS = 50
"""Characters of a title from first words, cut at a word's end."""
LONGEST = 60
"""Characters of a title by a model."""
_BEGINNING = 6
"""Messages within which a conversation is still at its beginning, and a model may name it."""
_LOOKED_AT = 2000
_SHOWN = 1200
_ASK = (
    "Name the conversation below in three to six words, in the language of its first message. "
    "Answer with the name alone: one line, no quotation marks, no full stop, no introduction."
)
_MARKUP = re.compile(r"^\s*(?:```.*|~~~.*|#{1,6}\s+|>\s?|[-*+]\s+(?:\[[ xX]\]\s+)?|\d{1,3}[.)]\s+|\|)", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\[\]\n]{0,200})\]\([^()\n]{0,500}\)")
_EMPHASIS = re.compile(r"(?<!\w)(\*\*|__|\*|_|~~|`+)(?=\S)(.{1,200}?)(?<=\S)\1(?!\w)")
_LEAD = re.compile(r"^(?:title|titel|titre|título|name)\s*[:：]\s*", re.IGNORECASE)
_QUOTES = "\"'“”„‟‘’‚«»‹›「」『』`*_#"


class Titles:
    """The title of one conversation. A model is asked once; what a person wrote is never touched."""

    def __init__(
        self,
        bus: MessageBus,
        provider_of: Callable[[str], Provider],
        spawn: Callable[[Coroutine[Any, Any, None], str], asyncio.Task[None]],
    ) -> None:
        self._bus = bus
        self._provider_of = provider_of
        self._spawn = spawn
        self._asking: asyncio.Task[None] | None = None
        self._has_asked = False

    def take_first_words(self, message: UserMessage) -> None:
        """Name the conversation after its first message, also when that is written anew."""
        bus = self._bus
        if bus.settings.title and bus.settings.title_source != "first_words":
            return
        if any(isinstance(each, UserMessage) for each in self._above(message)):
            return
        if title := title_of(message):
            bus.change_setting("title", title)
            bus.change_setting("title_source", "first_words")

    def ask_model(self, reply: AssistantMessage, choice: ModelChoice, defaults: ChatSettings) -> None:
        """After the first exchange let a model name the conversation, in a task of its own."""
        choice = defaults.title_model or choice
        may = defaults.model_titles and not self._has_asked and choice.provider != GUIDE
        if may and self._bus.settings.title_source == "first_words":
            before = [*islice(self._above(reply), _BEGINNING)]
            if len(before) < _BEGINNING:
                question = next((each.plain_text for each in reversed(before) if isinstance(each, UserMessage)), "")
                self._asking = self._spawn(self._ask(choice, question, reply), "title")

    def stop(self) -> None:
        """A server with one slot should answer the person first; the title is asked for after that reply."""
        if self._asking is not None:
            self._asking.cancel()
            self._asking = None

    def _above(self, message: Message) -> Iterator[Message]:
        """The messages above one, the nearest first, whichever branch is shown."""
        at = message.parent_id
        while at is not None and at in self._bus:
            yield self._bus.get(at)
            at = self._bus.parent_of(at)

    async def _ask(self, choice: ModelChoice, question: str, reply: AssistantMessage) -> None:
        """A title is not worth an error row: failures are logged."""
        bus = self._bus
        try:
            provider = self._provider_of(choice.provider)
            title, usage = await ask_for_title(provider, choice.model, question, reply.text)
        except SamError as error:
            log.info("no title by %s: %s", choice.model, error)
            return
        except Exception:  # the conversation goes on without a title
            log.exception("a title failed in %s", bus.conversation_id)
            return
        self._has_asked = True
        if usage is not None:
            bus.record_task(TaskRecorded(provider=choice.provider, model=choice.model, usage=usage))
        if title and bus.settings.title_source == "first_words":
            bus.change_setting("title", title)
            bus.change_setting("title_source", "model")


def title_from(text: str, longest: int = FIRST_WORDS) -> str:
    """The first words of `text` without markdown, at most `longest` characters, cut at a word's end with "…".

    >>> title_from("## How do I **bake** bread?\\nWith rye.")
    'How do I bake bread?'
    """
    plain = _MARKUP.sub("", text[:_LOOKED_AT])
    plain = _EMPHASIS.sub(r"\2", _LINK.sub(r"\1", plain))
    line = next((" ".join(line.split()) for line in plain.splitlines() if line.strip()), "")
    return _cut(line, longest)


def title_of(message: Message) -> str:
    """The title for a conversation that begins with `message`: its words, else the name of what is attached."""
    title = title_from(message.text)
    if title:
        return title
    for file in message.files:
        return _cut(file.filename, FIRST_WORDS)
    for image in message.images:
        return _cut(image.alt, FIRST_WORDS)
    return title_from(message.plain_text)


def clean_title(answer: str) -> str:
    """A model's answer as a title: one line, no quotation marks, at most `LONGEST` characters, or "" if unusable.

    >>> clean_title('Title: "Baking rye bread."\\n')
    'Baking rye bread'
    """
    answer = re.sub(r"<think>.*?(?:</think>|\Z)", "", answer[:_LOOKED_AT], flags=re.DOTALL)
    line = next((" ".join(line.split()) for line in answer.splitlines() if line.strip(_QUOTES + " ")), "")
    line = _LEAD.sub("", line.strip(_QUOTES + " ")).strip(_QUOTES + " ")
    line = line.rstrip(".。,;:：") if not line.endswith("...") else line[:-3]
    return _cut(line.strip(_QUOTES + " "), LONGEST)


async def ask_for_title(provider: Provider, model: str, question: str, answer: str) -> tuple[str, Usage | None]:
    """Let `model` name the exchange; "" where its answer is no title. Raises what the provider raises."""
    text = f"{_ASK}\n\n<first_message>\n{question[:_SHOWN]}\n</first_message>\n<reply>\n{answer[:_SHOWN]}\n</reply>"
    request = ChatRequest(
        model=model,
        turns=(Turn("user", (TextPart(text=text),)),),
        max_tokens=64,
        limits=provider.limits_of(model),
    )
    said, usage = await text_of_reply(provider, request, most=_LOOKED_AT)
    return clean_title(said), usage


def _cut(line: str, longest: int) -> str:
    if len(line) <= longest:
        return line
    head = line[: longest - 1]
    at_space = head.rfind(" ") if line[longest - 1] != " " else len(head)
    return (head[:at_space] if at_space > longest // 2 else head).rstrip(" ,;:–—-") + "…"
