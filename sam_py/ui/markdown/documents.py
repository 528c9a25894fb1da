"""Prose to QTextDocument: Qt parses (GitHub's dialect, HTML as text), we set the type.

Qt's parser costs 0.1 ms a kilobyte and its formats are then replaced block by block; building the document from
markdown-it-py's tokens took seven times as long. Markers, quote bars, rules and the pills behind inline code are not
the document's: `Decorations` says where they stand and `paint_decorations` draws them.

Nothing is ever loaded: a picture inside text becomes its alternative text and a link to its address.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QImage,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextImageFormat,
    QTextList,
    QTextListFormat,
    QTextOption,
)

from sam_py.ui.markdown.decorations import Decorations, Marker
from sam_py.ui.markdown.lines import dedent, fold_label
from sam_py.ui.markdown.maths import Picture, readable_maths, shared_formulas
from sam_py.ui.markdown.segments import Segment
from sam_py.ui.markdown.typography import HEADING_SCALE, MAX_DEPTH, Typography

FEATURES = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML
_IMAGE = QTextDocument.ResourceType.ImageResource.value
MAX_NESTED_QUOTES = 12
BLANK = "blank"
MATH_MARK = "\ue000"
"""Stands before inline maths on its way through Qt's parser, which takes it for code."""

_ITEM_NUMBER = re.compile(r"^\s*(\d{1,9})(?=[.)])")
_DEEP_QUOTE = re.compile(rf"^(?:[ \t]*>){{{MAX_NESTED_QUOTES}}}", re.MULTILINE)
_INLINE_MATH = re.compile(
    r"(?P<code>(?P<ticks>`+)[^`](?:.*?[^`])?(?P=ticks)(?!`))"
    r"|\$\$(?=\S)(?P<double>[^$\n]{1,400}?)(?<=\S)\$\$"
    r"|(?<![\\\w$])\$(?=[^\s$\d])(?P<dollar>[^$\n]{1,400}?)(?<![\s\\])\$(?![\w$])"
    r"|(?<![\\\w$])\$(?=\d)(?P<digit>[^$\n]{0,200}?[\\^_=+{][^$\n]{0,200}?)(?<![\s\\])\$(?![\w$])"
    r"|\\\((?P<paren>.{1,400}?)\\\)"
    r"|\\\[(?P<bracket>[^\n]{1,400}?)\\\]",
    re.DOTALL,
)
_LIKE_MATHS = re.compile(r"[\\^_=+{<>]")
_HARD_BREAK = re.compile(
    r"^(?P<line>(?! {4}|\t| {0,3}(?:#|>|[-=*_]{3}|```|~~~))[^\n]*\S)(?: {2,}|(?<!\\)\\)\n[ \t]*"
    r"(?=\S)(?!#{1,6}\s|[>|]|[-+*]\s|[-=*_]{2,}\s*$|\d{1,9}[.)]\s|```|~~~)",
    re.MULTILINE,
)
"""A line that ends in two spaces or a backslash, and text below it that goes on with its paragraph."""
_QUOTE = re.compile(r" {0,3}>(?:[ \t]{0,3}>)*[ \t]?")
_BREAK = re.compile(r"(?<=\S)(?: {2,}|(?<!\\)\\)$")
_ITEM = re.compile(r" {0,3}(?:[-+*]|\d{1,9}[.)])\s")
_NO_TEXT = re.compile(r"\s*$| {4}|\t| {0,3}(?:#{1,6}\s|[|]|[-+*]\s|[-=*_]{2,}\s*$|\d{1,9}[.)]\s|```|~~~)")
"""What begins or ends a block instead of going on with a quoted paragraph."""
_LABEL = re.compile(r"\[([^\[\]]{1,200})\](?!\()")
_INLINE = re.compile(r"[`\[!<\\$@]|https?:|www\.|~~|^ {0,3}#|^[=-]|\t|    ", re.MULTILINE)


