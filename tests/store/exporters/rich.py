"""A conversation with everything that a page has to show, and one with everything that it must not obey."""

from __future__ import annotations

from datetime import timedelta

from sam_py.messages.history import (
    BranchSelected,
    ErrorOccurred,
    HistoryEvent,
    MessageAdded,
    SettingsChanged,
)
from sam_py.messages.message import AssistantMessage, Message, SystemMessage, ToolResultMessage, UserMessage
from sam_py.messages.parts import (
    CodePart,
    FilePart,
    ImagePart,
    TextPart,
    ThinkingTextPart,
    ToolCallPart,
    UnknownPart,
)
from sam_py.paths import Paths
from tests.store.exporters.shelves import put, put_attachment
from tests.store.kit import START

RICH, HOSTILE = "a" * 32, "e" * 32

_FOUND = "1. Soupe à l’oignon\n2. 味噌汁"
ANSWER = r"""The soup needs **three** things; see [the book](https://example.org/soup?a=1&b=2 "A book").

1. Stock
   - [x] onions
   - [ ] carrots
2. Time, *a lot* of it, ~~not little~~

> A watched pot never boils.

| Step | Minutes | Temperature |
|------|--------:|:-----------:|
| Sweat | 10 | 90 °C |
| Simmer | 45 | $T = 95\,^{\circ}$ |

```python
def simmer(pot: Pot, minutes: int = 45) -> None:
    # keep the lid on
    for _ in range(minutes):
        pot.stir(gently=True, note="don't boil")
```

Inline `code` and maths: the loss is $\Delta E = m c \frac{T_1 - T_0}{\eta}$ per pot.

$$\int_0^{t} e^{-\lambda x}\,dx = \frac{1 - e^{-\lambda t}}{\lambda}$$

![a picture](https://example.org/pot.png)

---

That is all."""


def _events(messages: list[Message]) -> list[HistoryEvent]:
    return [
        MessageAdded(message=message.model_copy(update={"created_at": START + timedelta(minutes=number)}))
        for number, message in enumerate(messages)
    ]


def put_rich(paths: Paths, picture: bytes) -> None:
    """A long talk about soup: branches, tools, thinking, code, a table, formulas, files, errors."""
    hash = put_attachment(paths, picture)
    arguments = '{"query": "onion soup", "most": 3}'
    asked = (
        TextPart(text="What does a *good* soup need?\nIt must not take all day."),
        ImagePart(attachment=hash, alt="My pot"),
    )
    called = ToolCallPart(call_id="c1", tool_name="search_recipes", arguments_json=arguments)
    broken = ToolCallPart(call_id="c2", tool_name="read_file", arguments_json='{"path": "soup.md"}')
    messages: list[Message] = [
        SystemMessage(id="s", parts=(TextPart(text="Be a kind cook."),)),
        UserMessage(
            id="u1",
            parent_id="s",
            pinned=True,
            parts=(*asked, FilePart(attachment="0" * 64, filename="menu.pdf", size=120_000)),
        ),
        AssistantMessage(
            id="a1",
            parent_id="u1",
            model="big-cook-1",
            parts=(
                ThinkingTextPart(text="They want it quick; I look it up."),
                TextPart(text="Let me look."),
                called,
                broken,
            ),
        ),
        ToolResultMessage(
            id="t1",
            parent_id="a1",
            call_id="c1",
            tool_name="search_recipes",
            status="success",
            output_text="1. Soupe à l’oignon\n2. 味噌汁",
        ),
        ToolResultMessage(
            id="t2", parent_id="t1", call_id="c2", tool_name="read_file", status="error", output_text="No such file"
        ),
        AssistantMessage(id="a2", parent_id="t2", model="big-cook-1", parts=(TextPart(text=ANSWER),)),
        UserMessage(
            id="u2",
            parent_id="a2",
            parts=(TextPart(text="ومع البصل؟"), CodePart(code="SELECT 1;", language="sql", filename="q.sql")),
        ),
        AssistantMessage(
            id="a3", parent_id="u2", model="small-1", stop_reason="aborted", parts=(TextPart(text="Onions go in"),)
        ),
        UserMessage(id="u3", parent_id="a2", parts=(TextPart(text="And without onions?"),)),
        AssistantMessage(
            id="a4",
            parent_id="u3",
            model="small-1",
            parts=(TextPart(text="Then leeks."), UnknownPart.model_validate({"kind": "hologram"})),
        ),
    ]
    error = ErrorOccurred(message_id="a4", code="cut_off", text="The connection broke off: try again.", at=START)
    title = SettingsChanged(key="title", value="A soup that does not take all day")
    put(paths, RICH, [title, *_events(messages), BranchSelected(parent_id="a2", message_id="u3"), error])


