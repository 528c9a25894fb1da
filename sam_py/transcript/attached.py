"""Attached files inside turns: text files become text, what cannot be read becomes a note in its place."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from sam_py.messages.parts import FilePart, ImagePart, TextPart
from sam_py.messages.turn import ToolResultPart, Transcript, TurnPart

LONGEST_FILE = 120_000
"""Characters of one text file that a request carries, about as many as of a document; the rest is read by a tool."""
_TEXT_TYPES = frozenset(
    {
        "application/json",
        "application/x-ndjson",
        "application/xml",
        "application/yaml",
        "application/x-yaml",
        "application/toml",
        "application/javascript",
        "application/x-javascript",
        "application/x-python",
        "application/x-sh",
        "application/x-shellscript",
        "application/sql",
        "application/x-tex",
        "image/svg+xml",
    }
)


def is_text_file(part: FilePart) -> bool:
    """True where a model can be shown the file's content as text."""
    mime = part.mime_type.split(";")[0].strip().lower()
    return mime.startswith("text/") or mime in _TEXT_TYPES or mime.endswith(("+json", "+xml", "+yaml"))


def put_in_files(transcript: Transcript, contents: Mapping[str, bytes]) -> Transcript:
    """`transcript` with the text files that `contents` (by hash) holds written out, each under its name."""

    def written(part: TurnPart) -> TurnPart:
        if not isinstance(part, FilePart) or part.attachment not in contents or not is_text_file(part):
            return part
        data = contents[part.attachment]
        text = data[: LONGEST_FILE * 4].decode("utf-8", "replace")
        left_out = len(data) > LONGEST_FILE * 4 or len(text) > LONGEST_FILE
        end = ""
        if left_out:
            end = f"\n[the rest of the file, {len(data)} bytes in all, is left out: the tool read_document reads it "
            end += f"from offset {LONGEST_FILE}]"
        body = text[:LONGEST_FILE]
        return TextPart(text=f'<file name="{part.filename}">\n{body}{end}\n</file>')

    return _with_parts(transcript, written)


def without_attachments(transcript: Transcript, lost: Collection[str]) -> Transcript:
    """`transcript` with a note in place of each image and file whose hash is in `lost`."""

    def noted(part: TurnPart) -> TurnPart:
        if isinstance(part, FilePart) and part.attachment in lost:
            return TextPart(text=f"[file: {part.filename}; its content is missing]")
        if isinstance(part, ImagePart) and part.attachment in lost:
            return TextPart(text=f"[picture: {part.alt or 'without a name'}; it is missing]")
        return part

    return _with_parts(transcript, noted)


def _with_parts(transcript: Transcript, change: Callable[[TurnPart], TurnPart]) -> Transcript:
    turns = []
    for turn in transcript.turns:
        if any(type(part) in _HOLD_FILES for part in turn.parts):
            turn = replace(
                turn,
                parts=tuple(
                    _with_inner(part, change) if isinstance(part, ToolResultPart) else change(part)
                    for part in turn.parts
                ),
            )
        turns.append(turn)
    return replace(transcript, turns=tuple(turns))


_HOLD_FILES = frozenset({FilePart, ImagePart, ToolResultPart})


def _with_inner(result: ToolResultPart, change: Callable[[TurnPart], TurnPart]) -> ToolResultPart:
    """A result's parts are never text: what became text is added to its text."""
    if not result.parts:
        return result
    changed = [change(part) for part in result.parts]
    if tuple(changed) == result.parts:
        return result
    texts = [result.text, *(part.text for part in changed if isinstance(part, TextPart))]
    kept = tuple(part for part in changed if not isinstance(part, TextPart))
    return result.model_copy(update={"text": "\n\n".join(text for text in texts if text), "parts": kept})
