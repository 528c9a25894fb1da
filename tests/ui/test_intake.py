"""The intake: what is attached is judged by its content, made fit to send, or refused in a sentence that names it."""

from __future__ import annotations

import asyncio
import hashlib
import os
import struct
import threading
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QBuffer, QByteArray, QIODevice
from PySide6.QtGui import QColor, QImage, QImageWriter

from sam_py.messages.documents import Document
from sam_py.messages.parts import CodePart, FilePart, ImagePart
from sam_py.ui.chat.attachments_images import PictureError, fit_picture, without_metadata
from sam_py.ui.chat.attachments_intake import (
    DOCUMENT_MAX_BYTES,
    IMAGE_MAX_BYTES,
    GivenBytes,
    Intake,
    IntakeCancelled,
    IntakeError,
    PastedImage,
    PastedText,
    Source,
    Taken,
    read_source,
)
from sam_py.ui.chat.attachments_sniff import sniff, text_encoding
from tests.fakes.permissions import can_hold, permissions_hold


class Kept:
    """An attachment store in memory."""

    def __init__(self) -> None:
        self.contents: dict[str, bytes] = {}

    async def put(self, content: bytes) -> str:
        digest = hashlib.sha256(content).hexdigest()
        self.contents[digest] = content
        return digest


def take(source: Source, kept: Kept | None = None) -> Taken:
    intake = Intake((kept or Kept()).put)
    try:
        return asyncio.run(intake.take(source))
    finally:
        intake.close()


def encoded(image: QImage, form: bytes = b"PNG") -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    assert QImageWriter(buffer, QByteArray(form)).write(image)
    return bytes(buffer.data().data())


def picture(width: int, height: int, colour: str = "#3f6fb5") -> QImage:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor(colour))
    return image


