"""The real program, used at random by keys and calls, with a diary of what was done: ``… driven SEED DIARY``.

Each line of the diary is written before the program could have kept it, with the time of the machine's steady clock.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
import time
from typing import Any

from PySide6.QtTest import QTest

from sam_py import app
from sam_py.agent.state import SessionState
from sam_py.messages.message import ToolResultMessage
from sam_py.tools.approval import ANSWERS
from sam_py.ui.main_window import MainWindow
from sam_py.ui.open_conversations import OpenConversation
from tests.reliability.stop_tools import Ended, SlowTool

TOOLS = tuple(f"slow_{number}" for number in range(6))
"""What the models of the tests call."""


class Diary:
    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def note(self, what: str, **more: Any) -> None:
        os.write(self._file, json.dumps({"what": what, "at_s": time.monotonic(), **more}).encode() + b"\n")


class Hand:
    """Does one random thing after the other, as fast as a person never would."""

    def __init__(self, window: MainWindow, diary: Diary, seed: int) -> None:
        self.window = window
        self.diary = diary
        self.random = random.Random(seed)
        self.seed = seed
        self.count = 0

    async def go_on(self) -> None:
        composer = self.window.chat.composer
        composer.draft_changed.connect(self._drafted)
        acts = (
            *(self.type, self.send, self.stop, self.edit, self.again, self.remove, self.switch, self.delete, self.pin),
            self.answer,
        )
        weights = (40, 22, 4, 6, 4, 3, 8, 1, 4, 12)
        while True:
            (act,) = self.random.choices(acts, weights)
            if act in (self.stop, self.send, self.again):  # these end a reply, with what of it was not read yet
                self.diary.note("ends")
            act()
            await asyncio.sleep(self.random.choice((0.0, 0.01, 0.05, 0.15)))

    def _drafted(self, draft: Any) -> None:
        edit = draft.edit.text if draft.edit is not None else ""
        self.diary.note("draft", of=self._shown.id, text=draft.text, edit=edit)

    @property
    def _shown(self) -> OpenConversation:
        assert self.window.chat.conversation is not None
        return self.window.chat.conversation

    def type(self) -> None:
        self.count += 1
        QTest.keyClicks(self.window.chat.composer.text, f"u{self.seed}x{self.count} ")

    def send(self) -> None:
        self.window.chat.composer.send()

    def stop(self) -> None:
        self.window.chat.stop()

    def edit(self) -> None:
        if not self.window.chat.composer.is_editing:
            self.window.chat.edit_last()

    def again(self) -> None:
        self.window.chat.act_on_last_reply(self.random.choice(("regenerate", "continue")))

    def remove(self) -> None:
        bus = self._shown.bus
        if len(bus):
            message = bus.at(self.random.randrange(len(bus)))
            text = message.output_text if isinstance(message, ToolResultMessage) else message.text
            self.diary.note("removed", id=message.id, words=text.split())
            self._shown.session.remove(message.id)

    def pin(self) -> None:
        bus = self._shown.bus
        if len(bus):
            message_id = bus.id_at(self.random.randrange(len(bus)))
            if not bus.is_streaming(message_id):
                bus.annotate(message_id, pinned=not bus.get(message_id).pinned)

    def answer(self) -> None:
        """Say of a tool that asks whether it may run."""
        approvals = self.window._services.tools.approvals
        for question in approvals.questions[:1]:
            approvals.answer(question.call_id, question.conversation_id, self.random.choice(ANSWERS))

    def switch(self) -> None:
        known = [summary.id for summary in self.window._services.library.summaries()]
        if len(known) < 4 or self.random.random() < 0.2:
            self.window.new_conversation()
        else:
            self.window.open_conversation(self.random.choice(known))

    def delete(self) -> None:
        self.window.sidebar.commands.delete([self._shown.id])


def main() -> None:
    seed, diary = int(sys.argv[1]), Diary(sys.argv[2])
    start = app.Program.start
    heard = app.Program._session_state
    hands: list[asyncio.Task[None]] = []

    async def started(self: app.Program) -> None:
        await start(self)
        chance = random.Random(seed)
        for name in TOOLS:
            self._tools.registry.add(
                SlowTool(name, chance, 3.0, on_event=lambda: None, begun=lambda _call_id: None, ended=ended)
            )
        print("ready", flush=True)
        hands.append(asyncio.ensure_future(Hand(self.window, diary, seed).go_on()))

    def state(self: app.Program, conversation: OpenConversation, state: SessionState) -> None:
        diary.note("queue", of=conversation.id, texts=[each.text for each in state.queued])
        heard(self, conversation, state)

    def ended(tool: Ended) -> None:
        diary.note("tool", marker=tool.marker)

    app.Program.start = started  # type: ignore[method-assign]
    app.Program._session_state = state  # type: ignore[method-assign]
    sys.exit(app.main([]))


if __name__ == "__main__":
    main()
