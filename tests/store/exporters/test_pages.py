"""Pages: what they show, and that nothing in them acts or loads, whatever a conversation says."""

from __future__ import annotations

import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QColor, QImage

from sam_py.paths import Paths, resources
from sam_py.store.exporters.html_paper import paper_slices
from sam_py.store.exporters.html_prose import code, prose
from sam_py.store.exporters.html_style import policy, style_sheet
from sam_py.store.exporters.run import Wanted
from tests.store.exporters.rich import HOSTILE, RICH, hostile_texts, put_hostile, put_rich
from tests.store.exporters.shelves import exported, library

BEACON = "http://127.0.0.1:1"
_ALLOWED = """
h1 dir; h2; h3; h4; h5; h6; em; strong; s; b; hr; br; li; thead; tbody; tr; ul dir; span class dir title; p class role;
a href rel; ol start dir; blockquote dir; code class; pre class dir; div class dir; table; th class; td class;
figure class; figcaption dir; img src alt width height; details class; summary; article class id;
header class; section class;
time datetime; html lang; head; body; main; title; style; meta charset http-equiv name content; path d fill;
svg class width height viewbox role aria-label; rect x y width height fill; line x1 y1 x2 y2 stroke stroke-width
"""
ALLOWED = {words[0]: set(words[1:]) for words in (each.split() for each in _ALLOWED.split(";"))}


