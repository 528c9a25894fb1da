"""Hostile messages: whatever a model or a file name can hold, mixed at random but the same for the same seed."""

from __future__ import annotations

import random

NAMES = (
    "<b>bold</b>",
    "<img src='http://127.0.0.1:{port}/x.png'>",
    "<a href='file:///etc/passwd'>x</a>",
    "&lt;b&gt; & Co",
    "R&D &Quit",
    "invoice\u202egpj.exe",
    "\u2066right\u2069 \u200fto left",
    "two\nlines\r\nand\ta tab\x1b[31m\x00",
    "[*] changed [*]",
    "%1 %2 {n} {name} {0}",
    "<table><tr><td>" * 20,
    "🙂" * 40,
    "a" * 3_000,
    "https://user:pass@evil.example/%2e%2e",
)

_PIECES = (
    "![x](http://127.0.0.1:{port}/a.png)",
    "![x](file:///etc/passwd)",
    "![x](//127.0.0.1:{port}/b.png 'title')",
    "![x](\\\\\\\\127.0.0.1\\\\share\\\\c.png)",
    "![x](data:image/png;base64,AAAA)",
    "![x](qrc:/qt/etc/x)",
    "<img src=http://127.0.0.1:{port}/d.png>",
    "<iframe src='http://127.0.0.1:{port}/e'></iframe>",
    "<style>@import url(http://127.0.0.1:{port}/f.css);</style>",
    "<link rel=stylesheet href=http://127.0.0.1:{port}/g.css>",
    "[a](javascript:alert(1))",
    "[b](file:///etc/passwd)",
    "[c][ref]\n\n[ref]: http://127.0.0.1:{port}/h",
    "http://127.0.0.1:{port}/i",
    "<http://127.0.0.1:{port}/j>",
    "```\n![x](http://127.0.0.1:{port}/k.png)",
    "```html\n<script>fetch('http://127.0.0.1:{port}/l')</script>\n```",
    "$\\input{/etc/passwd}$",
    "$$\\includegraphics{http://127.0.0.1:{port}/m.png}$$",
    "$x_{1}^{2}$",
    "\\(\\frac{1}{2}\\)",
    "| a | b |\n|--|--|\n| ![x](http://127.0.0.1:{port}/n.png) | <b>",
    "> " * 60 + "deep",
    "- " * 40 + "deep",
    "*" * 200,
    "[" * 200,
    "`" * 99,
    "&#x202e;&#0;&nbsp;" * 20,
    "\u202eturned\u202c \u0000 \ufffe \ud83d",
    "# " + "heading " * 40,
    "1. one\n   1. two\n      - three\n\n        four",
    "- [ ] [x](http://127.0.0.1:{port}/o)\n- [x] <img src=x>",
    "---\n===\n***",
    "a" * 2_000,
    "e\u0301" * 300,
    "שלום עולם, مرحبا",
    "\t\tcode\n\n    more",
    "<details><summary>x</summary>",
    "~~gone~~ **bold *both* bold** __under__",
    "&amp;lt;script&amp;gt;",
)


def documents(count: int, port: int, seed: int = 1) -> list[str]:
    """Return `count` texts that ask for addresses on 127.0.0.1:`port`, for files, and for a lot of time."""
    chance = random.Random(seed)
    made = []
    for _number in range(count):
        pieces = [chance.choice(_PIECES).replace("{port}", str(port)) for _ in range(chance.randint(1, 9))]
        text = chance.choice(("\n\n", "\n", " ", "")).join(pieces)
        if chance.random() < 0.3:
            at = chance.randrange(len(text))
            text = text[at:] + chance.choice(("", "`", "*", "[", "|", "\n```", "<", "$")) + text[:at]
        made.append(text.encode("utf-8", "replace").decode())
    return made


def names(port: int) -> list[str]:
    return [name.replace("{port}", str(port)) for name in NAMES]