def hostile_texts(beacon: str) -> list[str]:
    """What tries to act or to load; `beacon` is an address that must never be asked."""
    own = "document.title='PWNED'"
    script = f"<script>{own}</script>"
    styles = f"@import url('{beacon}/import');body{{background:url({beacon}/bg)}}"
    return [
        f"<script>{own};fetch('{beacon}/script')</script>",
        f"<img src='{beacon}/img' onerror=\"{own}\">",
        f"![x]({beacon}/markdown-image) ![y](javascript:{own})",
        f"[x](javascript:{own}) <javascript:alert(1)> [z](data:text/html,{script})",
        f"<iframe src='{beacon}/frame'></iframe><object data='{beacon}/object'></object><embed src='{beacon}/embed'>",
        f"<link rel=stylesheet href='{beacon}/css'><style>{styles}</style>",
        f"<meta http-equiv=refresh content='0;url={beacon}/refresh'><base href='{beacon}/'>",
        f"<svg onload=\"{own}\"><image href='{beacon}/svg'/></svg>",
        f"</style></title></textarea></pre></code></details>{script}",
        f"<form action='{beacon}/form'><input autofocus onfocus=\"{own}\"></form>",
        f'```">{script}\n</code></pre>{script}\n```',
        f"$</svg>{script}$ $$\\href{{{beacon}/maths}}{{x}}$$ \\(\\text{{<img src={beacon}/t>}}\\)",
        f'| {script} | b |\n|---|---|\n| <img src={beacon}/cell> | " onmouseover=alert(1) x=" |',
        f'" onclick="{own}" a="\' style="position:fixed"',
        "\x00\x1b]0;x\x07 \u202e\u2066 \ufdd0 &#x3c;script&#x3e; &lt;script&gt;",
        f"<audio src='{beacon}/audio' autoplay></audio><video poster='{beacon}/p'></video><math href={beacon}>",
    ]


def put_hostile(paths: Paths, beacon: str) -> None:
    """Those texts in every place that a conversation has for one."""
    svg = put_attachment(paths, f"<svg xmlns='http://www.w3.org/2000/svg' onload=\"fetch('{beacon}/a')\"/>".encode())
    messages: list[Message] = []
    for number, text in enumerate(hostile_texts(beacon)):
        above = messages[-1].id if messages else None
        call = ToolCallPart(call_id=f"c{number}", tool_name=text, arguments_json=text)
        pictures = (
            ImagePart(attachment=svg, alt=text, mime_type="image/svg+xml"),
            ImagePart(url=f"{beacon}/url", alt=text),
            ImagePart(url=f"javascript:{text}", alt=text),
            FilePart(attachment=svg, filename=text),
        )
        messages += [
            UserMessage(id=f"u{number}", parent_id=above, parts=(TextPart(text=text), *pictures)),
            AssistantMessage(
                id=f"a{number}",
                parent_id=f"u{number}",
                model=text,
                parts=(
                    ThinkingTextPart(text=text),
                    TextPart(text=text),
                    CodePart(code=text, language=text, filename=text),
                    UnknownPart.model_validate({"kind": text}),
                    call,
                ),
            ),
            ToolResultMessage(
                id=f"t{number}",
                parent_id=f"a{number}",
                call_id=f"c{number}",
                tool_name=text,
                status="success",
                output_text=text,
            ),
        ]
    everything = " ".join(hostile_texts(beacon))
    settings = [SettingsChanged(key=key, value=everything) for key in ("title", "folder")]
    errors = [ErrorOccurred(message_id="a0", code=everything, text=everything, at=START)]
    put(paths, HOSTILE, [*settings, *_events(messages), *errors])
