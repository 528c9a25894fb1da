"""The real program, used at random by keys and calls, with a diary of what was done.

Each line of the diary is written before the program could have kept it, with the time of the machine's steady clock.
``python -m tests.reliability.driven`` starts one program for each line of its input, a fork that has imported all.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from PySide6.QtTest import QTest

from sam_py import app
from sam_py.agent.state import SessionState
from sam_py.bus.deltas import Appended
from sam_py.bus.message_bus import MessageBus
from sam_py.messages.message import ToolResultMessage
from sam_py.tools.approval import ANSWERS
from sam_py.ui.main_window import MainWindow
from sam_py.ui.open_conversations import OpenConversation
from sam_py.ui.widgets.notices import Notices
from tests.reliability.busywork import keep_busy, note_saves
from tests.reliability.stop_tools import Ended, SlowTool

TOOLS = tuple(f"slow_{number}" for number in range(6))
"""What the models of the tests call."""
BEAT_S = 0.05


class Diary:
    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def note(self, what: str, **more: Any) -> None:
        os.write(self._file, json.dumps({"what": what, "at_s": time.monotonic(), **more}).encode() + b"\n")


async def beat(diary: Diary) -> None:
    """Show in the diary that the loop turns: what a machine with too much to do holds up is not the program's loss."""
    while True:
        diary.note("beat")
        await asyncio.sleep(BEAT_S)


class Hand:
    """Does one random thing after the other, as fast as a person never would."""

    def __init__(self, window: MainWindow, diary: Diary, seed: int, focus: str = "") -> None:
        """`focus` is what is done more often than the rest."""
        self.window = window
        self._focus = focus
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
        weights = {act: weight for act, weight in zip(acts, (40, 22, 4, 6, 4, 3, 8, 1, 4, 12), strict=True)}
        weights[self.type] *= 5 if self._focus == "typing" else 1
        weights[self.pin] *= 20 if self._focus in ("saving", "compaction") else 1
        weights[self.answer] *= 4 if self._focus == "tools" else 1
        if self._focus == "streaming":
            weights[self.stop] = weights[self.again] = weights[self.switch] = weights[self.delete] = 0
        while True:
            (act,) = self.random.choices(acts, [weights[each] for each in acts])
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
        self.window.sidebar.commands.remove([self._shown.id])


def drive(seed: int, diary: Diary, focus: str, folder: Path) -> int:
    """Run the program and use it, until it is killed."""
    start = app.Program.start
    heard = app.Program._session_state
    make_bus = app.Program._new_bus
    show = Notices.show_notice
    hands: list[asyncio.Task[None]] = []

    async def started(self: app.Program) -> None:
        await start(self)
        chance = random.Random(seed)
        for name in TOOLS:
            self._tools.registry.add(SlowTool(name, chance, 3.0, on_event=lambda: None, begun=begun, ended=ended))
        diary.note("ready")
        hand = Hand(self.window, diary, seed, focus)
        work = (hand.go_on(), keep_busy(self, diary, focus, seed, folder), beat(diary))
        for each in work:
            hands.append(asyncio.ensure_future(each))
            hands[-1].add_done_callback(
                lambda hand: hand.cancelled() or hand.print_stack() if hand.exception() else None
            )

    def state(self: app.Program, conversation: OpenConversation, state: SessionState) -> None:
        diary.note("queue", of=conversation.id, texts=[each.text for each in state.queued])
        heard(self, conversation, state)

    def begun(_call_id: str) -> None:
        diary.note("begins", of="tools")

    def ended(tool: Ended) -> None:
        diary.note("tool", marker=tool.marker)
        diary.note("done", of="tools")

    def told(self: Notices, text: str, *rest: Any, **more: Any) -> Any:
        diary.note("notice", text=text)
        return show(self, text, *rest, **more)

    def new_bus(self: app.Program, conversation_id: str) -> MessageBus:
        bus = make_bus(self, conversation_id)
        bus.subscribe(lambda delta: diary.note("heard", text=delta.text) if isinstance(delta, Appended) else None)
        return bus

    app.Program._new_bus = new_bus  # type: ignore[method-assign]
    app.Program.start = started  # type: ignore[method-assign]
    app.Program._session_state = state  # type: ignore[method-assign]
    Notices.show_notice = told  # type: ignore[method-assign]
    note_saves(diary, compact=focus == "compaction")
    return app.main([])


def main() -> None:
    """For each line ``{"seed", "diary", "focus", "home", "output"}``: start a program, say its number and its end."""
    for line in sys.stdin:
        order = json.loads(line)
        pid = os.fork()
        if pid == 0:
            output = os.open(order["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            os.dup2(output, 1)
            os.dup2(output, 2)
            os.environ["SAM_HOME"] = order["home"]
            folder = Path(order["home"]).parent
            try:
                drive(order["seed"], Diary(order["diary"]), order["focus"], folder)
            except BaseException:
                traceback.print_exc()
            os._exit(1)  # the fork must not go on as the one that forks
        print(pid, flush=True)
        os.waitpid(pid, 0)
        print("ended", flush=True)


if __name__ == "__main__":
    main()
