"""Open WebUI's chat export: a list of chats, or one; each a tree of messages in ``chat.history``.

Newer versions keep a reply's ``output`` as items (reasoning, function calls and their results, text); older ones put
reasoning and calls into the text as ``<details type="…">`` blocks. Both come in as thinking and calls.

Sources: danny-avila/LibreChat, api/server/utils/import/__data__/openwebui-export.json (its readers' test data);
open-webui/open-webui, src/lib/utils/index.ts and backend ``serialize_content_blocks`` for the details blocks.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from typing import Any

from sam_py.messages.parts import FilePart, ImagePart, Part, TextPart, ThinkingTextPart, ToolCallPart
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
    picture_at,
    taken,
    text_of,
    unknown,
    without,
)
from sam_py.store.importers.gathering import Gathering, Result, as_json, usage_of
from sam_py.store.importers.json_stream import DamagedItem
from sam_py.store.importers.leftover import left_of

KEY = "open-webui"
_DETAILS = re.compile(r"<details\b([^>]*)>(.*?)</details>\n*", re.DOTALL)
_SUMMARY = re.compile(r"\s*<summary>.*?</summary>\s*", re.DOTALL)
_ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')
_QUOTE = re.compile(r"^> ?", re.MULTILINE)
_READ = ("id", "title", "chat", "created_at", "archived", "pinned")
_READ_OF_MESSAGE = (
    "id",
    "parentId",
    "childrenIds",
    "role",
    "content",
    "files",
    "model",
    "timestamp",
    "output",
    "done",
    "reasoning_content",
)
_CODE = "open_webui:code_interpreter"
_READ_OF_ITEM = {
    "reasoning": ("content", "summary", "status"),
    "message": ("content", "status", "role"),
    "function_call": ("name", "arguments", "call_id", "status"),
    "function_call_output": ("output", "call_id", "status"),
    _CODE: ("code", "lang", "output", "status"),
}
_READ_OF_PIECE = {key: ("text",) for key in ("output_text", "reasoning_text", "summary_text", "input_text", "text")}
_READ_OF_DETAILS = {
    "reasoning": ("done",),
    "tool_calls": ("done", "id", "name", "arguments", "result"),
    "code_interpreter": ("done", "output"),
}
_FENCE = re.compile(r"\A(`{3,})([^\n`]*)\n(.*?)\n?\1\s*\Z", re.DOTALL)


def detect(bundle: Bundle, heads: Sequence[Head]) -> bool:
    return any(_is_chat(fields_of(head.first)) or _is_chat(head.members) for head in heads)


def _is_chat(fields: Any) -> bool:
    chat = fields_of(fields.get("chat")) or fields
    history = fields_of(chat.get("history"))
    return "messages" in history and ("currentId" in history or "chat" in fields)


def read(source: Source) -> Iterator[Found | Aside]:
    yield from source.each_file([*source.files, *source.others], _chats_in)


def _chats_in(source: Source, name: str) -> Iterator[Found | Aside]:
    with source.bundle.stream(name) as stream:
        if stream.root == "{":
            yield from _taken(source, source.bundle.json(name))
            return
        for item in stream.items():
            if isinstance(item, DamagedItem):
                yield Aside(f"a chat in {name}", item.why, item.text.encode("utf-8", "replace"))
            else:
                yield from _taken(source, item.value)


def _taken(source: Source, value: Any) -> Iterator[Found | Aside]:
    title = text_of(fields_of(value).get("title"))
    return taken(f"the chat “{title}”", value, lambda: [_conversation(source, fields_of(value))])


def _conversation(source: Source, row: dict[str, Any]) -> Found | Aside:
    chat = fields_of(row.get("chat")) or row
    history = fields_of(chat.get("history"))
    messages = fields_of(history.get("messages")) or _listed(items_of(chat.get("messages")))
    title = text_of(row.get("title")) or text_of(chat.get("title"))
    id = text_of(row.get("id")) or text_of(chat.get("id"))
    created = row.get("created_at") or chat.get("timestamp")
    gathering = Gathering(KEY, id or f"{title}\n{created}", title=title, created=created)
    gathering.setting("archived", row.get("archived") is True)
    gathering.setting("pinned", row.get("pinned") is True)
    prompt = text_of(chat.get("system")) or text_of(fields_of(chat.get("params")).get("system"))
    gathering.setting("system_prompt", prompt)
    rest = {**without(row, *_READ), "chat": without(chat, "id", "title", "history", "messages", "system")}
    gathering.setting("imported", rest)
    for message_id, parent in _in_order(messages):
        _take(source, gathering, message_id, parent, fields_of(messages[message_id]))
    gathering.show(text_of(history.get("currentId")) or gathering.last)
    found = gathering.found()
    return found or Aside(f"the chat “{title or id}”", "there is nothing in it", canonical(row))


def _listed(messages: list[Any]) -> dict[str, Any]:
    """Messages of a chat without a tree, one below the other."""
    listed: dict[str, Any] = {}
    before: str | None = None
    for number, message in enumerate(map(fields_of, messages)):
        id = text_of(message.get("id")) or str(number)
        listed[id] = {"parentId": before, **message}
        before = id
    return listed


def _in_order(messages: dict[str, Any]) -> Iterator[tuple[str, str | None]]:
    """Parents before children, brothers by their time; a circle begins with its first message."""
    children: dict[str | None, list[str]] = {}
    for id, message in messages.items():
        parent = fields_of(message).get("parentId")
        children.setdefault(parent if parent in messages else None, []).append(id)
    placed: set[str] = set()
    for first in [*children.get(None, []), *messages]:
        stack: list[tuple[str, str | None]] = [(first, None)]
        while stack:
            id, parent = stack.pop()
            if id not in placed:
                placed.add(id)
                yield id, parent
                stack += [(child, id) for child in reversed(children.get(id, []))]


def _take(source: Source, gathering: Gathering, id: str, parent: str | None, message: dict[str, Any]) -> None:
    at, content = message.get("timestamp"), message.get("content")
    rest = without(message, *_READ_OF_MESSAGE)
    files = [_file(gathering, source, fields_of(each)) for each in items_of(message.get("files"))]
    rest |= {"files": kept} if (kept := _left_of_files(message)) else {}
    match message.get("role"):
        case "user":
            gathering.user(id, parent, [*_texts(source, content), *files], at, message=rest)
        case "system":
            gathering.system(id, parent, text_of(content), at, message=rest)
        case "assistant":
            output = [fields_of(each) for each in items_of(message.get("output"))]
            left = [*left_of(output, _READ_OF_ITEM), *_left_of_pieces(output)]
            blocks = [block for number, each in enumerate(output) for block in _item(each, f"{id}.{number}")]
            if not any(isinstance(block, TextPart) and block.text for block in blocks):
                told, details = _blocks_in(text_of(content), id)
                blocks += [block for block in told if isinstance(block, TextPart)] if blocks else told
                left += details
            if (thought := text_of(message.get("reasoning_content"))) and not output:
                blocks.insert(0, ThinkingTextPart(text=thought))
            usage = fields_of(message.get("usage"))
            gathering.turns(
                id,
                parent,
                [*blocks, *files],
                at,
                model=message.get("model"),
                stop_reason="error" if message.get("error") else "aborted" if message.get("done") is False else "stop",
                usage=usage_of(
                    usage.get("prompt_tokens") or usage.get("input_tokens"),
                    usage.get("completion_tokens") or usage.get("output_tokens"),
                ),
                message=rest,
                left=left,
            )
        case _:
            gathering.user(id, parent, [unknown("message", message)], at)


def _texts(source: Source, content: Any) -> Iterator[Part]:
    if isinstance(content, str):
        yield TextPart(text=content)
    for piece in items_of(content):
        match piece:
            case {"type": "text", "text": str(text)}:
                yield TextPart(text=text)
            case {"type": "image_url", "image_url": {"url": str(url)}}:
                yield picture_at(url, source.keep)
            case _:
                yield unknown("content", piece)


def _file(gathering: Gathering, source: Source, file: dict[str, Any]) -> Part:
    url = text_of(file.get("url"))
    if file.get("type") == "image" and url:
        if url.startswith("data:"):
            return picture_at(url, source.keep, text_of(file.get("name")))
        gathering.note("Some pictures lie on the Open WebUI server and are not in the export; what names them is kept.")
        if url.startswith(("http://", "https://")):
            return ImagePart(url=url, alt=text_of(file.get("name")))
    text = text_of(fields_of(fields_of(file.get("file")).get("data")).get("content"))
    if text.strip():  # what was read in it
        content, name = text.encode("utf-8", "replace"), text_of(file.get("name")) or "file"
        name = name if name.lower().endswith((".txt", ".md")) else f"{name}.txt"
        return FilePart(attachment=source.keep(content), filename=name, mime_type="text/plain", size=len(content))
    return unknown("file", file)


def _left_of_files(message: dict[str, Any]) -> list[dict[str, Any]]:
    """What the chat says of its files beside their text."""
    left: list[dict[str, Any]] = []
    for each in map(fields_of, items_of(message.get("files"))):
        file, data = fields_of(each.get("file")), fields_of(fields_of(each.get("file")).get("data"))
        if text_of(data.get("content")).strip():
            left.append({**each, "file": {**file, "data": without(data, "content")}})
        elif each.get("type") == "image" and (rest := without(each, "type", "url", "name")):
            left.append(rest)
    return left


def _item(item: dict[str, Any], name: str) -> Iterator[Part | Result]:
    """An item of a reply's output, in the form of OpenAI's Responses API. `name` is for a call that has no id."""
    match item.get("type"):
        case "reasoning":
            yield ThinkingTextPart(text=_texts_of(item.get("content")) or _texts_of(item.get("summary")))
        case "message":
            yield TextPart(text=_texts_of(item.get("content")))
        case "function_call":
            arguments = as_json(item.get("arguments") or {})
            call = text_of(item.get("call_id")) or text_of(item.get("id"))
            yield ToolCallPart(call_id=call, tool_name=text_of(item.get("name")), arguments_json=arguments)
        case "function_call_output":
            output = item.get("output")
            pieces = [text_of(each.get("text")) for each in map(fields_of, items_of(output))]
            yield Result("\n".join(pieces) if pieces and all(pieces) else output, text_of(item.get("call_id")))
        case kind if kind == _CODE:
            code, language = text_of(item.get("code")), text_of(item.get("lang"))
            yield from _ran(text_of(item.get("id")) or name, code, language, item.get("output"))
        case _:
            yield unknown("content", item)


def _texts_of(pieces: Any) -> str:
    return "\n\n".join(filter(None, (text_of(each.get("text")) for each in map(fields_of, items_of(pieces)))))


def _ran(call: str, code: str, language: str, output: Any) -> Iterator[Part | Result]:
    """Code that the program ran for the model, and what it wrote: as the call of a tool."""
    asked = as_json({"code": code, **({"language": language} if language else {})})
    yield ToolCallPart(call_id=call, tool_name="code_interpreter", arguments_json=asked)
    if output in (None, "", {}):
        return
    told = fields_of(output)
    pieces = [text_of(told.get(key)) for key in ("stdout", "result", "stderr")]
    is_plain = set(told) <= {"stdout", "result", "stderr"} and all(
        isinstance(each, str | None) for each in told.values()
    )
    text = "\n".join(filter(None, pieces)) if told and is_plain else as_json(output)
    is_error = is_plain and bool(told.get("stderr")) and not told.get("stdout") and not told.get("result")
    yield Result(text, call, "code_interpreter", "error" if is_error else "success")


def _left_of_pieces(output: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the pieces of a reply's output say beside their text: what they cite, what was refused."""
    left: list[dict[str, Any]] = []
    for place, item in enumerate(output):
        for key in ("content", "summary", "output"):
            pieces = [fields_of(each) for each in items_of(item.get(key))]
            is_shown = key != "summary" or not _texts_of(item.get("content"))
            read = _READ_OF_PIECE if is_shown else {}
            kept = [without(each, "type", *read.get(text_of(each.get("type")), ())) for each in pieces]
            left += [{"piece_of": place, **each} for each in kept if each]
    return left


