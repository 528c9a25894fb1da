"""SemanticSettings: whether what was said is found by its meaning, too, who makes the vectors, and what that takes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QLocale, Qt
from PySide6.QtWidgets import QCompleter, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from sam_py.errors import SamError
from sam_py.providers.embedders import Chosen
from sam_py.providers.embeddings import EmbeddingService, embedding_service
from sam_py.settings.model import ModelChoice, Settings
from sam_py.store.semantic.service import Estimate
from sam_py.ui.library.semantic_file import SemanticFile, shown_name
from sam_py.ui.library.words import filled, number
from sam_py.ui.program_meaning import ProgramMeaning
from sam_py.ui.services import Services
from sam_py.ui.settings.fields import Choice, Switch, Words
from sam_py.ui.settings.progress_row import ProgressRow
from sam_py.ui.widgets.buttons import PillButton
from sam_py.ui.widgets.plain import one_line

KNOWN: Mapping[str, tuple[str, ...]] = {
    "openai": ("text-embedding-3-small", "text-embedding-3-large"),
    "openai-chat": ("text-embedding-3-small", "text-embedding-3-large"),
    "gemini": ("gemini-embedding-001",),
    "mistral": ("mistral-embed",),
    "ollama": ("nomic-embed-text", "embeddinggemma", "all-minilm"),
    "lmstudio": ("text-embedding-nomic-embed-text-v1.5",),
}
"""Preset → models that are known to make embeddings there."""
_NAMES = ("embed", "minilm", "bge-", "gte-", "e5-")
"""What the names of such models hold."""


_MODEL_PX = 200
_FILE = object()
"""Stands for the model file among the accounts."""


class SemanticSettings(QWidget):
    """Part of Settings · Data. Follows the search by meaning while it is open: call `leave` before it goes."""

    def __init__(self, services: Services, meaning: ProgramMeaning, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._meaning = meaning
        self._settings = Settings()
        self._estimate: Estimate | None = None
        self._kept = 0
        icons = services.icons
        self.on = Switch(icons, self.tr("Find by meaning, too"))
        self.account = Choice(icons, self.tr("Embeddings by"))
        self.model = QLineEdit()
        self.model.setAccessibleName(self.tr("Embedding model"))
        self.target = Words(icons, role="muted", small=True)
        self.effort = Words(icons, role="muted", small=True)
        self.file = SemanticFile(services, self)
        self.state = Words(icons, role="muted", small=True)
        self.problem = Words(icons, role="error", small=True)
        self.again = PillButton(icons, self.tr("Try again"), kind="outline", icon="regenerate")
        self.delete = PillButton(
            icons,
            self.tr("Delete"),
            kind="outline",
            icon="trash",
            label=self.tr("Delete what the search by meaning made"),
        )
        self.progress = ProgressRow(icons, self.tr("Search by meaning"))
        self.progress.cancel_button.hide()
        self._lay_out()
        self.on.switched.connect(meaning.switch)
        self.account.chosen.connect(self._choose_account)
        self.model.editingFinished.connect(self._keep_model)
        self.file.chosen.connect(self._choose_file)
        self.again.clicked.connect(meaning.try_again)
        self.delete.clicked.connect(lambda: services.tasks.spawn(self._delete(), "delete the vectors"))
        meaning.changed.connect(self._show)
        self.show_settings(services.settings.current)
        services.tasks.spawn(self._look(), "look what the search by meaning takes")

    def show_settings(self, settings: Settings) -> None:
        """Bring the fields to `settings`; a name that is being typed stays."""
        self._settings = settings
        choice = settings.search.embeddings
        accounts = [each for each in settings.providers if self._service_of(each.id) is not None]
        values: list[tuple[object, str]] = [("", self.tr("Nobody"))]
        values += [(each.id, one_line(each.label) or each.id) for each in accounts]
        file = settings.search.model_file
        self.account.set_values([*values, (_FILE, shown_name(Path(file)))] if file else values)
        is_there = not file and any(each.id == choice.provider for each in accounts)
        self.account.show_value(_FILE if file else choice.provider if is_there else "")
        self.account.setEnabled(bool(accounts) or bool(file))
        self.model.setFixedWidth(max(self.account.sizeHint().width(), round(_MODEL_PX * self._scale)))
        if not self.model.isModified() and self.model.text() != choice.model:
            self.model.setText(choice.model)
        self.model.setVisible(is_there)
        self._model_row.setVisible(is_there)
        self._suggest(choice.provider)
        self._show()

    def leave(self) -> None:
        """Keep what was typed, and hear no more."""
        self._keep_model()
        self._meaning.changed.disconnect(self._show)

    # Inside

    @property
    def _scale(self) -> float:
        return self._services.icons.themes.current.scale

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(14)
        hint = Words(
            self._services.icons,
            self.tr(
                "A search also finds messages that say it in other words. For that, an embedding model looks at all "
                "that was said: one on this computer (a model file, Ollama, LM Studio), or a service on the internet."
            ),
            role="muted",
            small=True,
        )
        self.on.setAccessibleDescription(hint.text())
        column.addLayout(self._row(self.tr("Find by meaning, too"), (hint,), self.on))
        column.addLayout(self._row(self.tr("Embeddings by"), (self.target,), self.account))
        self._model_row = QWidget()
        row = self._row(self.tr("Embedding model"), (self.effort,), self.model)
        row.setContentsMargins(0, 0, 0, 0)
        self._model_row.setLayout(row)
        column.addWidget(self._model_row)
        column.addWidget(self.file)
        column.addWidget(self.progress)
        last = QHBoxLayout()
        last.setSpacing(8)
        words = QVBoxLayout()
        words.addWidget(self.state)
        words.addWidget(self.problem)
        last.addLayout(words, 1)
        last.addWidget(self.again)
        last.addWidget(self.delete)
        column.addLayout(last)

    def _row(self, name: str, more: tuple[Words, ...], field: QWidget) -> QHBoxLayout:
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(Words(self._services.icons, name))
        for each in more:
            words.addWidget(each)
        row = QHBoxLayout()
        row.addLayout(words, 1)
        row.addSpacing(16)
        row.addWidget(field, 0, Qt.AlignmentFlag.AlignVCenter)
        return row

    def _show(self) -> None:
        meaning, chosen = self._meaning, self._meaning.chosen
        state = meaning.state
        is_on = self._services.settings.current.search.semantic and chosen is not None
        self.on.setChecked(is_on)
        self.on.setEnabled(is_on or (chosen is not None and not meaning.unsupported))
        self.target.say(self._target_words(chosen))
        effort = self._effort_words(chosen)
        self.effort.say(effort)
        self.file.show_file(*((chosen, effort) if isinstance(chosen, Path) else (None,)))
        if state.phase == "building":
            words = filled(self.tr("%1 of %2 messages"), number(state.done), number(state.total))
            self.progress.show_share(words, state.done / max(1, state.total))
        else:
            self.progress.hide()
        ready = self.tr("Everything that was said can be found by its meaning.")
        kept = filled(self.tr("What was made so far takes %1."), QLocale().formattedDataSize(self._kept))
        self.state.say(ready if state.phase == "ready" else kept if not is_on and self._kept else "")
        self.problem.say(str(state.error) if state.error is not None else meaning.unsupported, "error")
        self.again.setVisible(state.phase == "failed")
        self.delete.setVisible(not is_on and self._kept > 0)

    def _target_words(self, chosen: Chosen | None) -> str:
        """Whether what was said leaves this computer."""
        if isinstance(chosen, Path):
            words = self.tr("%1 runs on this computer, while it is needed: nothing leaves it.")
            return filled(words, shown_name(chosen))
        if not self.account.isEnabled():
            return self.tr("There is no account or server for it among your providers yet.")
        if chosen is None:
            return ""
        label = one_line(chosen.label)
        if chosen.is_local:
            return filled(self.tr("%1 runs on this computer: nothing leaves it."), label)
        return filled(
            self.tr(
                "Everything that you and the models wrote is sent to %1 (%2) once, then each new message, and the "
                "words of each search."
            ),
            label,
            chosen.base_url,
        )

    def _effort_words(self, chosen: Chosen | None) -> str:
        if chosen is None:
            return self.tr("Enter the model that makes embeddings.")
        if self._estimate is None:
            return ""
        words = filled(
            self.tr("There are %1 messages with about %2 tokens."),
            number(self._estimate.messages),
            number(self._estimate.tokens),
        )
        if isinstance(chosen, Path) or chosen.is_local:
            return words
        cost = self._cost_of(chosen, self._estimate.tokens)
        if cost is None:
            return f"{words} {filled(self.tr('What they cost, %1 says on its pages.'), one_line(chosen.label))}"
        told = QLocale().toString(max(cost, 0.01), "f", 2)
        return f"{words} {filled(self.tr('They cost about %1 US dollars, once.'), told)}"

    def _cost_of(self, chosen: EmbeddingService, tokens: int) -> float | None:
        account = self._settings.provider(chosen.account)
        known = self._services.catalogue.price(account, chosen.model) if account is not None else None
        if known is None or known.price.input is None:
            return None
        return tokens * known.price.input / 1_000_000

    async def _look(self) -> None:
        await self._meaning.look()
        self._kept = await self._meaning.service.kept()
        try:
            self._estimate = await self._meaning.service.estimate()
        except SamError as error:
            self.effort.say(str(error))
            return
        self._show()

    async def _delete(self) -> None:
        await self._meaning.service.forget()
        self._kept = await self._meaning.service.kept()
        self._show()

    def _service_of(self, provider: str) -> EmbeddingService | None:
        return embedding_service(self._settings, ModelChoice(provider=provider, model="any"))

    def _models_of(self, provider: str) -> list[str]:
        account = self._settings.provider(provider)
        if account is None:
            return []
        listed = [each for each in account.models if any(name in each.lower() for name in _NAMES)]
        return [*listed, *(each for each in KNOWN.get(account.preset, ()) if each not in listed)]

    def _suggest(self, provider: str) -> None:
        names = self._models_of(provider)
        completer = QCompleter(names, self.model)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self.model.setCompleter(completer)
        self.model.setPlaceholderText(names[0] if names else self.tr("The model's name"))

    def _choose_account(self, provider: object) -> None:
        self.model.setModified(False)
        if provider is _FILE:
            return
        names = self._models_of(str(provider))
        self._choose(ModelChoice(provider=str(provider), model=names[0] if names else ""))

    def _choose_file(self, file: Path) -> None:
        self.model.setModified(False)
        self._meaning.choose_file(file)
        self.show_settings(self._services.settings.current)

    def _keep_model(self) -> None:
        if self.model.isModified():
            self.model.setModified(False)
            provider = self._settings.search.embeddings.provider
            self._choose(ModelChoice(provider=provider, model=self.model.text().strip()))

    def _choose(self, choice: ModelChoice) -> None:
        self._meaning.choose(choice)
        self.show_settings(self._services.settings.current)