class ClosedDocument(QTextDocument):
    """A document that loads nothing, from nowhere."""

    def __init__(self) -> None:
        super().__init__()
        self.setUndoRedoEnabled(False)
        self.setDocumentMargin(0)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        option.setTextDirection(Qt.LayoutDirection.LayoutDirectionAuto)
        self.setDefaultTextOption(option)

    def loadResource(self, type: int, name: QUrl | str) -> object:
        return None


def prepare(source: str, segment: Segment, references: Mapping[str, str]) -> str:
    """Return the Markdown that Qt is to parse for `source`, a segment's text (and what is still unfinished of it)."""
    text = dedent(source, segment.column).replace("\0", "\ufffd")
    if segment.number is not None:
        text = _ITEM_NUMBER.sub(str(segment.number), text, count=1)
    if "$" in text or "\\(" in text or "\\[" in text:
        text = _INLINE_MATH.sub(_mark_math, text)
    if "  \n" in text or "\\\n" in text:
        text = _HARD_BREAK.sub("\\g<line>\u2028", text)  # Qt would begin a paragraph
        if ">" in text:
            text = _join_quoted(text)
    if references and "[" in text:
        used = {fold_label(m[1]) for m in _LABEL.finditer(text)}
        definitions = [f"[{label}]: {references[label]}" for label in used if label in references]
        if definitions:
            text = text.rstrip("\n") + "\n\n" + "\n".join(definitions) + "\n"
    return text


def fill(
    document: QTextDocument,
    source: str,
    segment: Segment,
    style: Typography,
    references: Mapping[str, str] | None = None,
) -> Decorations:
    """Parse `source` into `document` and set its type; return what is to be drawn beside it."""
    text = prepare(source, segment, references or {})
    document.setLayoutEnabled(False)  # once at the end is enough
    document.setDefaultFont(style.body)
    document.setIndentWidth(style.indent_px)
    if _DEEP_QUOTE.search(text):
        document.setPlainText(text)
    else:
        document.setMarkdown(text.strip("\n"), FEATURES)
    decorations = _Setter(document, style).run(inline=_INLINE.search(text) is not None)
    document.setLayoutEnabled(True)
    return decorations


def append_words(document: QTextDocument, decorations: Decorations, words: str) -> bool:
    """Put plain words behind a filled document. False where its last block is no paragraph and no item of a list."""
    last = document.lastBlock()
    number = last.blockNumber()
    if last.blockFormat().headingLevel() or not last.length() > 1:
        return False
    if number in decorations.rules or (decorations.code_blocks and decorations.code_blocks[-1][1] >= number):
        return False
    if words:
        cursor = QTextCursor(document)
        cursor.setPosition(document.characterCount() - 1)
        cursor.insertText(words, QTextCharFormat())
    return True


def reference_labels(source: str) -> list[str]:
    """Return what stands in square brackets and may be the label of a link reference."""
    return [match[1] for match in _LABEL.finditer(source)] if "[" in source else []


def _join_quoted(text: str) -> str:
    """Keep hard breaks inside quotes in their paragraph, as `_HARD_BREAK` does outside of them."""
    joined: list[str] = []
    open_depth, in_code = 0, False  # of a quoted line that ends in a hard break; 0 where none does
    for line in text.split("\n"):
        marks = _QUOTE.match(line)
        depth = marks[0].count(">") if marks else 0
        words = line[marks.end() :] if marks else line
        if words.lstrip(" ").startswith(("```", "~~~")):
            in_code = not in_code
        is_text = not in_code and _NO_TEXT.match(words) is None
        if open_depth and is_text and depth <= open_depth:
            joined[-1] = _BREAK.sub("", joined[-1]) + "\u2028" + words.lstrip()
            depth = open_depth
        else:
            joined.append(line)
        begins = marks is not None and (is_text or _ITEM.match(words) is not None) and not in_code
        goes_on = "\u2028" in joined[-1] and depth == open_depth
        open_depth = depth if (begins or goes_on) and _BREAK.search(words) else 0
    return "\n".join(joined)


