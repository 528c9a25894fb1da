"""Demonstrations: every kind of formatting that a reply may have, on request."""

from __future__ import annotations

import math
import re
import struct
import zlib
from dataclasses import dataclass

from sam_py.providers.guide.handbook import handbook

MOST_WORDS = 20_000
_DEFAULT_WORDS = 600

HEADINGS = """# A heading of the first level
Text below it, with *emphasis*, **strong emphasis**, ***both***, ~~struck out~~ and `code in a line`.
## The second level
A line can be broken  
by two spaces at its end. A rule follows.

---
### The third level
#### And the fourth
Escaped characters stay as they are: \\*no emphasis\\*, 5 \\* 3, a\\_name, &amp; &lt;tag&gt;.
"""

LISTS = """## Lists
- A point
- Another one, long enough to be broken into a second line, so that one sees how the lines
  below the first are indented: they begin where the text begins and not below the mark
  - nested once
    - nested twice
      1. and numbered inside
      2. with a second number
- The last one

7. A list may begin at seven
8. and goes on

- [x] A task that is done
- [ ] A task that is open
  - [x] with a part that is done
"""

TABLE = """## Tables
| Left | Centred | Right | Formatted |
|:-----|:-------:|------:|-----------|
| apples | fresh | 3 | *emphasis* |
| pears | **ripe** | 12 | `code` |
| plums |  | 1,250 | [a link](https://example.org) |
| 日本語 | 中央 | 9 | a pipe \\| in a cell |
"""

CODE = '''## Code
Python:

```python
from collections.abc import Iterator


def primes(limit: int) -> Iterator[int]:
    """Yield the primes below `limit`: the sieve of Eratosthenes."""
    composite = bytearray(limit)
    for number in range(2, limit):
        if not composite[number]:
            yield number
            multiples = range(number * number, limit, number)
            composite[number * number :: number] = b"\\x01" * len(multiples)


print(f"{sum(primes(1_000)) = }")  # 76127
```

Rust:

```rust
fn main() {
    let total: u64 = (1..=10).filter(|n| n % 2 == 0).map(|n| n * n).sum();
    println!("the sum of even squares is {total}");
}
```

JavaScript:

```javascript
const greet = async (name = "world") => {
  const reply = await fetch(`/greet?name=${encodeURIComponent(name)}`);
  return reply.ok ? reply.json() : null; // no answer
};
```

SQL, shell, JSON and a difference:

```sql
SELECT author, COUNT(*) AS books
FROM library
WHERE year >= 1990  -- newer ones
GROUP BY author
ORDER BY books DESC
LIMIT 5;
```

```bash
for file in *.md; do printf '%s: %s words\\n' "$file" "$(wc -w < "$file")"; done
```

```json
{"name": "SAM", "offline": true, "ports": [11434, 1234, 8080], "nested": {"empty": null}}
```

```diff
- The old line
+ The new line
  A line that stays
```

And a block with no language, with a line that is much too long for the window: it can be moved sideways.

```
0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789
```
'''

MATHS = """## Mathematics
In a line: the area of a circle is $A = \\pi r^2$, and $e^{i\\pi} + 1 = 0$. A price of $5 or $10 is no formula.

On its own:

$$\\int_{-\\infty}^{\\infty} e^{-x^2}\\,dx = \\sqrt{\\pi}$$

$$x_{1,2} = \\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}$$

A sum and a matrix:

$$\\sum_{k=1}^{n} k = \\frac{n(n+1)}{2} \\qquad \\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}$$
"""

QUOTES = """## Quotes, links and notes
> A quotation. It may have **emphasis**, and more than one paragraph.
>
> > A quotation inside it.

Links: [the Python website](https://www.python.org), a bare address https://example.org/path?query=1, and one in angle
brackets <https://example.org>. A note stands below.¹

¹ *This is how a note looks.*
"""

