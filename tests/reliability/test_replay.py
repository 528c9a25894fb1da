"""After a restart the screen is the screen before it: every kind of row, card, error, sign and chip."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sam_py.messages.message import DeveloperMessage
from sam_py.tools.base import Running, ToolError, ToolOutput
from tests.fakes import documents as made
from tests.fakes.echo_tool import Echo, Word
from tests.fakes.fault_server import DONE, FaultServer, Json, Reply, Status, Stream, chunk, sse
from tests.fakes.sitting import Sitting
from tests.reliability.shown import around, differing, laid_out, picture_of, rows_of, turn_all_over
from tests.ui.window.test_window_pictures import png

Run = Callable[[Any], Any]
SitDown = Callable[[], Sitting]

WORDS = """# A heading

Some *words*, `code`, a [link](https://example.org) and $e^2$.

- one
- two

| a | b |
|---|---|
| 1 | 2 |

```python
print("hello")
```

> said before"""
USAGE = sse({"choices": [], "usage": {"prompt_tokens": 120, "completion_tokens": 45, "total_tokens": 165}})


class Talkative(Echo):
    """Fails, waits or says it twice, as it is told."""

    async def run(self, arguments: Word, running: Running) -> ToolOutput:
        if arguments.word == "wrong":
            raise ToolError("It could not be said: the word is wrong. Choose another one.")
        if arguments.word == "wait":
            await asyncio.sleep(60)
        return ToolOutput(f"{arguments.word} {arguments.word}", details=("said twice",))


def calling(*words: str) -> Stream:
    calls = [
        {
            "index": place,
            "id": f"call_{word}",
            "type": "function",
            "function": {"name": "echo", "arguments": json.dumps({"word": word})},
        }
        for place, word in enumerate(words)
    ]
    return Stream((chunk("I try it.", role="assistant", tool_calls=calls), chunk(finish="tool_calls"), USAGE, DONE))


STORY = (
    Stream(
        (
            chunk(role="assistant", reasoning_content="They want **everything**.\n\nSo they get it."),
            *(chunk(WORDS[place : place + 7]) for place in range(0, len(WORDS), 7)),
            chunk(finish="stop"),
            USAGE,
            DONE,
        )
    ),
    calling("ho", "wrong"),
    Reply("One went wrong."),
    Stream((chunk("Half of "), chunk("it")), then="hang"),
    calling("wait"),
    Status(400, json.dumps({"error": {"message": "the server does not like it", "code": "odd"}})),
    Stream((chunk("Cut off"), chunk(finish="length"), DONE)),
    Reply("First version"),
    Reply("Second version"),
    Reply("They used a tool and stopped."),
)


def by_text(sam: Sitting, text: str) -> str:
    return next(message.id for message in sam.messages if text in message.text)


async def tell_it_all(sam: Sitting, folder: Path) -> None:
    """One conversation with everything that a row can show."""
    (folder / "sea.png").write_bytes(png(120, 80))
    (folder / "costs.pdf").write_bytes(made.report())
    sam.chat.composer.add_paths([folder / "sea.png", folder / "costs.pdf"])
    await sam.until(lambda: len(sam.chat.composer.tray.parts) == 2, "what is attached")
    await sam.until(lambda: "pages" in sam.chat.composer.chips.chips[1].detail(), "the document's text")
    await sam.send("Look at these")
    await sam.until(lambda: len(sam.messages) == 2, "the reply")
    await sam.answered()
    await say(sam, "Use the tool")
    sam.chat.send("Stop in the middle", ())
    await sam.until(lambda: sam.messages[-1].text == "Half of it", "the half")
    sam.chat.stop()
    await sam.answered()
    sam.chat.send("Stop the tool", ())
    await sam.until(lambda: sam.bus.ledger.open_calls, "the call that waits")
    await sam.until(lambda: "running" in {each.state for each in sam.bus.ledger.values()}, "its run")
    sam.chat.stop()
    await sam.answered()
    await say(sam, "Fail")
    await say(sam, "Be too long")
    await say(sam, "Say it twice")
    sam.chat.act_on_last_reply("regenerate")
    await sam.until(lambda: sam.messages[-1].text == "Second version", "the second version")
    await sam.answered()
    sam.bus.annotate(by_text(sam, "One went wrong"), pinned=True)
    sam.bus.annotate(by_text(sam, "Be too long"), context="never")
    sam.bus.annotate(by_text(sam, "Look at these"), context="keep")
    covered = [message.id for message in sam.messages[2:-8]]
    summary = await sam.chat.conversation.session.summarise(covered)
    assert isinstance(sam.bus.get(summary), DeveloperMessage)
    await sam.until(lambda: is_planned(sam), "what the next request holds")
    strip = sam.chat.chat_context.strip
    await sam.until(strip.isVisible, "the news of the summary")
    strip.close_button.click()  # it is no part of the conversation
    await sam.until(lambda: not strip.isVisible(), "its end")


def is_planned(sam: Sitting) -> bool:
    """Whether the rows know by now which of them the model gets."""
    covered, pinned, never = (
        sam.chat.context.fates.of(by_text(sam, text)) for text in ("Half of it", "One went wrong", "Be too long")
    )
    if covered is None or covered.fate != "summarised" or never is None or never.fate != "left_out":
        return False
    return pinned is None or pinned.fate != "summarised"


async def turn_over(sam: Sitting, message_ids: list[str]) -> None:
    """Open the cards, the thinking, the notes and the details there, and close what is open by itself."""
    turned: set[str] = set()
    for message_id in message_ids:
        sam.chat.timeline.show_message(message_id, mark=False)
        await laid_out(sam)
        turned |= turn_all_over(sam)
    assert turned == {"thinking", "opened", "closed", "note", "details"}
    assert sam.window._keep_soon.isActive()  # a program that is killed in a second leaves it so, too


async def look_elsewhere(sam: Sitting) -> None:
    """Show another conversation and this one again."""
    here = sam.chat.conversation.id
    sam.window.new_conversation()
    await sam.until(lambda: sam.chat.conversation.id != here, "the new conversation")
    sam.window.open_conversation(here)
    await sam.until(lambda: sam.chat.conversation.id == here, "the conversation")
    await sam.until(lambda: is_planned(sam), "what the next request holds")


async def say(sam: Sitting, text: str, *parts: Any) -> None:
    count = len(sam.messages)
    sam.chat.send(text, parts)
    await sam.until(lambda: len(sam.messages) > count, "the message")
    await sam.answered()


async def sit(sit_down: SitDown, base_url: str = "") -> Sitting:
    sitting = sit_down()
    sitting.program._tools.registry.add(Talkative())
    sam = await sitting.start()
    if base_url:
        sam.use_server(base_url)
    await sam.answered()
    return sam


def test_after_a_restart_the_screen_is_what_it_was(run: Run, sit_down: SitDown, tmp_path: Path) -> None:
    async def scenario() -> None:
        models = {"/v1/models": Json({"data": [{"id": "tiny"}]})}
        async with FaultServer(*STORY, paths=models) as server:
            sam = await sit(sit_down, server.base_url)
            await tell_it_all(sam, tmp_path)
            await sam.type("not sent yet")
            places = [by_text(sam, text) for text in ("Look at these", "Use the tool", "Stop the tool", "Say it twice")]
            await turn_over(sam, [places[0], places[2]])
            before = await rows_of(sam)
            pictures = [await picture_of(sam, place) for place in places]
            await look_elsewhere(sam)
            there = await picture_of(sam, by_text(sam, "Fail"))
            surroundings, messages = around(sam), sam.messages
            await sam.close()

            again = await sit(sit_down)
            assert again.messages == messages
            await again.until(lambda: is_planned(again), "what the next request holds")
            assert differing(await picture_of(again), there) == 0
            assert await rows_of(again) == before
            pictures_again = [await picture_of(again, place) for place in places]
            assert [differing(*pair) for pair in zip(pictures, pictures_again, strict=True)] == [0] * len(places)
            assert around(again) == surroundings
            await again.close()

    run(scenario())
