"""ProgramTools: the tools of the program, who allowed what, and each open conversation's own set of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from sam_py.bus.message_bus import MessageBus
from sam_py.settings.file import SettingsFile
from sam_py.settings.model import Settings, ToolGrant, ToolSettings
from sam_py.tools.approval import Approvals, Grant
from sam_py.tools.base import Tool
from sam_py.tools.questions import PersonQuestions
from sam_py.tools.registry import ToolRegistry
from sam_py.tools.runner import PutAttachment, SaveNow, ToolRunner
from sam_py.tools.toolbox import Toolbox
from sam_py.ui.program_servers import ProgramServers
from sam_py.ui.tool_groups import ALL, SERVER, own_group_of

MAKES_IMAGES = "generate_image"
OFF_BY_DEFAULT = frozenset({"remember", "recall", MAKES_IMAGES})
"""Tools that wait until the person wants them: they keep notes of them, or cost money."""
NEED_FOLDER = frozenset({"read_file", "list_folder", "search_files", "write_file", "edit_file"})
"""Tools that a model is told of only once the person has chosen a work folder."""


class ProgramTools:
    """One registry and one set of approvals for all conversations.

    Invariants: what was allowed for good is in the settings, and nowhere else after a restart; what was allowed
    for a conversation holds until it is deleted (`forget`) or the program ends, whether it is open or not.
    """

    def __init__(self, settings: SettingsFile | None = None, tools: Iterable[Tool] = ()) -> None:
        self.registry = ToolRegistry(tools)
        self._settings = settings
        self.approvals = Approvals(tuple(_to_grant(each) for each in self._now.grants), keep=self._keep)
        self.questions = PersonQuestions()
        """What models have asked the person."""
        self._runners: dict[str, ToolRunner] = {}
        self.servers: ProgramServers | None = None
        """The servers that bring tools; the program sets it."""

    @property
    def work_folder(self) -> Path | None:
        """The folder that the person opened to tools."""
        return Path(self._now.work_folder) if self._now.work_folder else None

    def is_wanted(self, name: str) -> bool:
        """What the person chose for the tool of that name, or its default."""
        return self._now.switches.get(name, name not in OFF_BY_DEFAULT)

    def is_ready(self, name: str) -> bool:
        """Whether the person has chosen what the tool of that name needs: a folder, a service for pictures."""
        if name == MAKES_IMAGES:
            from sam_py.tools.image_service import chosen_service  # not needed to start

            return self._settings is not None and chosen_service(self._settings.current) is not None
        return name not in NEED_FOLDER or bool(self._now.work_folder)

    def is_on(self, name: str, bus: MessageBus | None = None) -> bool:
        """Whether the tool of that name is offered: in the program, or in the conversation of `bus`."""
        if not self._now.on or not self.is_ready(name):
            return False
        return self.is_wanted(name) if bus is None else self.is_wanted_in(bus.settings.tools, name)

    def is_wanted_in(self, chosen: Mapping[str, bool], name: str) -> bool:
        """As `is_wanted`, in a conversation that has `chosen` for itself: its tools, their groups, or all of them."""
        if chosen.get(ALL) is False:
            return False
        own = chosen.get(name, chosen.get(self.group_of(name))) if chosen else None
        return self.is_wanted(name) if own is None else own

    def group_of(self, name: str) -> str:
        """What the tool is switched together with: one of ours, or the server that brought it."""
        for status in self.servers.statuses if self.servers is not None else ():
            if name in status.tool_names:
                return SERVER + status.id
        return own_group_of(name)

    def open(self, bus: MessageBus, *, save_now: SaveNow, put_attachment: PutAttachment) -> Toolbox:
        """The tools of a conversation that was opened. Raises RuntimeError where it has them already."""
        runner = ToolRunner(
            bus,
            bus.ledger.writer(),
            self.registry,
            self.approvals,
            save_now=save_now,
            put_attachment=put_attachment,
        )
        self._runners[bus.conversation_id] = runner
        return Toolbox(self.registry, runner, lambda name: self.is_on(name, bus))

    def runner_of(self, conversation_id: str) -> ToolRunner | None:
        """The one who runs the tools of an open conversation."""
        return self._runners.get(conversation_id)

    def close(self, conversation_id: str) -> None:
        """The conversation is no longer open: its questions are withdrawn. What was granted for it holds on."""
        runner = self._runners.pop(conversation_id, None)
        if runner is not None:
            runner.halt()
        for question in self.approvals.questions:
            if question.conversation_id == conversation_id:
                self.approvals.answer(question.call_id, conversation_id, "deny")
        self.questions.withdraw(conversation_id)

    def forget(self, conversation_id: str) -> None:
        """The conversation was deleted: what was granted for it ends."""
        self.approvals.forget_conversation(conversation_id)

    @property
    def _now(self) -> ToolSettings:
        return self._settings.current.tools if self._settings is not None else ToolSettings()

    def _keep(self, grants: tuple[Grant, ...]) -> None:
        if self._settings is None:
            return
        kept = tuple(
            ToolGrant(tool_name=each.tool_name, fingerprint=each.fingerprint, effects=each.effects) for each in grants
        )

        def change(settings: Settings) -> Settings:
            return settings.model_copy(update={"tools": settings.tools.model_copy(update={"grants": kept})})

        self._settings.change(change)


def _to_grant(kept: ToolGrant) -> Grant:
    return Grant(tool_name=kept.tool_name, fingerprint=kept.fingerprint, effects=kept.effects)