def one_bit_png(width: int, height: int) -> bytes:
    """A valid PNG of any size in a few kilobytes: white, one bit a pixel."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    packer = zlib.compressobj(1)
    row = b"\x00" + b"\xff" * ((width + 7) // 8)
    body = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def with_exif(jpeg: bytes, orientation: int) -> bytes:
    entry = struct.pack(">HHIHH", 0x0112, 3, 1, orientation, 0)
    tiff = b"MM\x00*" + struct.pack(">IH", 8, 1) + entry + struct.pack(">I", 0)
    body = b"Exif\x00\x00" + tiff + b"GPS 52.52 13.40"
    return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body + jpeg[2:]


def test_a_small_png_is_kept_byte_for_byte(tmp_path: Path) -> None:
    data = encoded(picture(64, 48))
    (tmp_path / "a.png").write_bytes(data)
    kept = Kept()
    taken = take(tmp_path / "a.png", kept)
    assert isinstance(taken.part, ImagePart)
    assert (taken.part.width, taken.part.height, taken.part.mime_type) == (64, 48, "image/png")
    assert taken.part.attachment is not None
    assert kept.contents[taken.part.attachment] == data
    assert taken.thumbnail is not None
    assert taken.note == ""


def test_a_hundred_megapixel_picture_is_scaled_while_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "huge.png").write_bytes(one_bit_png(10_000, 10_000))
    taken = take(tmp_path / "huge.png")
    assert isinstance(taken.part, ImagePart)
    assert (taken.part.width, taken.part.height) == (2048, 2048)
    assert "10000 × 10000" in taken.note
    assert "2048 × 2048" in taken.note


def test_a_decompression_bomb_is_refused_by_its_header(tmp_path: Path) -> None:
    bomb = bytearray(one_bit_png(16, 16))
    bomb[16:24] = struct.pack(">II", 60_000, 60_000)
    bomb[29:33] = struct.pack(">I", zlib.crc32(bytes(bomb[12:29])))
    (tmp_path / "bomb.png").write_bytes(bomb)
    with pytest.raises(IntakeError, match=r"“bomb\.png” has 60000 × 60000 pixels, more than this program opens"):
        take(tmp_path / "bomb.png")


def test_a_photo_is_turned_upright_and_loses_its_place(tmp_path: Path) -> None:
    (tmp_path / "photo.jpg").write_bytes(with_exif(encoded(picture(60, 40), b"JPEG"), 6))
    kept = Kept()
    part = take(tmp_path / "photo.jpg", kept).part
    assert isinstance(part, ImagePart)
    assert (part.width, part.height) == (40, 60)
    assert not any(b"GPS" in content for content in kept.contents.values())


def test_an_upright_photo_loses_its_metadata_and_no_pixel() -> None:
    plain = encoded(picture(60, 40), b"JPEG")
    cleaned = without_metadata(with_exif(plain, 1))
    assert b"Exif" not in cleaned
    assert QImage.fromData(cleaned) == QImage.fromData(plain)


@settings(max_examples=30)
@given(st.binary(max_size=200))
def test_cleaning_any_bytes_neither_fails_nor_loops(data: bytes) -> None:
    assert len(without_metadata(b"\xff\xd8" + data)) <= len(data) + 2


def test_a_bitmap_becomes_a_png(tmp_path: Path) -> None:
    (tmp_path / "a.bmp").write_bytes(encoded(picture(20, 20), b"BMP"))
    part = take(tmp_path / "a.bmp").part
    assert isinstance(part, ImagePart)
    assert part.mime_type == "image/png"


def test_a_damaged_picture_is_named(tmp_path: Path) -> None:
    (tmp_path / "torn.png").write_bytes(encoded(picture(64, 48))[:60])
    with pytest.raises(IntakeError, match=r"“torn\.png” is damaged"):
        take(tmp_path / "torn.png")


def test_a_picture_of_a_kind_that_qt_cannot_open_says_what_to_do() -> None:
    with pytest.raises(PictureError, match="unsupported"):
        fit_picture(b"\x00\x00\x00\x18ftypheic" + b"\x00" * 100, "image/heic")


def test_a_picture_file_over_the_limit_is_refused_with_both_sizes(tmp_path: Path) -> None:
    (tmp_path / "big.png").write_bytes(encoded(picture(8, 8)) + b"\x00" * IMAGE_MAX_BYTES)
    with pytest.raises(IntakeError, match=r"“big\.png” has 20 MB; a picture may have at most 20 MB"):
        take(tmp_path / "big.png")


def test_a_clipboard_picture_is_kept_as_png() -> None:
    part = take(PastedImage(picture(3000, 100), "Pasted picture.png")).part
    assert isinstance(part, ImagePart)
    assert part.width == 2048
    assert part.mime_type == "image/png"


def test_code_becomes_a_code_part_with_its_language(tmp_path: Path) -> None:
    (tmp_path / "main.rs").write_text("fn main() {}\n", encoding="utf-8")
    assert take(tmp_path / "main.rs").part == CodePart(code="fn main() {}\n", language="rust", filename="main.rs")


def test_svg_and_html_are_text_and_never_drawn(tmp_path: Path) -> None:
    for name, language in (("a.svg", "xml"), ("b.html", "html")):
        (tmp_path / name).write_text("<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>", "utf-8")
        part = take(tmp_path / name).part
        assert isinstance(part, CodePart)
        assert part.language == language


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1"])
def test_text_is_read_in_its_own_encoding(tmp_path: Path, encoding: str) -> None:
    text = "Une journée à la mer, déjà vécue.\n" * 5
    (tmp_path / "note.txt").write_bytes(text.encode(encoding))
    part = take(tmp_path / "note.txt").part
    assert isinstance(part, CodePart)
    assert part.code == text


def test_a_long_text_becomes_a_stored_file(tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text("line\n" * 300_000, encoding="utf-8")
    kept = Kept()
    part = take(tmp_path / "log.txt", kept).part
    assert isinstance(part, FilePart)
    assert part.mime_type == "text/plain"
    assert len(kept.contents[part.attachment]) == part.size == 1_500_000


def test_a_pdf_is_stored_whatever_its_name(tmp_path: Path) -> None:
    (tmp_path / "paper").write_bytes(b"%PDF-1.7\n" + bytes(range(256)))
    part = take(tmp_path / "paper").part
    assert isinstance(part, FilePart)
    assert part.mime_type == "application/pdf"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.bin", bytes(range(256)) * 8),
        ("x.zip", b"PK\x03\x04\x14\x00\x00\x00\x08\x00" + bytes(range(256))),
        ("song.txt", b"ID3\x04\x00\x00\x00\x00\x00#" + bytes(range(256)) * 4),
        ("program", b"\x7fELF\x02\x01\x01" + b"\x00" * 64),
    ],
)
def test_a_binary_file_is_refused_by_name(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(IntakeError) as refused:
        take(tmp_path / name)
    assert str(refused.value) == f"“{name}” is not text, an image or a document, so the model could not read it."


def test_an_old_office_document_is_refused_with_a_way_out(tmp_path: Path) -> None:
    (tmp_path / "letter.doc").write_bytes(b"\xd0\xcf\x11\xe0" + b"\x00" * 600)
    with pytest.raises(IntakeError, match="Save it as PDF, or in the newer format of Word"):
        take(tmp_path / "letter.doc")


def test_an_archive_with_a_documents_name_is_called_damaged(tmp_path: Path) -> None:
    (tmp_path / "letter.docx").write_bytes(b"PK\x03\x04" + b"\x00" * 30)
    with pytest.raises(IntakeError, match="is damaged or not what its name says"):
        take(tmp_path / "letter.docx")


def test_an_office_document_with_a_password_is_named_as_such(tmp_path: Path) -> None:
    packed = b"\xd0\xcf\x11\xe0" + b"\x00" * 600 + "EncryptedPackage".encode("utf-16-le")
    (tmp_path / "secret.xlsx").write_bytes(packed)
    with pytest.raises(IntakeError, match="is protected by a password"):
        take(tmp_path / "secret.xlsx")


def test_what_is_no_readable_file_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").touch()
    os.mkfifo(tmp_path / "pipe")
    for name, words in (
        ("gone.txt", "no longer there"),
        ("empty.txt", "is empty"),
        (".", "is a folder"),
        ("pipe", "is a device"),
    ):
        with pytest.raises(IntakeError, match=words):
            take(tmp_path / name if name != "." else tmp_path)


@pytest.mark.skipif(not can_hold(), reason="a superuser may read and write everything")
def test_a_file_without_permission_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("x", encoding="utf-8")
    (tmp_path / "secret.txt").chmod(0)
    with permissions_hold(), pytest.raises(IntakeError, match="lack the permission"):
        take(tmp_path / "secret.txt")


def test_a_file_name_is_not_taken_as_a_format(tmp_path: Path) -> None:
    (tmp_path / "{0}{name}.bin").write_bytes(bytes(range(256)))
    with pytest.raises(IntakeError, match=r"“\{0\}\{name\}.bin” is not text"):
        take(tmp_path / "{0}{name}.bin")


def test_reading_stops_when_it_is_cancelled(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("words", encoding="utf-8")
    stop = threading.Event()
    stop.set()
    with pytest.raises(IntakeCancelled):
        read_source(tmp_path / "a.txt", stop)


def test_a_pasted_text_over_a_megabyte_is_stored(tmp_path: Path) -> None:
    part = take(PastedText("ä" * 600_000, "Pasted text.txt")).part
    assert isinstance(part, FilePart)
    assert part.size == 1_200_000


@settings(max_examples=60)
@given(st.text(min_size=1, max_size=300).filter(lambda text: not any(c < " " and c not in "\t\n\r" for c in text)))
def test_any_printable_utf8_is_text(text: str) -> None:
    data = text.encode()
    kind = sniff(data)
    if kind.kind == "text" and kind.encoding in ("utf-8", "utf-8-sig"):
        assert data.decode(kind.encoding) in (text, text.removeprefix("\ufeff"))
    else:
        assert text.startswith(("BM", "GIF8", "II*", "MM", "RIFF")) or "%PDF-" in text or data[4:8] == b"ftyp"


@settings(max_examples=60)
@given(st.binary(max_size=400))
def test_whatever_is_called_text_decodes(data: bytes) -> None:
    if encoding := text_encoding(data):
        data.decode(encoding)


def test_what_a_program_hands_over_is_judged_like_a_file() -> None:
    assert isinstance(take(GivenBytes(encoded(picture(20, 10)), "Server: chart.txt")).part, ImagePart)
    with pytest.raises(IntakeError, match="is not text, an image or a document"):
        take(GivenBytes(bytes(range(256)), "Server: blob.bin"))
    with pytest.raises(IntakeError, match="may have at most"):
        take(GivenBytes(b"x" * (DOCUMENT_MAX_BYTES + 1), "Server: long.txt"))


def test_a_document_without_a_word_is_refused_and_the_sentence_says_why(tmp_path: Path) -> None:
    (tmp_path / "deep.html").write_bytes(b"<div>" * 50_000)

    async def read(_part: FilePart, _tell: object) -> Document:
        return Document("html", notes=("It is nested too deep.",), is_cut=True)

    async def run() -> None:
        intake = Intake(Kept().put, read)
        try:
            with pytest.raises(IntakeError, match=r"“deep\.html” holds no text .* nested too deep"):
                await intake.take(tmp_path / "deep.html")
        finally:
            intake.close()

    asyncio.run(run())
