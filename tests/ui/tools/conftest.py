"""A timeline whose conversation has tools: the model's calls come from the test, everything else is real."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from sam_py.bus.message_bus import MessageBus
from sam_py.messages.message import AssistantMessage
from sam_py.messages.parts import ToolCallPart
from sam_py.tools.base import Arguments, BuiltinTool, Running, ToolError, ToolOutput, Touch
from sam_py.ui.chat.blocks import CallBlock
from sam_py.ui.chat.row_context import RowContext
from sam_py.ui.chat.timeline import Timeline
from sam_py.ui.chat.tool_calls import ToolCalls
from sam_py.ui.chat.tool_card import ToolCard
from sam_py.ui.models.message_list_model import MessageListModel
from sam_py.ui.program_tools import ProgramTools
from sam_py.ui.theme import LIGHT, Theme, Themes
from sam_py.ui.widgets.icons import Icons


class Place(Arguments):
    place: str = ""


class Look(BuiltinTool[Place]):
    """Waits until the test says what it found."""

    name = "look"
    label = "Look around"
    description = "Looks."
    icon = "search"
    takes = Place

    def __init__(self) -> None:
        self.found: dict[str, asyncio.Future[ToolOutput]] = {}

    def doing(self, arguments: Place) -> str:
        return f"Looking at {arguments.place}"

    async def run(self, arguments: Place, running: Running) -> ToolOutput:
        running.report("half way")
        self.found[arguments.place] = asyncio.get_running_loop().create_future()
        return await self.found[arguments.place]

    def finds(self, place: str, text: str = "Trees.", **more: Any) -> None:
        self.found[place].set_result(ToolOutput(text, **more))

    def fails(self, place: str, text: str) -> None:
        self.found[place].set_exception(ToolError(text))


class Burn(BuiltinTool[Place]):
    name = "burn"
    label = "Burn"
    description = "Burns."
    icon = "trash"
    takes = Place
    parallel_safe = False

    def doing(self, arguments: Place) -> str:
        return f"Burning {arguments.place}"

    def touches(self, arguments: Place) -> tuple[Touch, ...]:
        if arguments.place == "cellar":
            return (Touch("own network", "localhost: http://localhost/"),)
        return (Touch("write", f"/papers/{arguments.place}"), Touch("network", "https://fire.example"))

    async def run(self, arguments: Place, running: Running) -> ToolOutput:
        return ToolOutput("Ashes.")


class Stage:
    """A timeline on screen, the tools behind it, and the loop on which they run."""

    def __init__(self, qtbot: Any) -> None:
        self.loop = asyncio.new_event_loop()
        self.qtbot = qtbot
        self.clock_s = 100.0
        self.tools = ProgramTools(tools=[Look(), Burn()])
        self.look: Any = self.tools.registry.get("look")
        self.bus = MessageBus("talk")
        self.box = self.tools.open(self.bus, save_now=self._save, put_attachment=self._put)
        self.box.runner._monotonic = lambda: self.clock_s
        self.whole: dict[str, bytes] = {}
        themes = Themes(Theme(LIGHT, dark=False, reduced_motion=True))
        self.calls = ToolCalls(self.tools, clock=lambda: self.clock_s)
        self.context = RowContext(themes, Icons(themes), lambda _hash: None, lambda _p, model: model, calls=self.calls)
        self.timeline = Timeline(self.context)
        qtbot.addWidget(self.timeline)
        self.model = MessageListModel(self.bus)
        self.calls.attach(self.bus)
        self.timeline.set_model(self.model)
        self.timeline.resize(760, 640)
        self.timeline.show()
        self._round: asyncio.Task[Any] | None = None

    async def _save(self) -> None:
        pass

    async def _put(self, data: bytes, _mime_type: str) -> str:
        self.whole["hash"] = data
        return "hash"

    def says(self, *calls: tuple[str, str, str], text: str = "") -> AssistantMessage:
        """The model's reply: its text, then its calls (id, tool, arguments)."""
        if self.bus.tip is None:
            self.bus.add_user_message("Look, please")
        reply = self.bus.begin_assistant()
        if text:
            self.bus.append_delta(reply, text)
        for call_id, name, arguments in calls:
            self.bus.append_part(reply, ToolCallPart(call_id=call_id, tool_name=name, arguments_json=arguments))
        message = self.bus.complete(reply, "tool_use")
        assert message is not None
        return message

    def runs(self, reply: AssistantMessage) -> None:
        self._round = self.loop.create_task(self.box.runner.run_round(reply, offered=lambda _name: True))
        self.turn()

    def turn(self) -> None:
        """Let everything happen that can happen now."""
        for _ in range(12):
            self.loop.run_until_complete(asyncio.sleep(0))
        self.qtbot.waitUntil(lambda: not self.timeline._settle.isActive())

    def cards(self) -> list[ToolCard]:
        rows = [row for row in self.timeline.rows_in_order() if row.isVisible()]
        return [block.card for row in rows for block in row.blocks if isinstance(block, CallBlock)]

    def card(self) -> ToolCard:
        (card,) = self.cards()
        return card

    def close(self) -> None:
        self.tools.close("talk")
        if self._round is not None:
            self._round.cancel()
            self.loop.run_until_complete(asyncio.gather(self._round, return_exceptions=True))
        self.timeline.set_model(None)
        self.calls.detach()
        self.model.detach()
        self.loop.close()


@pytest.fixture
def stage(qtbot: Any) -> Iterator[Stage]:
    stage = Stage(qtbot)
    yield stage
    stage.close()
