"""Mini prompts: short instructions of the person, kept in one file and switched on for each conversation."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from sam_py.bus.reader import ConversationReader
from sam_py.errors import SamError
from sam_py.messages.builder import mend_surrogates
from sam_py.messages.message import Message, new_id
from sam_py.messages.parts import Frozen
from sam_py.reminders.wording import plain, tagged
from sam_py.store.disk import Disk, replace_durably
from sam_py.store.errors import cannot_write
from sam_py.store.writer import Writer

log = logging.getLogger(__name__)

TAG = "miniPromptReminder"
NAME_MOST = 80
TEXT_MOST = 8_000
"""Characters. A mini prompt goes with every request: a longer text belongs into a document or the instructions."""
_OPENING = "The person you talk with has given these standing instructions. They hold for your next reply:"
_CLOSING = "Where one of them and an earlier habit of this conversation differ, the instruction counts."


class MiniPrompt(Frozen):
    """One instruction. `conversations` None: it can be switched on everywhere; else in these alone."""

    id: str = Field(default_factory=new_id)
    name: str
    text: str
    order: int = 0
    conversations: tuple[str, ...] | None = None

    def is_for(self, conversation_id: str) -> bool:
        return self.conversations is None or conversation_id in self.conversations


class MiniPrompts:
    """All mini prompts, in their order. Changed in memory at once; `save` waits until the file has it.

    Invariants: what is in the file and was not understood is written back; before each write the last good
    file becomes the backup. All on the loop's thread, but for the writing. Without a path nothing is kept.
    """

    def __init__(self, path: Path | None = None, *, disk: Disk | None = None) -> None:
        self.path = path
        self.problem = ""
        """What was wrong with the file when it was read, for a person."""
        self._disk = disk or Disk()
        self._writer = Writer("sam-mini-prompts")
        self._listeners: list[Callable[[], None]] = []
        self._strange: list[Any] = []
        self._good: bytes | None = None
        self._prompts = self._load(path) if path is not None else []
        self._saved = self._encoded()

    def all(self) -> tuple[MiniPrompt, ...]:
        return tuple(self._prompts)

    def available_in(self, conversation: ConversationReader) -> tuple[MiniPrompt, ...]:
        """Those of `conversation`; a copy of a conversation has those of the one that it was made from, too."""
        source = conversation.settings.duplicate_of
        ids = (conversation.conversation_id, *((source,) if source else ()))
        return tuple(prompt for prompt in self._prompts if any(map(prompt.is_for, ids)))

    def enabled(self, conversation: ConversationReader) -> tuple[MiniPrompt, ...]:
        """Those that are switched on in `conversation`: its setting `mini_prompts` holds their ids."""
        chosen = set(conversation.settings.mini_prompts)
        return tuple(prompt for prompt in self.available_in(conversation) if prompt.id in chosen)

    def get(self, prompt_id: str) -> MiniPrompt | None:
        return next((prompt for prompt in self._prompts if prompt.id == prompt_id), None)

    def reminder(self, conversation: ConversationReader, _messages: Sequence[Message]) -> str:
        """What requests of `conversation` remind of."""
        return mini_prompt_reminder(prompt.text for prompt in self.enabled(conversation))

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` after each change; returns the function that ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def put(self, prompt: MiniPrompt, place: int | None = None) -> None:
        """Replace the prompt with the same id, or add `prompt` at `place` (without one, at the end).

        Raises SamError where it says nothing, or too much.
        """
        prompt = _checked(prompt)
        if self.get(prompt.id) is not None:
            self._change(prompt if each.id == prompt.id else each for each in self._prompts)
        else:
            place = len(self._prompts) if place is None else place
            self._change([*self._prompts[:place], prompt, *self._prompts[place:]])

    def remove(self, prompt_id: str) -> None:
        self._change([prompt for prompt in self._prompts if prompt.id != prompt_id])

    def rearrange(self, ids: Sequence[str]) -> None:
        """Deal the places that those named hold together out to them in this order; no other prompt moves."""
        known = {prompt.id: prompt for prompt in self._prompts}
        wanted = list(dict.fromkeys(prompt_id for prompt_id in ids if prompt_id in known))
        turns = iter(wanted)
        moving = set(wanted)
        self._change([known[next(turns)] if prompt.id in moving else prompt for prompt in self._prompts])

    async def save(self) -> None:
        """Make the last change durable. Raises StorageError; the prompts stay in memory then."""
        data, path = self._encoded(), self.path
        if data == self._saved or path is None:
            return
        try:
            await asyncio.shield(self._writer.run(lambda: self._write(path, data)))
        except OSError as error:
            raise cannot_write(error, path.parent) from error
        self._saved = data

    async def aclose(self) -> None:
        """Save, then end the thread that writes."""
        try:
            await self.save()
        finally:
            await self._writer.aclose()

    def _change(self, prompts: Iterable[MiniPrompt]) -> None:
        changed = [prompt.model_copy(update={"order": place}) for place, prompt in enumerate(prompts)]
        if changed == self._prompts:
            return
        self._prompts = changed
        for listener in tuple(self._listeners):
            listener()

    def _encoded(self) -> bytes:
        prompts = [prompt.model_dump(mode="json") for prompt in self._prompts]
        value = {"version": 1, "mini_prompts": [*prompts, *self._strange]}
        return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()

    def _write(self, path: Path, data: bytes) -> None:
        if self._good is not None:
            replace_durably(self._disk, str(backup_of(path)), self._good)
        replace_durably(self._disk, str(path), data)
        self._good = data

    def _load(self, file: Path) -> list[MiniPrompt]:
        for path in (file, backup_of(file)):
            try:
                data = self._disk.read(str(path))
                entries = json.loads(data)["mini_prompts"]
                prompts = self._parsed(entries)
            except FileNotFoundError:
                continue
            except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
                log.warning("the mini prompts in %s cannot be read: %s", path, error)
                self.problem = f"The mini prompts in {path} could not be read; those of the backup are in use."
                if path == file:
                    self._keep_aside(file)
                continue
            self._good = data
            return prompts
        return []

    def _parsed(self, entries: list[Any]) -> list[MiniPrompt]:
        """The prompts among `entries`; what is none (of a newer version, perhaps) is kept as it is."""
        prompts: list[MiniPrompt] = []
        taken: set[str] = set()
        for entry in entries:
            try:
                prompt = MiniPrompt.model_validate(entry)
            except ValidationError:
                self._strange.append(entry)
                continue
            if prompt.id in taken:  # copied by hand
                prompt = prompt.model_copy(update={"id": new_id()})
            taken.add(prompt.id)
            prompts.append(prompt)
        return sorted(prompts, key=lambda prompt: prompt.order)

    def _keep_aside(self, file: Path) -> None:
        """Move a file that was not understood out of the way of the next write."""
        aside = file.with_name(f"{file.name}.damaged")
        try:
            self._disk.rename(str(file), str(aside))
        except OSError as error:
            log.warning("%s cannot be kept as %s: %s", file, aside, error)


def switched(ids: Sequence[str], prompt_id: str, on: bool) -> list[str]:
    """The setting `mini_prompts` with one prompt switched on or off.

    Ids that nobody knows stay: the prompt may come back, by an undo or from another computer.

    >>> switched(["a", "gone"], "b", True), switched(["a", "b"], "a", False)
    (['a', 'gone', 'b'], ['b'])
    """
    kept = [each for each in dict.fromkeys(ids) if each != prompt_id or on]
    return [*kept, prompt_id] if on and prompt_id not in kept else kept


def _checked(prompt: MiniPrompt) -> MiniPrompt:
    """`prompt` as it can be kept and sent. Raises SamError."""
    name, text = mend_surrogates(prompt.name.strip()), mend_surrogates(prompt.text.strip())
    if not name or not text:
        raise SamError("A mini prompt needs a name and a text. Enter both.")
    for what, value, most in (("name", name, NAME_MOST), ("text", text, TEXT_MOST)):
        if len(value) > most:
            raise SamError(
                f"The {what} of the mini prompt has {len(value):,} characters; at most {most:,} fit. Shorten it."
            )
    return prompt.model_copy(update={"name": name, "text": text})


def backup_of(path: Path) -> Path:
    """Where the last good content of the file is."""
    return path.with_name(path.name + ".bak")


def mini_prompt_reminder(texts: Iterable[str]) -> str:
    """The reminder for the enabled `texts`, in their order; "" where there are none."""
    kept = [text for each in texts if (text := plain(each).strip())]
    return tagged(TAG, "\n\n".join([_OPENING, *kept, _CLOSING])) if kept else ""
