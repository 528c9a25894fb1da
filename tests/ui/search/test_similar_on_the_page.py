"""What is similar in meaning on the search page of the real window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtTest import QTest

from sam_py.settings.model import SearchSettings
from sam_py.store.semantic.vectors import why_not
from tests.fakes.embedder import TopicEmbedder
from tests.fakes.sitting import Sitting
from tests.reliability.jumps import fill

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not())
Run = Callable[[Any], Any]


def test_a_message_in_other_words_is_shown_with_why_it_was_found(
    run: Run, sit_down: Callable[[], Sitting], home: Path
) -> None:
    async def work() -> None:
        ids = await fill(home, (4,))
        sitting = await sit_down().start()
        window = sitting.window
        settings = sitting.program._settings
        (await window.conversations.open(next(iter(ids)))).bus.add_user_message("My puppy is ill.")
        meaning = sitting.program._search.meaning()
        embedder = TopicEmbedder()
        await meaning.service.use(embedder)
        await sitting.until(lambda: "My puppy is ill." in embedder.asked, "the vectors")
        window.actions_by_name["search"].trigger()
        page: Any = window.centre.currentWidget()
        QTest.keyClicks(page.field, "terrier")
        await sitting.until(lambda: page._shown == "terrier" and not page.is_looking, "an answer")
        assert page.rows.rowCount() == 0
        assert embedder.questions == []  # the switch is off: only words were looked for
        settings.change(lambda now: now.model_copy(update={"search": SearchSettings(semantic=True)}))
        QTest.keyClicks(page.field, "s dog")
        await sitting.until(lambda: page.rows.rowCount() > 0, "what is similar")
        first = page.rows.rows[0]
        assert first.text == "My puppy is ill."
        assert any("Similar in meaning" in note for note in first.notes)
        assert embedder.questions[0] == "terriers dog"
        await sitting.close()

    run(work())
