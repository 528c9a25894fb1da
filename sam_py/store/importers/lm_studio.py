"""LM Studio's conversation files: ``<time>.conversation.json``, one or a folder of them.

Each message has ``versions`` of which one is selected; the others become branches. A version is a single step (text
and files), or several: blocks of text, of thinking (by their style), of tool calls and their results.

Sources: public readers and writers of it (found by ``currentlySelected`` and ``toolCallRequestId``); LM Studio says
where the files are and that they may be read: https://lmstudio.ai/docs/app/basics/chat.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any

from sam_py.messages.message import StopReason
from sam_py.messages.parts import Part, TextPart, ThinkingTextPart, ToolCallPart
from sam_py.messages.usage import Usage
from sam_py.store.exporters.lossless import canonical
from sam_py.store.importers.bundle import Bundle
from sam_py.store.importers.found import (
    Aside,
    Found,
    Head,
    Importer,
    Source,
    fields_of,
    items_of,
    picture_or_file,
    taken,
    text_of,
    unknown,
    without,
)
from sam_py.store.importers.gathering import Gathering, Result, as_json, usage_of
from sam_py.store.importers.leftover import left_of, plain

KEY = "lm-studio"
_SUFFIX = ".conversation.json"
_STOPS: dict[str, StopReason] = {"maxPredictedTokensReached": "length", "userStopped": "aborted", "failed": "error"}
_READ_OF_BLOCK = {
    "text": ("text",),
    "toolCallRequest": ("toolCallRequestId", "parameters", "arguments", "name"),
    "file": (),
    "toolCallResult": ("toolCallRequestId", "content", "name"),
}
_READ = ("name", "createdAt", "messages", "systemPrompt", "pinned")


def detect(bundle: Bundle, heads: Sequence[Head]) -> bool:
    return any("versions" in fields_of(head.members.get("messages")) for head in heads) or bool(
        bundle.ending_in(_SUFFIX)
    )


def read(source: Source) -> Iterator[Found | Aside]:
    yield from source.each_file(sorted({*source.bundle.ending_in(_SUFFIX), *source.files}), _taken)


def _taken(source: Source, name: str) -> Iterator[Found | Aside]:
    conversation = fields_of(source.bundle.json(name))
    return taken(name, conversation, lambda: [_conversation(source, name, conversation)])


def _conversation(source: Source, name: str, conversation: dict[str, Any]) -> Found | Aside:
    path = PurePosixPath(name)
    title = text_of(conversation.get("name"))
    id = f"{conversation.get('createdAt') or ''}/{path.name.removesuffix(_SUFFIX)}"
    gathering = Gathering(KEY, id, title=title, created=conversation.get("createdAt"))
    folder = path.parent.name if path.parent.name not in ("", "conversations") else ""
    gathering.setting("folder", folder)
    gathering.setting("pinned", conversation.get("pinned") is True)
    gathering.setting("system_prompt", text_of(conversation.get("systemPrompt")))
    gathering.setting("imported", without(conversation, *_READ))
    before: str | None = None
    for number, message in enumerate(map(fields_of, items_of(conversation.get("messages")))):
        versions = items_of(message.get("versions"))
        selected = message.get("currentlySelected")
        chosen = selected if isinstance(selected, int) and 0 <= selected < len(versions) else len(versions) - 1
        for place, version in enumerate(versions):
            rest = without(message, "versions", "currentlySelected") if place == chosen else {}
            _take(source, gathering, f"{number}.{place}", before, fields_of(version), rest)
        if versions:
            before = f"{number}.{chosen}"
    gathering.show(before)
    found = gathering.found()
    return found or Aside(f"the conversation “{title or name}”", "there is nothing in it", canonical(conversation))


def _take(
    source: Source,
    gathering: Gathering,
    id: str,
    parent: str | None,
    version: dict[str, Any],
    message: dict[str, Any],
) -> None:
    rest = {**without({"message": message}), **without(version, "type", "role", "content", "steps")}
    steps = [fields_of(step) for step in items_of(version.get("steps"))]
    blocks = [block for value in items_of(version.get("content")) for block in _block(source, value, thinks=False)]
    for step in steps:
        if step.get("type") == "contentBlock":
            thinks = fields_of(step.get("style")).get("type") == "thinking"
            for value in items_of(step.get("content")):
                blocks += _block(source, value, thinks=thinks)
    # of its blocks a step keeps only what is in none of their parts
    others = [_left_of(step) if step.get("type") == "contentBlock" else step for step in steps]
    others = [step for step in others if step]
    left = left_of(items_of(version.get("content")), _READ_OF_BLOCK)
    role = text_of(version.get("role")) or ("assistant" if steps else "user")
    if role == "assistant":
        model, usage, stop = _generated(steps, version)
        gathering.turns(
            id, parent, blocks, None, model=model, usage=usage, stop_reason=stop, version=rest, steps=others, left=left
        )
        return
    if role == "system":
        gathering.system(id, parent, blocks, None, version=rest, left=left)
    else:
        gathering.user(id, parent, blocks, None, version=rest, left=left)


def _left_of(step: dict[str, Any]) -> dict[str, Any]:
    """What a step says beside its blocks, and these beside their parts."""
    rest = without(step, "type", "content", "stepIdentifier")
    left = left_of(items_of(step.get("content")), _READ_OF_BLOCK)
    return {**rest, **({"left": left} if left else {})}


def _generated(steps: list[dict[str, Any]], version: dict[str, Any]) -> tuple[str, Usage | None, StopReason]:
    """Who wrote a reply, how many tokens it took, and how it ended, by the last step that says so."""
    told = [fields_of(step.get("genInfo")) for step in steps if step.get("genInfo")]
    info = told[-1] if told else {}
    stats = fields_of(info.get("stats"))
    model = text_of(info.get("identifier")) or text_of(fields_of(version.get("senderInfo")).get("senderName"))
    usage = usage_of(stats.get("promptTokensCount"), stats.get("predictedTokensCount"))
    return model, usage, _STOPS.get(text_of(stats.get("stopReason")), "stop")


def _block(source: Source, value: Any, *, thinks: bool) -> Iterator[Part | Result]:
    block = fields_of(value)
    match block.get("type"):
        case "text":
            text = text_of(block.get("text"))
            yield ThinkingTextPart(text=text) if thinks else TextPart(text=text)
        case "toolCallRequest":
            arguments = block.get("parameters") or block.get("arguments") or {}
            name = text_of(block.get("name"))
            yield ToolCallPart(call_id=_call_of(block), tool_name=name, arguments_json=as_json(arguments))
        case "toolCallResult":
            yield Result(plain(block.get("content")), _call_of(block), text_of(block.get("name")))
        case "file":
            identifier = text_of(block.get("fileIdentifier")) or text_of(block.get("identifier"))
            found = source.bundle.named(PurePosixPath(identifier.replace("\\", "/")).name) if identifier else None
            content = source.file(found) if found is not None else None
            if content is not None:
                yield picture_or_file(source.keep, content, text_of(block.get("name")) or identifier)
            else:
                source.note("Attached files lie in LM Studio's folder “user-files”: what names them is kept.")
                yield unknown("file", block)
        case _:
            yield unknown("content", value)


def _call_of(block: dict[str, Any]) -> str:
    return text_of(block.get("toolCallRequestId")) or str(block.get("callId") or "")


IMPORTER = Importer(KEY, "LM Studio", detect, read)
