"""Mini prompts from the panel to the server and back: sent, never kept, and no echo of them is shown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from sam_py.messages.message import AssistantMessage
from sam_py.reminders.mini_prompts import MiniPrompt
from tests.fakes.fault_server import FaultServer, Reply
from tests.fakes.sitting import Sitting

Run = Callable[[Any], Any]
SitDown = Callable[[], Sitting]

ONE, TWO, OFF = "Mention a heron.", "Speak of rivers only.", "Never say this."


def last_user_text(body: Any) -> str:
    """All text of the last user turn of a request, with what was put before the question."""
    content = [message["content"] for message in body["messages"] if message["role"] == "user"][-1]
    return content if isinstance(content, str) else "\n".join(part["text"] for part in content)


def files_with(words: str, folder: Path) -> set[str]:
    return {path.name for path in folder.rglob("*") if path.is_file() and words.encode() in path.read_bytes()}


def test_what_is_ticked_is_sent_before_the_question_and_kept_nowhere(
    run: Run, sit_down: SitDown, tmp_path: Path
) -> None:
    echo = f"<miniPromptReminder>\n{ONE}\n</miniPromptReminder>\nHello yourself."
    pieces = [echo[at : at + 7] for at in range(0, len(echo), 7)]

    async def scenario() -> None:
        async with FaultServer(Reply(*pieces), Reply("Again.")) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            prompts = sam.program._mini_prompts
            for name, text in (("one", ONE), ("off", OFF), ("two", TWO)):
                prompts.put(MiniPrompt(id=name, name=name, text=text))
            sam.chat.composer.prompts_button.click()
            view = sam.chat.prompts.panel.page.list
            for key in (Qt.Key.Key_Space, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Space):
                QTest.keyClick(view, key)
            for _step in range(2):
                QTest.keyClick(view, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
            QTest.keyClick(view, Qt.Key.Key_Escape)
            await sam.send("Good day")
            await sam.answered()
            said = last_user_text(server.requests[0].body)
            assert "<miniPromptReminder>" in said
            assert said.index(TWO) < said.index(ONE) < said.index("Good day")
            assert OFF not in said
            assert sam.screen()[-1] == "Hello yourself."
            await sam.close()
            assert files_with("Good day", tmp_path)
            for text in (ONE, TWO):
                assert files_with(text, tmp_path) == {"mini_prompts.json", "mini_prompts.json.bak"}

            again = await sit_down().start()
            again.use_server(server.base_url)
            assert again.chat.composer.prompts_button.text() == "Prompts · 2"
            (reply,) = (each for each in again.messages if isinstance(each, AssistantMessage))
            assert reply.text == "Hello yourself."
            assert [receipt.kind for receipt in reply.reminders] == ["mini_prompts"]
            assert reply.reminders[0].tokens > 0
            again.chat.prompts.switch("one", False)
            await again.send("And now?")
            await again.answered()
            body = server.requests[1].body
            assert TWO in last_user_text(body)
            assert ONE not in str(body)
            assert str(body).count(TWO) == 1
            await again.close()

    run(scenario())