SCRIPTS = """## Scripts and signs
- Emoji: 🙂 🎉 👩‍💻 🇪🇺 👍🏽 ❤️
- Chinese, Japanese, Korean: 你好，世界。こんにちは世界。안녕하세요 세계.
- Arabic and Hebrew, from right to left: مرحبا بالعالم — שלום עולם
- Greek and Cyrillic: Καλημέρα κόσμε. Привет, мир.
- Devanagari and Thai: नमस्ते दुनिया. สวัสดีชาวโลก
- Accents: naïve café, Ångström, Łódź, İstanbul
- Typography: “quotes”, ‘single’, – and — dashes, …, 20 °C, ½, x², → ✓ ✗

مرحبا! هذه فقرة كاملة من اليمين إلى اليسار، وفيها كلمة English وأرقام 123.
"""

IMAGE = """## Images
Above stands an image that came with this reply. A picture at an address on the internet is named and not loaded:

![A picture that is not loaded](https://example.org/picture.png)
"""

THINKING = (
    "The person asks to see how thinking looks.\n\nI am the guide and think nothing: this text was written before. "
    "A model that reasons would go through its steps here, for example:\n\n"
    "1. What is asked?\n2. What is known?\n3. What follows?\n\nThen it begins to answer."
)

THINKING_ANSWER = """## Thinking
Above this reply stands one folded line. Open it to read what was thought, close it to read only the reply.
"""


@dataclass(frozen=True, slots=True)
class Demo:
    text: str
    thinking: str = ""
    image: bytes = b""
    """A PNG that stands before the text."""


_PARTS = {
    "headings": HEADINGS,
    "list": LISTS,
    "table": TABLE,
    "code": CODE,
    "maths": MATHS,
    "quotes": QUOTES,
    "scripts": SCRIPTS,
}
_ALIASES = {
    "formatting": "formatting", "format": "formatting", "markdown": "formatting", "everything": "formatting",
    "formatted text": "formatting", "all formatting": "formatting", "every kind of formatting": "formatting",
    "heading": "headings", "headings": "headings", "emphasis": "headings", "bold": "headings",
    "list": "list", "lists": "list", "task list": "list", "task lists": "list", "nested list": "list",
    "bullets": "list", "table": "table", "tables": "table",
    "code": "code", "code block": "code", "code blocks": "code", "some code": "code", "syntax highlighting": "code",
    "math": "maths", "maths": "maths", "mathematics": "maths", "formula": "maths", "formulas": "maths",
    "latex": "maths", "equation": "maths", "equations": "maths",
    "quote": "quotes", "quotes": "quotes", "links": "quotes", "link": "quotes", "footnote": "quotes",
    "emoji": "scripts", "emojis": "scripts", "scripts": "scripts", "rtl": "scripts", "cjk": "scripts",
    "unicode": "scripts", "languages": "scripts", "right to left": "scripts",
    "image": "image", "images": "image", "picture": "image", "pictures": "image",
    "thinking": "thinking", "reasoning": "thinking",
    "long answer": "long", "long reply": "long", "long text": "long", "longer answer": "long",
}  # fmt: skip
_ASKING = re.compile(
    r"^(?:(?:please|can|could|would|will|you|me|us|show|give|demo|demonstrate|display|render|print|see|write|make|draw|"
    r"an?|the|some|what|i|want|to|like|example|examples|sample|of|how|looks?|look)\b[\s,:]*)+",
)
_TRAILING = re.compile(r"(?:\s+(?:please|demo|example|examples|sample|looks?|look|like))+$")
_WORDS = re.compile(r"\b(\d{1,7})\s*[- ]?\s*words?\b")
_WORD = re.compile(r"\S*\w\S*")
_LENGTHY = re.compile(r"\b(?:write|long|answer|text|essay|give|show|generate|reply)\b|^\W*\d+\s*words?\W*$")