class Strict(HTMLParser):
    """Reads a page and notes every tag and attribute that no page of ours has."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.faults: list[str] = []
        self.tags: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in ALLOWED:
            self.faults.append(f"<{tag}>")
            return
        for name, value in attrs:
            if name not in ALLOWED[tag]:
                self.faults.append(f"{tag} {name}={value!r}")
            if name == "href" and not re.match(r"(?:https?://|mailto:)", value or "", re.IGNORECASE):
                self.faults.append(f"href {value!r}")
            if name == "src" and not (value or "").startswith("data:image/"):
                self.faults.append(f"src {value!r}")
            if name == "fill" and not re.fullmatch(r"[\w#.-]+", value or ""):
                self.faults.append(f"fill {value!r}")

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def faults_in(markup: str) -> list[str]:
    parser = Strict()
    parser.feed(markup)
    parser.close()
    return parser.faults


@pytest.fixture
def home(tmp_path: Path) -> Paths:
    paths = library(tmp_path / "home")
    put_rich(paths, (resources() / "icons" / "app.png").read_bytes())
    return paths


pieces = st.lists(
    st.sampled_from(
        [*hostile_texts(BEACON), "\n", "\n\n", "`", "```", "$", "$$", "|", "- ", "> ", "](", "[", "<", ">", '"', "&#"]
    )
    | st.text(max_size=6),
    max_size=8,
).map("".join)


@settings(max_examples=120)
@given(pieces, st.sampled_from(["", "python", "html", "<b>", "x y"]))
def test_no_text_makes_active_content(text: str, language: str) -> None:
    assert faults_in(prose(text)) == []
    assert faults_in(code(text, language, text)) == []


def test_a_hostile_conversation_stays_text_wherever_it_speaks(home: Paths, tmp_path: Path) -> None:
    put_hostile(home, BEACON)
    page = exported(home, tmp_path / "x.html", "html", Wanted((HOSTILE,), branches=True)).decode()
    assert faults_in(page) == []
    assert page.count("<script>") == page.count("<iframe") == 0
    assert page.count("<style>") == 1
    archive = exported(home, tmp_path / "x.zip", "html")
    assert archive[:2] == b"PK"


def test_the_policy_allows_the_style_sheet_and_embedded_pictures_alone() -> None:
    assert policy().startswith("default-src 'none'; img-src data:; style-src 'sha256-")
    assert "unsafe" not in policy()
    assert "url(" not in style_sheet()
    assert "@import" not in style_sheet()


def test_a_page_shows_all_that_was_said_once(home: Paths, tmp_path: Path) -> None:
    shown = exported(home, tmp_path / "x.html", "html", Wanted((RICH,))).decode()
    everything = exported(home, tmp_path / "y.html", "html", Wanted((RICH,), branches=True)).decode()
    assert faults_in(everything) == []
    parser = Strict()
    parser.feed(everything)
    text = "".join(parser.text)
    for told in (
        "onions",
        "No such file",
        "味噌汁",
        "They want it quick",
        "Be a kind cook",
        "☑ onions",
        "ومع البصل؟",
        "try again",
    ):
        assert told in text, told
    assert everything.count("Onions go in") == 1
    assert "Onions go in" not in shown
    assert parser.tags.count("details") == 4
    assert (parser.tags.count("img"), parser.tags.count("svg"), parser.tags.count("table")) == (1, 3, 1)
    assert '<td class="right">45</td>' in everything
    assert '<span class="p-k">def</span>' in everything


def test_lists_quotes_and_tables_begin_at_the_side_of_their_script() -> None:
    page = prose("- بند\n\n> اقتباس\n\n| عمود |\n|---|\n| واحد |\n\n3. ثالث")
    for begun in (
        '<ul dir="auto">',
        '<blockquote dir="auto">',
        '<div class="scroll" dir="auto">',
        '<ol start="3" dir="auto">',
    ):
        assert begun in page
    assert "unicode-bidi:plaintext" in style_sheet()


def test_a_formula_that_would_be_drawn_for_hours_stands_there_as_its_source() -> None:
    fraction, chain = "x", r"\left( " * 30 + "x" + r" \right)" * 30
    for _ in range(30):
        fraction = rf"\frac{{1}}{{1+{fraction}}}"
    page = prose(f"$${fraction}$$\n\n$${chain}$$\n\n$$\\frac{{1}}{{1+x}}$$")
    assert page.count('<pre class="latex">') == 2
    assert page.count("<svg") == 1


def test_a_long_table_goes_on_below_its_head_in_the_next_slice_for_paper() -> None:
    rows = "".join(f"| row {number} | {'y' * 30} |\n" for number in range(20))
    slices = list(paper_slices(f"Before\n\n| head | b |\n|--|--|\n{rows}\nAfter", about=300))
    assert len(slices) > 2
    assert all(slice.count("<th>head</th>") == 1 == slice.count("</table>") for slice in slices if "<td>" in slice)
    assert re.findall(r"row \d+", "".join(slices)) == [f"row {number}" for number in range(20)]
    assert "".join(slices).endswith("<p>After</p>\n")


def test_bare_addresses_are_links_and_code_is_not() -> None:
    page = prose("See https://example.org/a_(b). `https://example.org/c` [d](https://example.org/d)")
    assert page.count("<a href") == 2
    assert 'href="https://example.org/a_(b)"' in page


def test_one_message_or_some_make_a_page(home: Paths, tmp_path: Path) -> None:
    one = exported(home, tmp_path / "x.html", "html", Wanted((RICH,), ("a4",))).decode()
    assert "Then leeks" in one
    assert "What does a" not in one
    assert "1 message ·" in one


@pytest.fixture(scope="module")
def chromium() -> str:
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("no Chromium is on this machine (apt-get install chromium)")
    return found


@pytest.fixture
def beacon() -> Iterator[tuple[str, list[str]]]:
    """A server that writes down what it is asked."""
    asked: list[str] = []

    class Beacon(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_arguments: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Beacon)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    thread.join()
    server.server_close()


def photographed(chromium: str, page: Path, *, dark: bool) -> tuple[QImage, str]:
    """How a browser shows a page, and what it complained about."""
    target = page.with_suffix(".png")
    command = [chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"]
    command += [f"--user-data-dir={page.parent / 'profile'}", "--window-size=900,2200", "--enable-logging=stderr"]
    command += [f"--blink-settings=preferredColorScheme={0 if dark else 1}", "--virtual-time-budget=2000"]
    ended = subprocess.run(
        [*command, f"--screenshot={target}", page.as_uri()], capture_output=True, check=True, timeout=55
    )
    return QImage(str(target)), "\n".join(line for line in ended.stderr.decode().splitlines() if "CONSOLE" in line)


def test_a_browser_loads_and_runs_nothing_of_a_hostile_page(
    home: Paths, tmp_path: Path, chromium: str, beacon: tuple[str, list[str]]
) -> None:
    address, asked = beacon
    put_hostile(home, address)
    exported(home, tmp_path / "x.html", "html", Wanted((HOSTILE,)))
    image, complaints = photographed(chromium, tmp_path / "x.html", dark=False)
    assert asked == []
    assert complaints == ""
    assert image.pixelColor(3, 3) == QColor("#ffffff")


def test_a_browser_shows_a_page_dark_with_its_picture(home: Paths, tmp_path: Path, chromium: str) -> None:
    exported(home, tmp_path / "x.html", "html", Wanted((RICH,)))
    image, complaints = photographed(chromium, tmp_path / "x.html", dark=True)
    assert complaints == ""
    assert image.pixelColor(3, 3) == QColor("#1b1c1e")
    colours = [image.pixelColor(x, y) for x in range(100, 800, 10) for y in range(100, 2000, 10)]
    assert sum(c.green() > c.red() + 40 and c.lightness() > 60 for c in colours) > 50  # the picture
    assert sum(c.lightness() > 180 for c in colours) > 60  # text
