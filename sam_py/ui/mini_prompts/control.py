"""MiniPromptsControl: joins the button in the composer, the panel, the prompts and the conversation that is shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QWidget

from sam_py.bus.deltas import Delta, SettingChanged
from sam_py.bus.message_bus import MessageBus
from sam_py.errors import SamError
from sam_py.messages.message import new_id
from sam_py.reminders.mini_prompts import NAME_MOST, MiniPrompt, MiniPrompts, mini_prompt_reminder, switched
from sam_py.transcript.tokens import text_tokens
from sam_py.ui.chat.composer import Composer
from sam_py.ui.widgets.icons import Icons

if TYPE_CHECKING:
    from sam_py.ui.mini_prompts.panel import MiniPromptsPanel
    from sam_py.ui.mini_prompts.slash import SlashOffer

SETTING = "mini_prompts"


class MiniPromptsControl(QObject):
    """One for the window. A change holds from the next request on, and is written to the file at once.

    The panel is made when it is first wanted: the first paint does not need it.
    """

    trouble = Signal(str)
    """The prompts could not be saved while the panel was closed, which else says so itself."""

    def __init__(
        self,
        prompts: MiniPrompts,
        icons: Icons,
        spawn: Callable[[Coroutine[Any, Any, None], str], object],
        composer: Composer,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._prompts = prompts
        self._icons = icons
        self._spawn = spawn
        self._composer = composer
        self._bus: MessageBus | None = None
        self._off: list[Callable[[], None]] = []
        self._panel: MiniPromptsPanel | None = None
        self._slash: SlashOffer | None = None
        self._removed: tuple[MiniPrompt, int] | None = None
        composer.text.textChanged.connect(self._typed)
        composer.prompts_button.clicked.connect(self._button_pressed)

    def attach(self, bus: MessageBus) -> None:
        """Show the prompts of another conversation."""
        self.detach()
        self._bus = bus
        self._removed = None
        self._off = [bus.subscribe(self._on_delta), self._prompts.subscribe(self._show)]
        if self._panel is not None:
            self._panel.set_conversation(bus.conversation_id)
        self._show()

    def detach(self) -> None:
        for off in self._off:
            off()
        self._off = []
        self._bus = None

    def toggle_panel(self, reason: Qt.FocusReason = Qt.FocusReason.ShortcutFocusReason) -> None:
        """Open the panel over the composer, or close it."""
        if self._panel is not None and self._panel.isVisible():
            self._panel.close_panel()
        elif self._bus is not None:
            self.panel.open_panel(reason)

    @property
    def panel(self) -> MiniPromptsPanel:
        if self._panel is None:
            from sam_py.ui.mini_prompts.panel import MiniPromptsPanel

            composer = self._composer
            panel = self._panel = MiniPromptsPanel(self._icons, composer.window(), composer.box)
            panel.page.switched.connect(self.switch)
            panel.page.arranged.connect(self._arrange)
            panel.page.chosen.connect(self._act)
            panel.saved.connect(self._keep)
            panel.example_added.connect(self._add_example)
            panel.undo_wanted.connect(self._bring_back)
            panel.retry_wanted.connect(self._save)
            panel.set_conversation(self._bus.conversation_id if self._bus is not None else "")
            self._show()
        return self._panel

    def switch(self, prompt_id: str, on: bool) -> None:
        """Switch a prompt on or off in the conversation that is shown."""
        if self._bus is not None:
            self._bus.change_setting(SETTING, list(switched(self._bus.settings.mini_prompts, prompt_id, on)))

    # What a person wants

    def _button_pressed(self) -> None:
        by_key = self._composer.prompts_button.hasFocus()  # the mouse does not take the keyboard there
        self.toggle_panel(Qt.FocusReason.ShortcutFocusReason if by_key else Qt.FocusReason.PopupFocusReason)

    def _add_example(self, name: str, text: str) -> None:
        self._keep(MiniPrompt(name=name, text=text))

    def _act(self, what: str, prompt_id: str) -> None:
        prompt = self._prompts.get(prompt_id)
        if prompt is None:  # deleted elsewhere while its menu was open
            return
        match what:
            case "edit":
                self.panel.edit(prompt)
            case "duplicate":
                self._duplicate(prompt)
            case "insert":
                self.panel.close_panel()
                self._composer.text.insert_as_typed(prompt.text)
                self._composer.focus_text()
            case "remove":
                self._remove(prompt)

    def _keep(self, prompt: MiniPrompt) -> None:
        """A prompt was written or changed; a new one is switched on where it was written."""
        is_new = self._prompts.get(prompt.id) is None
        try:
            self._prompts.put(prompt)
        except SamError as error:
            self.panel.say_trouble(str(error))
            return
        if is_new:
            self.switch(prompt.id, True)
        self.panel.editor.clear()
        self.panel.leave_editor(prompt.id)
        self._save()

    def _duplicate(self, prompt: MiniPrompt) -> None:
        taken = {each.name for each in self._prompts.all()}
        copy = prompt.model_copy(update={"id": new_id(), "name": copied_name(prompt.name, taken)})
        self._prompts.put(copy, self._place_of(prompt) + 1)
        self.panel.page.select_id(copy.id)
        self._save()

    def _remove(self, prompt: MiniPrompt) -> None:
        self._removed = (prompt, self._place_of(prompt))
        self._prompts.remove(prompt.id)
        self.panel.say_removed(self.tr("“%1” was deleted.").replace("%1", prompt.name))
        self._save()

    def _bring_back(self) -> None:
        if self._removed is not None:
            prompt, place = self._removed
            self._removed = None
            self._prompts.put(prompt, place)
            self.panel.say_removed("")
            self.panel.leave_editor(prompt.id)
            self._save()

    def _arrange(self, ids: list[str]) -> None:
        self._prompts.rearrange(ids)
        self._save()

    def _place_of(self, prompt: MiniPrompt) -> int:
        return [each.id for each in self._prompts.all()].index(prompt.id)

    # The slash

    @property
    def slash(self) -> SlashOffer:
        if self._slash is None:
            from sam_py.ui.mini_prompts.slash import SlashOffer

            self._slash = SlashOffer(self._icons, self._composer)
            self._slash.chosen.connect(self._insert)
        return self._slash

    def _typed(self) -> None:
        """Costs nothing while no message begins with a slash, however long it is."""
        document = self._composer.text.document()
        begins = document.characterAt(0) == "/"
        if self._bus is not None and (begins or self._slash is not None):
            text = document.firstBlock().text() if document.blockCount() == 1 else ""
            self.slash.look(text if begins else "", self._prompts.available_in(self._bus) if begins else ())

    def _insert(self, prompt_id: str) -> None:
        """Put a prompt's text where the slash stands."""
        prompt = self._prompts.get(prompt_id)
        if prompt is not None:
            self._composer.text.selectAll()
            self._composer.text.insert_as_typed(prompt.text)

    # News

    def _on_delta(self, delta: Delta) -> None:
        if type(delta) is SettingChanged and delta.key == SETTING:
            self._show()

    def _show(self) -> None:
        if self._bus is None:
            return
        on = self._prompts.enabled(self._bus)
        self._composer.prompts_button.show_count(len(on))
        if self._panel is not None:
            tokens = round(text_tokens(mini_prompt_reminder(prompt.text for prompt in on)))
            words = self.tr("About %1 tokens with each message") if on else self.tr("None is switched on")
            cost = words.replace("%1", self._composer.locale().toString(tokens))
            self._panel.show_prompts(self._prompts.available_in(self._bus), {prompt.id for prompt in on}, cost)

    def _save(self) -> None:
        self._spawn(self._saved(), "save the mini prompts")

    async def _saved(self) -> None:
        try:
            await self._prompts.save()
        except SamError as error:
            self.panel.say_trouble(str(error))
            if not self.panel.isVisible():
                self.trouble.emit(str(error))
        else:
            self.panel.say_trouble("")


def copied_name(name: str, taken: set[str]) -> str:
    """A name for a copy that no other has.

    >>> copied_name("Short", {"Short", "Short 2"})
    'Short 3'
    """
    stem = re.sub(r" \d+$", "", name)
    number = 2
    while True:
        end = f" {number}"
        if (copy := stem[: NAME_MOST - len(end)] + end) not in taken:
            return copy
        number += 1
