"""Documents made on the spot: real files of each kind, and files that mean harm."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence

CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="O/book.opf"/></rootfiles></container>'
)
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def zipped(members: Mapping[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def with_member(data: bytes, name: str, content: str | bytes) -> bytes:
    """The archive `data` with one member put in another's place, or added."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members: dict[str, str | bytes] = {each: archive.read(each) for each in archive.namelist()}
    return zipped(members | {name: content})


def lying(data: bytes, name: str, size: int) -> bytes:
    """The archive `data`, which now says that a member unpacks to `size` bytes."""
    place = data.rindex(name.encode()) - 46  # of its entry in the central directory
    assert data[place : place + 4] == b"PK\x01\x02"
    return data[: place + 24] + size.to_bytes(4, "little") + data[place + 28 :]


def pdf(pages: Sequence[Sequence[tuple[float, float, str]]], *, trailer: str = "", title: str = "A report") -> bytes:
    """A PDF with these words (x, y from below, text) on each page."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"", b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    objects.append(f"<< /Title ({title}) >>".encode())
    kids = []
    for words in pages:
        drawn = "".join(f"BT /F1 11 Tf {x} {y} Td ({text}) Tj ET\n" for x, y, text in words).encode("latin-1")
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawn), drawn))
        kids.append(len(objects) + 1)
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R >> >> >>" % len(objects)
        )
    objects[1] = f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(f'{kid} 0 R' for kid in kids)}] >>".encode()
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<< /Size %d /Root 1 0 R /Info 4 0 R %s >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1,
        trailer.encode(),
        start,
    )
    return bytes(out)


def report() -> bytes:
    """Two pages: a heading with a table of three columns, and a page without a word."""
    rows = [("Item", "Price", "Count"), ("Tea", "2.50", "7"), ("Salt and pepper", "10.00", "12"), ("Rice", "0.75", "3")]
    words = [(72.0, 780.0, "The costs of May"), (72.0, 760.0, "All prices are in euro.")]
    for line, row in enumerate(rows):
        words += [(x, 700.0 - 20 * line, text) for x, text in zip((72.0, 250.0, 400.0), row, strict=True)]
    words.append((72.0, 600.0, "That is all."))
    return pdf([words, []])


def locked_pdf() -> bytes:
    """Encrypted (RC4, 40 bits) with a password that nobody knows."""
    blank = "00" * 32
    return pdf(
        [[(72, 700, "secret")]],
        trailer=f"/ID [<00112233445566778899aabbccddeeff> <00112233445566778899aabbccddeeff>] "
        f"/Encrypt << /Filter /Standard /V 1 /R 2 /O <{blank}> /U <{blank}> /P -44 >>",
    )


def docx() -> bytes:
    import docx as library

    book = library.Document()
    book.core_properties.title = "The plan"
    book.add_heading("Plan", 1)
    book.add_paragraph("We spend little. Żółć, 中文.")
    for text in ("First", "Second"):
        book.add_paragraph(text, style="List Number")
    book.add_paragraph("A point", style="List Bullet")
    table = book.add_table(2, 3)
    for index, text in enumerate(("Name", "City", "Age", "Ada | Byron", "", "36")):
        table.cell(index // 3, index % 3).text = text
    table.cell(1, 0).merge(table.cell(1, 1))
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def xlsx() -> bytes:
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Costs"
    for row in (["Item", "Price", "Twice"], ["Tea", 2.5, "=B2*2"], ["Salt", 0.1 + 0.2, None]):
        sheet.append(row)
    hidden = book.create_sheet("Rates")
    hidden.sheet_state = "hidden"
    hidden["B2"] = 42
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def pptx() -> bytes:
    import pptx as library
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE

    show = library.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[1])
    slide.shapes.title.text = "Growth"
    slide.placeholders[1].text = "It grows"
    slide.notes_slide.notes_text_frame.text = "Smile here"
    table = slide.shapes.add_table(2, 2, 0, 0, 100_000, 100_000).table
    for index, text in enumerate(("Year", "Sum", "2025", "17")):
        table.cell(index // 2, index % 2).text = text
    numbers = CategoryChartData()
    numbers.categories = ["East", "West"]
    numbers.add_series("Sales", (1.5, 2))
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 0, 100_000, 100_000, numbers)
    out = io.BytesIO()
    show.save(out)
    return out.getvalue()


def epub(chapters: Sequence[str] = ("<h2>One</h2><p>Once upon a time</p>", "<p>The end</p>"), **more: str) -> bytes:
    names = [f"chapter {number}.xhtml" for number in range(1, len(chapters) + 1)]
    items = "".join(
        f'<item id="c{number}" href="{name.replace(" ", "%20")}" media-type="application/xhtml+xml"/>'
        for number, name in enumerate(names)
    )
    order = "".join(f'<itemref idref="c{number}"/>' for number in range(len(names)))
    listing = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>'
        f"<dc:title>A tale</dc:title></metadata><manifest>{items}</manifest><spine>{order}</spine></package>"
    )
    pages = {f"O/{name}": f"<html><body>{text}</body></html>" for name, text in zip(names, chapters, strict=True)}
    fixed = {"mimetype": "application/epub+zip", "META-INF/container.xml": CONTAINER, "O/book.opf": listing}
    return zipped({**fixed, **pages, **more})


def html() -> bytes:
    return (
        b"<!doctype html><html><head><title>Shop</title><style>p { }</style></head><body><h1>Wares</h1>"
        b"<p>Look at <a href='https://shop.example/x'>these</a>.</p><ul><li>tea<ul><li>green</li></ul></li><li>rice</ul>"
        b"<table><tr><th>a<th>b<tr><td>1<td>2</table><p hidden>unseen</p><script>alert(1)</script><pre>x\n  y</pre>"
    )


def csv() -> bytes:
    return "Größe;Preis\n10;1,50\n20;2,75\n".encode("cp1252")
