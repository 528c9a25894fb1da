"""ConnectionTest: tries an account out, and says of each step what works: address, key, models, an answer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, assert_never

import shiboken6
from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from sam_py.errors import SamError
from sam_py.providers.connection import Step, StepName, check_connection
from sam_py.providers.errors import ProviderError
from sam_py.settings.model import ProviderSettings
from sam_py.ui.services import Services
from sam_py.ui.settings.fields import Words
from sam_py.ui.widgets.announce import announce
from sam_py.ui.widgets.buttons import PillButton
from sam_py.ui.widgets.icons import Icons, Role

LIMIT_S = 90.0
"""A large model that is loaded first may take a minute to its first word."""


class ConnectionTest(QWidget):
    """A button that tests and, meanwhile, cancels. The steps stay until the next test."""

    asked = Signal()
    """About to begin: whoever has something typed keeps it now."""
    listed = Signal(object)
    """The `ModelInfo`s that were found"""
    key_refused = Signal(str)

    def __init__(self, services: Services, account_id: str, keep_key: Callable[[], Awaitable[object]]) -> None:
        """`keep_key` takes a key that was typed but not kept yet; the test waits for that."""
        super().__init__()
        self._services = services
        self._account_id = account_id
        self._keep_key = keep_key
        self._task: asyncio.Task[Any] | None = None
        self._running = False
        self._has_key = False
        self.button = PillButton(services.icons, self.tr("Test connection"), kind="outline", icon="link")
        self.button.clicked.connect(self._clicked)
        self.steps: dict[StepName, StepLine] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)

    @property
    def said(self) -> list[str]:
        """What the steps say, in order."""
        return [line.words.text() for line in self.steps.values()]

    def outdate(self) -> None:
        """What was tested is not so any more; a test that runs goes on."""
        if not self._running:
            self.clear()

    def clear(self) -> None:
        """Stop, and say nothing."""
        self._cancel()
        for line in self.steps.values():
            self._column.removeWidget(line)
            line.hide()
            line.deleteLater()
        self.steps.clear()

    def _clicked(self) -> None:
        if self._running:
            self._cancel()
            self._say(Step("answer" if "answer" in self.steps else "address", "doubtful"), self.tr("Cancelled"))
            return
        self.asked.emit()
        self.clear()
        account = self._services.settings.current.provider(self._account_id)
        if account is not None:
            self._set_running(True)
            self._task = self._services.tasks.spawn(self._test(account), "test a connection")

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None
        self._set_running(False)

    def _set_running(self, running: bool) -> None:
        self._running = running
        words = (self.tr("Cancel"), "close") if running else (self.tr("Test connection"), "link")
        self.button.set_words(words[0], icon=words[1])

    async def _test(self, account: ProviderSettings) -> None:
        try:
            async with asyncio.timeout(LIMIT_S):
                await self._follow(account)
        except TimeoutError:
            if shiboken6.isValid(self):
                words = self.tr("No answer within {seconds} s. Test again, or choose a smaller model.")
                self._say(Step("answer", "failed"), words.format(seconds=round(LIMIT_S)))
        except SamError as error:  # the account is switched off, or has no address
            if shiboken6.isValid(self):
                self._say(Step("address", "failed", error), str(error))
        finally:
            if shiboken6.isValid(self):
                self._task = None
                self._set_running(False)
                announce(self, self.said[-1] if self.said else "")

    async def _follow(self, account: ProviderSettings) -> None:
        await self._keep_key()
        self._has_key = (await self._services.secrets.get(account.id)).value is not None
        provider = self._services.registry.get(account.id)
        async for step in check_connection(provider, account.model):
            if not shiboken6.isValid(self):
                return
            self._say(step, self._words(step, account))
            if step.name == "models" and step.state == "good":
                self.listed.emit(step.models)
            if step.name == "key" and step.state == "failed":
                self.key_refused.emit(self._key_words(step))

    def _say(self, step: Step, words: str) -> None:
        line = self.steps.get(step.name)
        if line is None:
            line = self.steps[step.name] = StepLine(self._services.icons)
            self._column.addWidget(line)
        line.show_step(step, words)

    def _key_words(self, step: Step) -> str:
        """A refused key, said at the key; the errors of a conversation send one to the settings, where one is now."""
        if step.name == "answer":
            return self.tr("{model} does not answer without it").format(model=step.model)
        if self._has_key:
            return self.tr("The key is refused. Look whether it is whole and still valid.")
        return self.tr("A key is wanted. Enter it above and test again.")

    def _words(self, step: Step, account: ProviderSettings) -> str:
        if step.state != "running" and step.error is not None:
            if isinstance(step.error, ProviderError) and step.error.code == "bad_key":
                return self._key_words(step)
            return str(step.error)
        match step.name:
            case "address":
                running = self.tr("Asking {address} …").format(address=account.base_url or account.label)
                return running if step.state == "running" else self.tr("The address answers")
            case "key":
                return self.tr("The key is accepted") if account.needs_key else self.tr("It lets you in")
            case "models":
                if not step.models:
                    return self.tr("It offers no model. Load one there and test again.")
                names = ", ".join(model.id for model in step.models[:3]) + (" …" if len(step.models) > 3 else "")
                one = self.tr("One model: {names}").format(names=names)
                many = self.tr("{count} models: {names}").format(
                    count=self.locale().toString(len(step.models)), names=names
                )
                return one if len(step.models) == 1 else many
            case "answer":
                asking = (
                    self.tr("Asking {model} for a word …") if step.state == "running" else self.tr("{model} answers")
                )
                return asking.format(model=step.model)
            case _:
                assert_never(step.name)


class StepLine(QWidget):
    """An icon for how a step ended, and its words."""

    def __init__(self, icons: Icons) -> None:
        super().__init__()
        self._icon = StepIcon(icons)
        self.words = Words(icons, small=True)
        row = QHBoxLayout(self)
        row.setContentsMargins(2, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.words, 1)

    def show_step(self, step: Step, words: str) -> None:
        roles: dict[str, tuple[str, Role]] = {
            "running": ("more", "muted"),
            "good": ("check", "success"),
            "doubtful": ("warning", "warning"),
            "failed": ("error", "error"),
        }
        name, role = roles[step.state]
        self._icon.show_icon(name, role)
        self.words.say(words, "text" if step.state == "good" else role)
        states = {
            "running": self.tr("under way"),
            "good": self.tr("works"),
            "doubtful": self.tr("uncertain"),
            "failed": self.tr("failed"),
        }
        self.words.setAccessibleName(f"{states[step.state]}: {words}")


class StepIcon(QWidget):
    """A small drawing that follows the theme."""

    def __init__(self, icons: Icons) -> None:
        super().__init__()
        self._icons = icons
        self._name = "more"
        self._role: Role = "muted"
        icons.changed.connect(self._retheme)
        self._retheme()

    def show_icon(self, name: str, role: Role) -> None:
        self._name, self._role = name, role
        self.update()

    def _retheme(self) -> None:
        side = round(18 * self._icons.themes.current.scale)
        self.setFixedSize(side, side)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self._icons.paint(painter, self._name, self._role, QRectF(self.rect()).adjusted(1, 1, -1, -1))
        painter.end()