def demo_for(question: str) -> Demo | None:
    """The demonstration that the question asks for, or None where it asks for something else.

    >>> demo_for("show me the keyboard shortcuts") is None
    True
    """
    plain = " ".join(re.sub(r"[-,.!?…]", " ", question.lower()).split())
    counted = _WORDS.search(plain)
    if counted and _LENGTHY.search(plain) and len(plain) < 120:
        return Demo(long_answer(int(counted.group(1))))
    asked = _TRAILING.sub("", _ASKING.sub("", plain)).strip()
    name = _ALIASES.get(plain) or _ALIASES.get(asked)
    if name is None and " and " in asked:
        words = re.sub(r"\b(?:and|some|an?|the)\b", " ", asked).split()
        several = [_ALIASES.get(each, "") for each in words]
        if several and all(each in _PARTS for each in several):  # "tables, lists and maths"
            return Demo("\n".join(_PARTS[each] for each in dict.fromkeys(several)))
    match name:
        case None:
            return None
        case "formatting":
            return Demo("\n".join(_PARTS.values()))
        case "image":
            return Demo(IMAGE, image=drawing())
        case "thinking":
            return Demo(THINKING_ANSWER, thinking=THINKING)
        case "long":
            return Demo(long_answer(_DEFAULT_WORDS))
        case _:
            return Demo(_PARTS[name])


def long_answer(words: int) -> str:
    """The handbook read aloud, from its start and over again, cut after `words` words (at most 20,000)."""
    wanted = max(1, min(words, MOST_WORDS))
    pieces: list[str] = []
    left = wanted
    while left > 0:
        for page in handbook():
            for section in page.sections:
                text = f"{'##' if section.is_opening else '###'} {section.heading}\n\n{section.text}\n\n"
                count = len(_WORD.findall(text))
                if count >= left:
                    pieces.append(_cut(text, left))
                    return "".join(pieces)
                pieces.append(text)
                left -= count
    return "".join(pieces)


def _cut(text: str, words: int) -> str:
    ends = [match.end() for match in _WORD.finditer(text)]
    cut = text[: ends[words - 1]]
    return cut + ("\n```" if cut.count("```") % 2 else "")


_HILLS = ((0.66, 0.20, 4.1, (88, 138, 118)), (0.74, 0.16, 2.6, (43, 96, 85)), (0.86, 0.10, 1.0, (24, 62, 58)))
"""From far to near: where the foot is and how high, as parts of the height; where along the wave; red, green, blue."""


def drawing(width_px: int = 480, height_px: int = 270) -> bytes:
    """A PNG with hills under an evening sky, so that an image can be shown without a file. About 10 ms."""
    row_bytes = 1 + 3 * width_px  # each row begins with its filter: 0, none
    pixels = bytearray()
    for y in range(height_px):
        light = y / height_px
        pixels += b"\x00" + bytes((190 + int(60 * light), 150 + int(64 * light), 186 + int(30 * light))) * width_px
    radius = height_px * 0.09
    for y in range(int(height_px * 0.3 - radius), int(height_px * 0.3 + radius) + 1):
        half = int(math.sqrt(max(0.0, radius**2 - (y - height_px * 0.3) ** 2)))
        start = y * row_bytes + 1 + 3 * (int(width_px * 0.7) - half)
        pixels[start : start + 6 * half] = b"\xff\xf4\xd6" * (2 * half)
    for foot, height, shift, colour in _HILLS:
        for x in range(width_px):
            wave = (x / width_px * 2 + shift) % 2 - 1
            top = int((foot - height * (1 - wave * wave)) * height_px)
            for channel, value in enumerate(colour):
                start = top * row_bytes + 1 + 3 * x + channel
                pixels[start::row_bytes] = bytes((value,)) * (height_px - top)
    header = struct.pack(">IIBBBBB", width_px, height_px, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(bytes(pixels), 6)), (b"IEND", b""))
    body = b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + body
