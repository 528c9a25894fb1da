"""ModelParts: a reply of the history as the parts that it came in, each signature where it was."""

from __future__ import annotations

from typing import Any, Literal

from sam_py.messages.builder import mend_surrogates
from sam_py.messages.family import same_family
from sam_py.messages.parts import Part, TextPart, ThinkingSignaturePart, ThinkingTextPart
from sam_py.messages.turn import ToolResultPart
from sam_py.providers.gemini.opaque import KeptPart, RunKind, SignedNext, SignedRun, read_kept, split_run

_Kind = Literal["text", "thought", "call", "image", "kept"]


class ModelParts:
    """Collects one turn. What only the service reads goes back where it and this model's family wrote it.

    A signature whose text or call is gone, or that says nothing we understand, is left out.
    """

    def __init__(self, own: bool, provider: str, model: str) -> None:
        self._own = own
        self._provider = provider
        self._model = model
        self._groups: list[tuple[_Kind, list[dict[str, Any]]]] = []
        self._next: SignedNext | None = None

    def add(self, kind: _Kind, part: dict[str, Any]) -> None:
        """Add a part that is written already; a signature that waited for its kind is put on it."""
        waiting, self._next = self._next, None
        if waiting is not None and waiting.on == kind:
            part = {**part, "thoughtSignature": waiting.signature}
        self._groups.append((kind, [part]))

    def add_said(self, part: Part | ToolResultPart) -> None:
        """Add text, thinking or what the service gave us to keep."""
        match part:
            case TextPart():
                if part.text.strip():
                    self.add("text", {"text": mend_surrogates(part.text)})
            case ThinkingTextPart():
                if self._own and part.text.strip():
                    self.add("thought", {"text": mend_surrogates(part.text), "thought": True})
            case ThinkingSignaturePart():
                if self._own and part.provider == self._provider and same_family(part.model, self._model):
                    self._put_back(part.signature)
            case _:
                raise ValueError(f"an assistant turn cannot hold a {part.kind} part here")

    def finished(self) -> list[dict[str, Any]]:
        """All parts; none where nothing was said but thoughts."""
        parts = [part for _kind, group in self._groups for part in group]
        says = any(part.get("text") != "" and not part.get("thought") for part in parts)
        return parts if says else []

    def _put_back(self, signature: str) -> None:
        match read_kept(signature):
            case SignedNext() as signed:
                self._next = signed
            case SignedRun() as run:
                self._sign(run)
            case KeptPart(part, shown):
                if shown and self._groups and self._groups[-1][0] == "text":
                    self._groups.pop()
                self._groups.append(("kept", [part]))

    def _sign(self, run: SignedRun) -> None:
        """Cut the text before into the parts that it came in."""
        kind, group = self._groups[-1] if self._groups else ("text", [])
        if kind == run.on and len(group) == 1 and "thoughtSignature" not in group[0]:
            pieces = split_run(group[0]["text"], run)
            if pieces is not None:
                self._groups[-1] = (kind, [_piece(run.on, text, signature) for text, signature in pieces])
                return
        if run.length == 0:  # empty parts, with nothing said before or after them
            self._groups.append((run.on, [_piece(run.on, "", signature) for _, _, signature in run.signed]))


def _piece(on: RunKind, text: str, signature: str) -> dict[str, Any]:
    part: dict[str, Any] = {"text": text}
    if on == "thought":
        part["thought"] = True
    if signature:
        part["thoughtSignature"] = signature
    return part
