"""An inspector beside a real session, whose model says what the test tells it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from sam_py.agent.session import ChatSession
from sam_py.bus.message_bus import MessageBus
from sam_py.messages.message import AssistantMessage
from sam_py.messages.parts import TextPart
from sam_py.messages.turn import Limits
from sam_py.providers.sent_bodies import SentBodies
from sam_py.settings.model import ChatSettings, ModelChoice
from sam_py.store.drafts import Draft
from sam_py.ui.inspector.inspector import Inspector
from sam_py.ui.tasks import Tasks
from sam_py.ui.theme import LIGHT, Theme, Themes
from sam_py.ui.widgets.icons import Icons
from tests.fakes.stepped_provider import SteppedProvider

SMALL = Limits(context_tokens=1500, output_tokens=200)


class Bench:
    """The inspector, what it looks at, and the loop on which it works."""

    def __init__(self, qtbot: Any) -> None:
        self.loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self.loop)
        self.provider = SteppedProvider(limits=SMALL)
        self.bus = MessageBus("talk")
        self.session = ChatSession(
            self.bus,
            provider_of=lambda _id: self.provider,
            save_now=self._save,
            read_attachment=self._read,
            defaults=ChatSettings(default=ModelChoice(provider="stepped", model="m"), model_titles=False),
        )
        self.draft = Draft()
        self.failed: list[BaseException] = []
        self.looks = 0
        self.icons = Icons(Themes(Theme(LIGHT, dark=False, reduced_motion=True)))
        self.tasks = Tasks(self.failed.append)
        self.sent = SentBodies()
        self.inspector = Inspector(
            self.icons,
            self.tasks.spawn,
            lambda: self.draft,
            lambda _provider, model: model,
            lambda id: self.sent.of(id),
        )
        self.inspector.watch.looked.connect(self._looked)
        qtbot.addWidget(self.inspector)
        self.inspector.resize(360, 800)

    @property
    def page(self) -> Any:
        return self.inspector.context

    async def _save(self) -> None:
        pass

    async def _read(self, attachment: str) -> bytes:
        raise FileNotFoundError(attachment)

    def _looked(self, _outlook: object) -> None:
        self.looks += 1

    def say_much(self, turns: int = 30) -> None:
        for number in range(turns):
            self.bus.add_user_message(f"Question {number}", pinned=number < 2)
            parts = (TextPart(text=f"Answer {number}. " + "some plain words that go on for a while " * 10),)
            self.bus.add(AssistantMessage(parent_id=self.bus.tip, parts=parts, stop_reason="stop"))

    def open(self) -> None:
        """Show it, as a person would, and wait until it has looked."""
        self.inspector.show()
        self.inspector.attach(self.session)
        self.settle()

    def settle(self) -> None:
        """Let all be worked out that is due now."""
        watches = (self.inspector.watch, self.inspector.preview)
        for _ in range(20):
            for watch in watches:
                if watch._soon.isActive():
                    watch._soon.stop()
                    watch._start()
            self.turn()
            if not any(watch._task or watch._soon.isActive() for watch in watches):
                return
        raise AssertionError("the inspector does not come to rest")

    def turn(self, until: Callable[[], object] | None = None) -> None:
        """Let the loop go round, for a while or until something holds."""
        for _ in range(200 if until is None else 5000):
            self.loop.run_until_complete(asyncio.sleep(0))
            if until is not None and until():
                return
        assert until is None, "it did not come true"

    async def until(self, condition: Callable[[], object]) -> None:
        """For a scenario on the loop: let timers and tasks go on until `condition` holds."""
        for _ in range(5000):
            for watch in (self.inspector.watch, self.inspector.preview):
                if watch._soon.isActive():
                    watch._soon.stop()
                    watch._start()
            await asyncio.sleep(0.001)
            if condition():
                return
        raise AssertionError("it did not come true")

    def titles(self, rows: Any = None) -> list[str]:
        rows = rows or self.page.rows
        return [rows.data(rows.index(row)) for row in range(rows.rowCount())]

    def close(self) -> None:
        self.inspector.attach(None)
        self.loop.run_until_complete(self.session.aclose())
        self.loop.run_until_complete(self.tasks.aclose())
        self.loop.close()
        asyncio.set_event_loop(None)
        assert self.failed == []


@pytest.fixture
def bench(qtbot: Any) -> Iterator[Bench]:
    bench = Bench(qtbot)
    yield bench
    bench.close()