def _mark_math(match: re.Match[str]) -> str:
    if match["code"]:
        return match[0]
    latex = match["double"] or match["dollar"] or match["digit"] or match["paren"] or match["bracket"] or ""
    if not latex.strip() or "`" in latex:
        return match[0]
    if match["bracket"] and not _LIKE_MATHS.search(latex):
        return match[0]  # brackets that were escaped
    return f"`{MATH_MARK}{' '.join(latex.split())}`"


class _Setter:
    """Goes over the parsed blocks once and gives each its format."""

    def __init__(self, document: QTextDocument, style: Typography) -> None:
        self.document = document
        self.style = style
        self.cursor = QTextCursor(document)
        self.out = Decorations()
        self.ordered: dict[int, bool] = {}
        self.list_index = -1  # the list at the first level that goes on

    def run(self, *, inline: bool) -> Decorations:
        cursor, out = self.cursor, self.out
        cursor.beginEditBlock()
        block = self.document.begin()
        if not block.text() and _is_rule(block.next()):
            cursor.setPosition(0)  # Qt leaves an empty block before a rule that comes first
            cursor.movePosition(QTextCursor.MoveOperation.NextBlock, QTextCursor.MoveMode.KeepAnchor)
            rule = block.next().blockFormat()
            cursor.removeSelectedText()
            cursor.setBlockFormat(rule)
            block = self.document.begin()
        before = -1.0
        while block.isValid():
            top, bottom = self._block(block)
            fmt = self.block_format
            first = before < 0
            fmt.setTopMargin(0 if first else max(top - before, 0))
            following = block.next()
            fmt.setBottomMargin(bottom if following.isValid() else 0)
            if first:
                out.top_px = round(top)
            out.bottom_px = round(bottom)
            before = bottom
            cursor.setPosition(block.position())
            cursor.setBlockFormat(fmt)
            block.layout().setCacheEnabled(True)  # else each painting shapes the glyphs of the paragraph again
            if inline:
                self._inline(block)
            block = following
        cursor.endEditBlock()
        return out

    def _block(self, block: QTextBlock) -> tuple[float, float]:
        """Set `block_format` for `block`; return the room it wants above and below."""
        style, out = self.style, self.out
        was = block.blockFormat()
        fmt = QTextBlockFormat()
        fmt.setLineHeight(style.line_percent, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        self.block_format = fmt
        self.level = was.headingLevel()
        number = block.blockNumber()
        margin = 0.0
        if quote := self._quote(was, number):
            margin = 16.0 * min(quote, MAX_NESTED_QUOTES)
            fmt.setProperty(QTextFormat.Property.BlockQuoteLevel, quote)
        items = block.textList()
        self.is_code = False
        if items is not None:
            self._list_item(block, was, items)
        else:
            fmt.setIndent(min(was.indent(), MAX_DEPTH))
        fmt.setLeftMargin(margin)
        if was.hasProperty(QTextFormat.Property.BlockTrailingHorizontalRulerWidth):
            out.rules.append(number)
            fmt.setLineHeight(8, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
            return style.paragraph_px, style.paragraph_px
        if was.hasProperty(QTextFormat.Property.BlockCodeLanguage) or was.nonBreakableLines():
            self.is_code = True
            fmt.setProperty(QTextFormat.Property.BlockCodeLanguage, "")
            fmt.setLeftMargin(margin + 12)
            blocks = out.code_blocks
            if blocks and blocks[-1][1] == number - 1:
                blocks[-1] = (blocks[-1][0], number)
                return 0, style.paragraph_px
            blocks.append((number, number))
            return style.paragraph_px, style.paragraph_px
        if self.level:
            fmt.setHeadingLevel(self.level)
            fmt.setLineHeight(118, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
            self._heading(block)
            return style.paragraph_px * (2.2, 2.0, 1.7, 1.4, 1.4, 1.4)[self.level - 1], style.paragraph_px * 0.75
        if items is not None:
            top = style.item_px
            if self.out.markers[-1].level == 1 and was.objectIndex() != self.list_index:
                top, self.list_index = style.paragraph_px, was.objectIndex()
            return top, style.item_px
        if not fmt.indent():
            self.list_index = -1
        else:
            return style.item_px, style.item_px
        return style.paragraph_px, style.paragraph_px

    def _quote(self, was: QTextBlockFormat, number: int) -> int:
        """Note the bars beside a quoted block; return its level, 0 outside quotes."""
        quote = was.property(QTextFormat.Property.BlockQuoteLevel)
        if not isinstance(quote, int) or quote <= 0:
            return 0
        quotes = self.out.quotes
        for level in range(1, quote + 1):
            for at in range(len(quotes) - 1, -1, -1):
                if quotes[at][2] == level and quotes[at][1] == number - 1:
                    quotes[at] = (quotes[at][0], number, level)
                    break
            else:
                quotes.append((number, number, level))
        return quote

    def _list_item(self, block: QTextBlock, was: QTextBlockFormat, items: QTextList) -> None:
        """Keep a block in its list, but draw its marker ourselves."""
        what = items.format()
        fmt = self.block_format
        fmt.setObjectIndex(was.objectIndex())
        level = what.indent()
        if level > MAX_DEPTH:
            fmt.setIndent(MAX_DEPTH - level)
        checked = was.marker()
        is_number = self.ordered.setdefault(was.objectIndex(), what.style().value <= -4)
        ordinal = f"{what.start() + items.itemNumber(block)}{what.numberSuffix() or '.'}" if is_number else ""
        marker = Marker(block.blockNumber(), ordinal, level=level)
        if checked != QTextBlockFormat.MarkerType.NoMarker:
            marker.checked = checked == QTextBlockFormat.MarkerType.Checked
        self.out.markers.append(marker)
        if what.style() != QTextListFormat.Style.ListStyleUndefined:
            what.setStyle(QTextListFormat.Style.ListStyleUndefined)
            items.setFormat(what)

    def _heading(self, block: QTextBlock) -> None:
        size = self.style.theme.body_pt * HEADING_SCALE[self.level - 1]
        for position, length, fmt in _fragments(block):
            fmt.clearProperty(QTextFormat.Property.FontSizeAdjustment.value)
            fmt.setFontPointSize(size)
            fmt.setFontWeight(QFont.Weight.DemiBold)
            self._apply(position, length, fmt)

    def _inline(self, block: QTextBlock) -> None:
        """Give code, links and pictures in `block` their look."""
        style = self.style
        shift = 0
        for position, length, fmt in _fragments(block):
            position += shift
            if fmt.isImageFormat():
                image = fmt.toImageFormat()
                shift += self._picture(
                    position, length, image.name(), str(image.property(QTextFormat.Property.ImageAltText) or "")
                )
            elif self.is_code or fmt.fontFixedPitch():
                mono = QTextCharFormat(fmt)
                mono.setFontFamilies(style.mono.families())
                mono.setFontPointSize(style.theme.code_pt * (HEADING_SCALE[self.level - 1] if self.level else 1.0))
                if not self.is_code:
                    shift += self._code_span(position, length, mono)
                else:
                    self._apply(position, length, mono)
            elif href := fmt.anchorHref():
                self._link(position, length, fmt, href)

    def _code_span(self, position: int, length: int, mono: QTextCharFormat) -> int:
        cursor = self.cursor
        cursor.setPosition(position)
        cursor.setPosition(position + length, QTextCursor.MoveMode.KeepAnchor)
        text = cursor.selectedText()
        if text.startswith(MATH_MARK):
            return self._maths(text[1:]) - length
        self._apply(position, length, mono)
        spans = self.out.code_spans
        if spans and sum(spans[-1]) == position:
            spans[-1] = (spans[-1][0], spans[-1][1] + length)
        else:
            spans.append((position, length))
        if href := mono.anchorHref():
            self._link(position, length, mono, href)
        return 0

    def _maths(self, latex: str) -> int:
        """Put a formula where the cursor is: its picture, or readable text until there is one. Returns its length."""
        style = self.style
        key = (latex, round(style.em_px, 1), style.theme.palette.text, True)
        picture = shared_formulas().picture(key)
        if picture is not None:
            fmt = QTextImageFormat()
            fmt.setName(BLANK)
            fmt.setWidth(picture.size.width())
            fmt.setHeight(self._formula_height(picture, fmt))
            self.document.addResource(_IMAGE, QUrl(BLANK), _blank())
            self.cursor.insertImage(fmt)
            self.out.maths.append((self.cursor.position() - 1, latex, picture))
            return 1
        if shared_formulas().is_pending(key):
            self.out.pending_maths.add(key)
        if shared_formulas().is_broken(key):  # as it was written: half of it read as mathematics would tell nonsense
            source = QTextCharFormat()
            source.setFontFamilies(style.mono.families())
            source.setFontPointSize(style.theme.code_pt)
            self.cursor.insertText(f"${latex}$", source)
            return len(latex) + 2
        readable = readable_maths(latex)
        maths = QTextCharFormat()
        maths.setFontFamilies(["STIX Two Math", "Cambria Math", "DejaVu Math TeX Gyre", "DejaVu Serif", "serif"])
        maths.setFontItalic(True)
        maths.setFontPointSize(style.theme.body_pt * 1.05)
        self.cursor.insertText(readable, maths)
        return len(readable)

    def _formula_height(self, picture: Picture, fmt: QTextImageFormat) -> float:
        """Return the height of the blank image that keeps the formula's place.

        Qt puts an image's foot on the line. What hangs below it a little has its room between the lines; for a formula
        that hangs lower the image is centred, which gives it room below too (QTextDocumentLayout::resizeInlineObject).
        """
        metrics = QFontMetricsF(self.style.body)
        above, below = picture.size.height() - picture.depth_px, picture.depth_px
        if below <= metrics.descent() + 3:
            return above
        fmt.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignMiddle)
        quarter = metrics.xHeight() / 2
        return max(2 * above - quarter, 2 * below + quarter)

    def _link(self, position: int, length: int, fmt: QTextCharFormat, href: str) -> None:
        link = QTextCharFormat(fmt)
        colour = self.style.colour("link")
        link.setForeground(colour)
        link.setFontUnderline(True)
        faint = QColor(colour)
        faint.setAlphaF(0.4)
        link.setUnderlineColor(faint)
        self._apply(position, length, link)
        links = self.out.links
        if links and links[-1][2] == href and links[-1][0] + links[-1][1] == position:
            links[-1] = (links[-1][0], links[-1][1] + length, href)
        else:
            links.append((position, length, href))

    def _picture(self, position: int, length: int, name: str, alt: str) -> int:
        cursor = self.cursor
        cursor.setPosition(position)
        cursor.setPosition(position + length, QTextCursor.MoveMode.KeepAnchor)
        label = alt or name or "?"
        fmt = QTextCharFormat()
        fmt.setAnchor(True)
        fmt.setAnchorHref(name)
        cursor.insertText(label, fmt)
        self._link(position, len(label), fmt, name)
        return len(label) - length

    def _apply(self, position: int, length: int, fmt: QTextCharFormat) -> None:
        self.cursor.setPosition(position)
        self.cursor.setPosition(position + length, QTextCursor.MoveMode.KeepAnchor)
        self.cursor.setCharFormat(fmt)


def _is_rule(block: QTextBlock) -> bool:
    rule = QTextFormat.Property.BlockTrailingHorizontalRulerWidth
    return block.isValid() and block.blockFormat().hasProperty(rule)


def _fragments(block: QTextBlock) -> list[tuple[int, int, QTextCharFormat]]:
    found = []
    at = block.begin()
    while not at.atEnd():
        fragment = at.fragment()
        found.append((fragment.position(), fragment.length(), fragment.charFormat()))
        at += 1
    return found


def _blank() -> QImage:
    image = QImage(1, 1, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    return image