def _blocks_in(text: str, message: str) -> tuple[list[Part | Result], list[dict[str, Any]]]:
    """A reply's text, its details blocks taken for what they stand for; and what these say beside that."""
    blocks: list[Part | Result] = []
    left: list[dict[str, Any]] = []
    end = 0
    for number, found in enumerate(_DETAILS.finditer(text)):
        attributes = {key: html.unescape(value) for key, value in _ATTRIBUTE.findall(found[1])}
        body = html.unescape(_SUMMARY.sub("", found[2], count=1)).strip()
        match attributes.get("type"):
            case "reasoning":
                put: list[Part | Result] = [ThinkingTextPart(text=_QUOTE.sub("", body))]
            case "tool_calls" if attributes.get("name"):
                call, name = attributes.get("id", ""), attributes["name"]
                arguments = _unquoted(attributes.get("arguments", ""))
                put = [ToolCallPart(call_id=call, tool_name=name, arguments_json=arguments)]
                if attributes.get("done") != "false":
                    put.append(Result(_unquoted(attributes.get("result", "") or body), call, name))
            case "code_interpreter":
                fence = _FENCE.match(_SUMMARY.sub("", found[2], count=1).strip())  # code is not escaped
                language, code = (fence[2].strip(), fence[3]) if fence is not None else ("", body)
                put = list(_ran(f"{message}.code{number}", code, language, _value(attributes.get("output", ""))))
            case _:
                continue  # a block that the model wrote stays text
        blocks += [TextPart(text=text[end : found.start()].strip("\n")), *put]
        left += left_of([attributes], _READ_OF_DETAILS)
        end = found.end()
    return [*blocks, TextPart(text=text[end:])], left


def _value(text: str) -> Any:
    """What was written as JSON in an attribute; once more where that is JSON in a text."""
    import json

    for _ in range(2):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return text
        if not isinstance(value, str):
            return value
        text = value
    return text


def _unquoted(text: str) -> str:
    """A value that was written as a JSON string in the attribute."""
    import json

    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return as_json(value)


IMPORTER = Importer(KEY, "Open WebUI", detect, read)
