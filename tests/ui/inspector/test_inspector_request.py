"""The request tab: what it shows is what travels, byte for byte, before and after."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QGuiApplication

from sam_py.messages.turn import Limits
from sam_py.providers.anthropic.provider import AnthropicProvider
from sam_py.providers.gemini.provider import GeminiProvider
from sam_py.providers.http import Http
from sam_py.providers.openai_chat.provider import OpenAIChatProvider
from sam_py.providers.wire import Account, WireProvider
from sam_py.reminders.order import Reminders
from sam_py.store.drafts import Draft
from sam_py.ui.inspector.request_words import request_pieces
from tests.fakes.fault_server import FaultServer, Status

HARD = "Grüße, <b>„du“</b>\u00a0&\n\tnext \u2029line \u202e😀 " + "word " * 400


@pytest.mark.parametrize("kind", [OpenAIChatProvider, AnthropicProvider, GeminiProvider])
def test_what_is_shown_is_what_travels_byte_for_byte(bench: Any, kind: type[WireProvider]) -> None:
    async def no_key(_id: str) -> None:
        return None

    async def scenario() -> None:
        async with FaultServer(Status(400, "{}")) as server:
            http = Http()
            bench.sent = http.sent
            account = Account("stepped", "A", server.base_url, extra_body={"seed": 7})
            bench.provider = kind(account, http=http, key_of=no_key)
            bench.session.context._reminders = Reminders(todo_list=lambda _bus, _messages: "<todoList>Cook</todoList>")
            bench.bus.add_user_message("Earlier")
            bench.bus.change_setting("system_prompt", "Be brief.\nBe kind.")
            bench.draft = Draft(text=HARD)
            inspector, page = bench.inspector, bench.inspector.request
            inspector.show()
            inspector.attach(bench.session)
            inspector.show_tab("request")
            await bench.until(lambda: page._preview is not None)
            page.raw.click()
            shown_before, words_before = page.body, page.text.toPlainText()
            await bench.session.send(HARD)
            (asked,) = [each for each in server.requests if each.method == "POST"]
            assert asked.raw == shown_before
            assert b"Be kind" in asked.raw
            assert b"Cook" in asked.raw
            page.refresh_sent()
            page.which.setCurrentIndex(1)
            page.which.activated.emit(1)
            assert page.body == asked.raw
            assert page.text.toPlainText() == words_before
            text = asked.raw.decode()
            for hidden in "\u2029\u202e":
                text = text.replace(hidden, f"⟨U+{ord(hidden):04X}⟩")
            assert page.text.document().toRawText().replace("\u2029", "") == text
            page.copy.click()
            assert QGuiApplication.clipboard().text() == asked.raw.decode()
            await http.aclose()

    bench.loop.run_until_complete(scenario())


def test_each_round_of_a_reply_and_its_retries_are_there_until_others_come(bench: Any, tmp_path: Path) -> None:
    for number in range(3):
        bench.sent.note("talk", b'{"n":%d}' % number, address="http://h/v1/x", label="A", model="m")
    bench.open()
    bench.inspector.show_tab("request")
    bench.settle()
    page = bench.inspector.request
    assert page.which.count() == 4
    assert "write a message first" in page.text.toPlainText()
    assert page.text.toPlainText().endswith("What was sent before can be chosen above.")
    page.which.setCurrentIndex(1)
    page.which.activated.emit(1)
    assert page.text.toPlainText() == "n: 2"
    assert page.facts.text() == "POST http://h/v1/x · 7 bytes"
    page._write(tmp_path / "request.json", page.body)
    assert (tmp_path / "request.json").read_bytes() == b'{"n":2}'
    page._write(tmp_path / "nowhere" / "request.json", page.body)
    assert "could not be saved" in page.facts.text()
    bench.sent.note("talk", b'{"n":3}', address="http://h/v1/x", label="A", model="m")
    page.refresh_sent()
    assert page.text.toPlainText() == "n: 2"


def test_the_request_can_be_read_with_its_reminders_apart(bench: Any) -> None:
    bench.session.context._reminders = Reminders(todo_list=lambda _bus, _messages: "<todoList>Cook</todoList>")
    bench.bus.change_setting("system_prompt", "Be brief.")
    bench.provider.limits = Limits(context_tokens=4000)
    bench.draft = Draft(text="And now?")
    bench.open()
    bench.inspector.show_tab("request")
    bench.settle()
    page = bench.inspector.request
    assert page.text.toPlainText().split("\n\n") == [
        "Instructions\nBe brief.",
        "Reminder\n<system-reminder>\n<todoList>Cook</todoList>\n</system-reminder>",
        "You\nAnd now?",
    ]
    page.raw.click()
    assert page.text.toPlainText().startswith("Nothing travels")
    assert not page.copy.isEnabled()


def test_a_body_of_a_million_characters_is_shown_in_part_and_kept_whole(bench: Any) -> None:
    body = b'{"image":"' + b"A" * 1_000_000 + b'"}'
    bench.sent.note("talk", body, address="http://h/v1/x", label="A", model="m")
    bench.open()
    bench.inspector.show_tab("request")
    page = bench.inspector.request
    page.which.setCurrentIndex(1)
    page.which.activated.emit(1)
    assert page.text.toPlainText().startswith("image: [1000000 characters of data, beginning with AAAA")
    page.raw.click()
    assert "more characters. Copy or save it" in page.text.toPlainText()
    assert page.body == body


def test_a_request_of_many_turns_is_written_out_in_part(bench: Any) -> None:
    bench.say_much(200)
    bench.provider.limits = Limits(context_tokens=1_000_000)
    shown = bench.loop.run_until_complete(bench.session.preview("And now?"))
    pieces = request_pieces(shown.prepared.request)
    assert pieces[0].text.startswith("281 earlier turns are sent, too")
    assert len(pieces) == 121


def test_the_messages_that_are_listed_as_sent_are_those_in_the_body(bench: Any) -> None:
    async def no_key(_id: str) -> None:
        return None

    async def scenario() -> None:
        async with FaultServer(Status(400, "{}")) as server:
            http = Http()
            bench.provider = OpenAIChatProvider(Account("stepped", "A", server.base_url), http=http, key_of=no_key)
            bench.session.defaults = bench.session.defaults.model_copy(
                update={"context_tokens": 2000, "max_tokens": 200}
            )
            bench.say_much(40)
            bench.bus.annotate(bench.bus.id_at(5), context="keep")
            bench.bus.annotate(bench.bus.id_at(75), context="never")
            bench.draft = Draft(text="And now?")
            bench.inspector.show()
            bench.inspector.attach(bench.session)
            rows = bench.page.rows
            await bench.until(lambda: rows.rowCount() == 81)
            listed = [(rows.fate_at(row).fate, rows.message_at(row).text) for row in range(rows.rowCount())]
            await bench.session.send("And now?")
            body = server.requests[-1].raw.decode()
            await http.aclose()
        told = {text: fate for fate, text in listed}
        assert set(told.values()) == {"sent", "left_out"}
        for text, fate in told.items():
            is_in = re.search(rf"{re.escape(text)}(?!\d)", body) is not None
            assert is_in == (fate == "sent"), (fate, text[:20])

    bench.loop.run_until_complete(scenario())
