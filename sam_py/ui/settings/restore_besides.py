"""RestoreBesides: the notes, settings and mini prompts of a backup, each brought back only when asked for."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from sam_py.errors import SamError
from sam_py.messages.message import utc_now
from sam_py.reminders.mini_prompts import MiniPrompt, MiniPrompts
from sam_py.settings.file import SettingsFile, write_atomically
from sam_py.settings.model import Settings
from sam_py.store.backups.restoring import Besides
from sam_py.ui.services import Services
from sam_py.ui.settings.fields import Words
from sam_py.ui.widgets.buttons import PillButton


@dataclass(frozen=True, slots=True)
class Offer:
    """What of a backup is other than what is here: how many notes, the settings, the mini prompts."""

    notes: int = 0
    settings: Settings | None = None
    prompts: tuple[MiniPrompt, ...] = ()


def offer_of(services: Services, found: Besides) -> Offer:
    """What `found` would bring. Settings that this version does not understand whole are not offered."""
    now = services.settings.current
    settings, prompts = None, []
    with tempfile.TemporaryDirectory() as folder:
        if found.settings is not None:
            path = Path(folder, "settings.json")
            path.write_bytes(found.settings)
            file = SettingsFile(path)
            if not file.problems:
                settings = _with_ours(file.current, now)
        if found.prompts is not None:
            path = Path(folder, "mini_prompts.json")
            path.write_bytes(found.prompts)
            ours = {prompt.id: _without_place(prompt) for prompt in services.mini_prompts.all()}
            prompts = [each for each in MiniPrompts(path).all() if ours.get(each.id) != _without_place(each)]
    return Offer(found.notes_missing, settings if settings != now else None, tuple(prompts))


async def bring_settings(services: Services, offer: Offer) -> list[str]:
    """Use the settings and mini prompts of `offer`; mini prompts that it does not have stay.

    Returns the names under which those of now are kept, in the folder of settings. Raises SamError.
    """
    stamp = f"before-restore-{utc_now():%Y%m%d-%H%M%S}"
    kept: list[str] = []
    try:
        if offer.settings is not None:
            aside = services.settings.path.with_name(f"settings.json.{stamp}")
            write_atomically(aside, services.settings.current.model_dump_json(indent=2).encode())
            kept.append(aside.name)
        prompts = services.mini_prompts
        if offer.prompts and prompts.path is not None:
            await prompts.save()
            if prompts.path.is_file():
                aside = prompts.path.with_name(f"mini_prompts.json.{stamp}")
                write_atomically(aside, prompts.path.read_bytes())
                kept.append(aside.name)
    except OSError as error:
        raise SamError(
            _("Nothing was changed: your present settings could not be kept aside (%1).").replace(
                "%1", error.strerror or str(error)
            )
        ) from error
    if (settings := offer.settings) is not None:
        services.settings.change(lambda _now: settings)
    for prompt in offer.prompts:
        services.mini_prompts.put(prompt)
    await services.mini_prompts.save()
    return kept


def _with_ours(settings: Settings, now: Settings) -> Settings:
    """Where backups are is known better now; and what tools were once allowed to do, a person allows anew."""
    data = settings.data.model_copy(update={"backup_folder": now.data.backup_folder})
    tools = settings.tools.model_copy(update={"grants": now.tools.grants})
    return settings.model_copy(update={"data": data, "tools": tools})


def _without_place(prompt: MiniPrompt) -> MiniPrompt:
    return prompt.model_copy(update={"order": 0})


class RestoreBesides(QWidget):
    """A row of words and two buttons; hidden where a backup has nothing of that which is not here."""

    notes_wanted = Signal()
    settings_wanted = Signal()

    def __init__(self, services: Services) -> None:
        super().__init__()
        icons = services.icons
        self.offer = Offer()
        self._words = Words(icons, small=True, role="muted")
        self.notes_button = PillButton(icons, self.tr("Bring back notes"), kind="outline")
        self.notes_button.clicked.connect(self.notes_wanted)
        self.settings_button = PillButton(icons, self.tr("Use its settings"), kind="outline")
        self.settings_button.clicked.connect(self.settings_wanted)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._words, 1)
        row.addWidget(self.notes_button)
        row.addWidget(self.settings_button)
        self.hide()

    @property
    def text(self) -> str:
        return self._words.text()

    def show_offer(self, offer: Offer) -> None:
        self.offer = offer
        several = self.tr("%1 notes that are missing here").replace("%1", str(offer.notes))
        pieces = (
            (offer.notes, self.tr("a note that is missing here") if offer.notes == 1 else several),
            (offer.settings, self.tr("other settings than yours")),
            (offer.prompts, self.tr("other mini prompts")),
        )
        said = ", ".join(words for has, words in pieces if has)
        has_settings = offer.settings is not None or bool(offer.prompts)
        words = self.tr("Also in this backup: %1.").replace("%1", said)
        if has_settings:
            words += " " + self.tr("Your present settings are kept aside where you use those.")
        self._words.setText(words)
        self.notes_button.setVisible(bool(offer.notes))
        self.settings_button.setVisible(has_settings)
        self.setVisible(bool(said))

    def set_busy(self, busy: bool) -> None:
        self.notes_button.setEnabled(not busy)
        self.settings_button.setEnabled(not busy)


def _(text: str) -> str:
    return QCoreApplication.translate("RestoreBesides", text)
