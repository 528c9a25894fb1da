"""The model picker finds a model by typing and chooses it by Enter; the guide is always there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from sam_py.messages.turn import Limits
from sam_py.providers.base import Price
from sam_py.providers.prices import FREE, KnownPrice
from sam_py.settings.model import ModelChoice, ProviderSettings
from sam_py.ui.chat.model_facts import ModelFacts
from sam_py.ui.chat.model_picker import ModelPicker
from sam_py.ui.chat.model_rows import ModelRows
from sam_py.ui.theme import Themes
from sam_py.ui.widgets.icons import Icons

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

FEW = (ProviderSettings(id="ol", label="Ollama", models=("qwen3:8b", "llama3.3:70b")),)
MANY = (
    *FEW,
    ProviderSettings(id="oa", label="OpenAI", models=tuple(f"gpt-{n}" for n in range(8)), model="gpt-own"),
    ProviderSettings(id="off", label="Switched off", models=("hidden",), enabled=False),
    ProviderSettings(id="new", label="New server"),
)


@pytest.fixture
def picker(qtbot: QtBot) -> Iterator[ModelPicker]:
    themes = Themes()
    anchor = QPushButton("model")
    qtbot.addWidget(anchor)
    anchor.show()
    picker = ModelPicker(Icons(themes), anchor)
    yield picker
    picker.close()


def anchor_of(picker: ModelPicker) -> QPushButton:
    anchor = picker.parentWidget()
    assert isinstance(anchor, QPushButton)
    return anchor


def lines(rows: ModelRows) -> list[str]:
    return [rows.row(at).label for at in range(rows.rowCount())]


def test_models_stand_under_their_providers_and_the_guide_last(picker: ModelPicker, qtmodeltester: ModelTester) -> None:
    picker.set_models(MANY, ModelChoice(provider="ol", model="qwen3:8b"))
    qtmodeltester.check(picker.rows)  # type: ignore[no-untyped-call]
    assert lines(picker.rows) == [
        "Ollama",
        "qwen3:8b",
        "llama3.3:70b",
        "OpenAI",
        "gpt-own",
        *(f"gpt-{n}" for n in range(8)),
        "New server",
        "No models listed yet. Refresh asks for them.",
        "Built in",
        "Offline guide",
    ]


def test_recently_used_models_come_first_where_there_are_many(picker: ModelPicker) -> None:
    recent = (ModelChoice(provider="oa", model="gpt-3"), ModelChoice(provider="gone", model="x"))
    picker.set_models(MANY, None, recent)
    assert lines(picker.rows)[:2] == ["Recently used", "gpt-3"]
    picker.set_models(FEW, None, recent)
    assert lines(picker.rows)[0] == "Ollama"


def test_there_is_a_search_field_only_where_it_is_needed(picker: ModelPicker) -> None:
    picker.set_models(FEW, None)
    picker.popup(anchor_of(picker))
    assert picker.search.isHidden()
    picker.close()
    picker.set_models(MANY, None)
    picker.popup(anchor_of(picker))
    assert picker.search.isVisible()


def test_a_model_is_found_by_typing_and_chosen_by_enter(picker: ModelPicker, qtbot: QtBot) -> None:
    picker.set_models(MANY, ModelChoice(provider="ol", model="qwen3:8b"))
    picker.popup(anchor_of(picker))
    QTest.keyClicks(picker.search, "openai 5")
    assert lines(picker.rows) == ["OpenAI", "gpt-5"]
    with qtbot.waitSignal(picker.model_chosen) as chosen:
        QTest.keyClick(picker.search, Qt.Key.Key_Return)
    assert chosen.args == ["oa", "gpt-5"]
    assert picker.isHidden()


def test_arrows_skip_what_cannot_be_chosen(picker: ModelPicker, qtbot: QtBot) -> None:
    picker.set_models(FEW, ModelChoice(provider="ol", model="llama3.3:70b"))
    picker.popup(anchor_of(picker))
    QTest.keyClick(picker.list, Qt.Key.Key_Down)
    with qtbot.waitSignal(picker.model_chosen) as chosen:
        QTest.keyClick(picker.list, Qt.Key.Key_Return)
    assert chosen.args == ["guide", "guide"]


def test_the_current_model_is_marked_and_the_search_begins_at_it(picker: ModelPicker) -> None:
    picker.set_models(FEW, ModelChoice(provider="ol", model="llama3.3:70b"))
    picker.popup(anchor_of(picker))
    row = picker.rows.row(picker.list.currentIndex())
    assert row.current
    text = picker.rows.data(picker.list.currentIndex(), Qt.ItemDataRole.AccessibleTextRole)
    assert text == "llama3.3:70b, chosen"


def test_escape_closes_and_chooses_nothing(picker: ModelPicker, qtbot: QtBot) -> None:
    picker.set_models(MANY, None)
    picker.popup(anchor_of(picker))
    with qtbot.assertNotEmitted(picker.model_chosen):
        QTest.keyClick(picker.search, Qt.Key.Key_Escape)
    assert picker.isHidden()


def test_no_match_says_so(picker: ModelPicker) -> None:
    picker.set_models(MANY, None)
    picker.rows.search("zzz")
    assert lines(picker.rows) == ["No model has that name."]
    assert picker.rows.first_choice() == -1


def test_refreshed_models_appear_while_the_picker_is_open(picker: ModelPicker, qtbot: QtBot) -> None:
    picker.set_models(MANY, None)
    picker.popup(anchor_of(picker))
    QTest.keyClicks(picker.search, "brand")
    with qtbot.waitSignal(picker.refresh_requested):
        picker.refresh.click()
    picker.set_models((*MANY, ProviderSettings(id="n", label="N", models=("brand-new",))), None)
    assert lines(picker.rows) == ["N", "brand-new"]
    with qtbot.waitSignal(picker.add_provider_requested):
        picker.add.click()
    assert picker.isHidden()


class Known:
    """What the window knows of models, for the picker."""

    def __init__(self) -> None:
        self.favourites: list[ModelChoice] = []
        self.asked: list[str] = []
        self.picker: ModelPicker | None = None

    def is_local(self, provider_id: str) -> bool:
        return provider_id == "ol"

    def facts_of(self, provider_id: str, model: str) -> ModelFacts:
        self.asked.append(model)
        limits = Limits(context_tokens=128_000, images=model.endswith("3"), tools=True, draws=model == "gpt-5")
        price = FREE if provider_id == "ol" else KnownPrice(Price(input=2.5, output=10.0)) if "gpt" in model else None
        return ModelFacts(limits, price)

    def toggle_favourite(self, choice: ModelChoice) -> None:
        self.favourites = [c for c in self.favourites if c != choice] or [choice]
        if self.picker is not None:
            self.picker.set_models(SERVICES_FIRST, None, (), self)


SERVICES_FIRST = (MANY[1], MANY[0])


def said_at(picker: ModelPicker, at: int) -> str:
    return str(picker.rows.data(picker.rows.index(at, 0), Qt.ItemDataRole.AccessibleTextRole))


def test_models_of_this_computer_come_before_those_of_services(picker: ModelPicker) -> None:
    picker.set_models(SERVICES_FIRST, None, (), Known())
    assert lines(picker.rows)[:3] == ["Ollama", "qwen3:8b", "llama3.3:70b"]


def test_what_a_model_can_do_takes_and_costs_is_said_in_words(picker: ModelPicker) -> None:
    picker.set_models(SERVICES_FIRST, ModelChoice(provider="oa", model="gpt-3"), (), Known())
    assert said_at(picker, lines(picker.rows).index("gpt-3")) == (
        "gpt-3, sees pictures, uses tools, 128k context, $2.50 in, $10 out, chosen"
    )
    assert said_at(picker, 1) == "qwen3:8b, uses tools, 128k context, free, it runs here"


def test_a_price_that_nobody_said_is_unknown(picker: ModelPicker) -> None:
    new = (ProviderSettings(id="n", label="New", models=("strange",)),)
    picker.set_models(new, None, (), Known())
    assert said_at(picker, 1).endswith("price not known")


def test_models_are_found_by_what_they_can_do(picker: ModelPicker) -> None:
    picker.set_models(SERVICES_FIRST, None, (), Known())
    picker.rows.search("draws")
    assert lines(picker.rows) == ["OpenAI", "gpt-5"]


def test_a_key_makes_a_favourite_which_stands_first_and_keeps_the_place(picker: ModelPicker) -> None:
    known = Known()
    known.picker = picker
    picker.set_models(SERVICES_FIRST, ModelChoice(provider="oa", model="gpt-3"), (), known)
    picker.popup(anchor_of(picker))
    QTest.keyClick(picker.search, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    assert lines(picker.rows)[:2] == ["Favourites", "gpt-3"]
    assert picker.rows.row(picker.list.currentIndex()).label == "gpt-3"
    assert "favourite" in said_at(picker, 1)
    QTest.keyClick(picker.search, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(picker.search, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    assert known.favourites


def test_a_click_on_the_star_makes_a_favourite_and_chooses_nothing(picker: ModelPicker, qtbot: QtBot) -> None:
    known = Known()
    picker.set_models(SERVICES_FIRST, None, (), known)
    picker.popup(anchor_of(picker))
    row = picker.list.visualRect(picker.rows.index(1, 0))
    star = picker._painter.star_rect(row).center()
    with qtbot.assertNotEmitted(picker.model_chosen):
        QTest.mouseClick(picker.list.viewport(), Qt.MouseButton.LeftButton, pos=star)
    assert known.favourites == [ModelChoice(provider="ol", model="qwen3:8b")]
    with qtbot.waitSignal(picker.model_chosen):
        QTest.mouseClick(picker.list.viewport(), Qt.MouseButton.LeftButton, pos=row.center())


def test_hundreds_of_models_open_without_asking_for_each(picker: ModelPicker) -> None:
    many = tuple(f"maker-{n % 40}/model-{n}" for n in range(600))
    known = Known()
    picker.set_models((ProviderSettings(id="or", label="Router", models=many),), None, (), known)
    picker.popup(anchor_of(picker))
    picker.grab()
    assert 0 < len(set(known.asked)) < 60
    QTest.keyClick(picker.search, Qt.Key.Key_PageDown)
    assert picker.list.currentIndex().row() > 6
    QTest.keyClick(picker.search, Qt.Key.Key_PageUp)
    QTest.keyClick(picker.search, Qt.Key.Key_PageUp)
    assert picker.rows.row(picker.list.currentIndex()).label == "model-0"
