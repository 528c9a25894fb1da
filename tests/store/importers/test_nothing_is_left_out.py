"""What is in an export, and no message's plain text, comes in all the same: in the words shown, or kept beside them."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest

from sam_py.messages.message import SystemMessage, ToolResultMessage
from sam_py.store.exporters.conversation import StoredConversation
from sam_py.store.exporters.errors import TransferError
from sam_py.store.exporters.run import all_conversations
from tests.store.exporters.shelves import exported, imported, library
from tests.store.importers.samples import SAMPLES, Sample, sam_conversation


def claude() -> list[Any]:
    def message(uuid: str, sender: str, *content: dict[str, Any]) -> dict[str, Any]:
        return {"uuid": uuid, "sender": sender, "content": list(content), "created_at": "2026-01-01T10:00:00Z"}

    page = {"type": "knowledge", "title": "Owl wiki", "url": "https://owl.example", "text": "OWLKNOW", "is_citable": 7}
    cited = [{"uuid": "ci", "details": {"type": "web_search_citation", "url": "https://cited.example/a", "title": "A"}}]
    return [
        {
            "uuid": "c1",
            "name": "Talk",
            "chat_messages": [
                message("m1", "human", {"type": "voice_note", "title": "NOTED", "text": "VOICEWORDS"}),
                message(
                    "m2",
                    "assistant",
                    {"type": "thinking", "thinking": "Hm", "summaries": [{"summary": "SUMMED"}]},
                    {"type": "tool_use", "id": "t", "name": "web", "input": {}, "message": "SEARCHING"},
                    {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "One"}, page]},
                    {"type": "text", "text": "Owls are birds.", "citations": cited},
                    {"type": "tool_use", "id": "t2", "name": "web", "input": {}},
                ),
            ],
        }
    ]


def librechat() -> dict[str, Any]:
    outputs = [{"type": "logs", "logs": "FORTYTWO"}, {"type": "image", "image": {"file_id": "PICTURE7"}}]
    ran = {"id": "a", "type": "code_interpreter", "code_interpreter": {"input": "print(6*7)", "outputs": outputs}}
    searched = {"id": "b", "type": "file_search", "file_search": {"results": [{"text": "INFILE"}]}, "expires_at": 99}
    content: list[Any] = [{"type": "tool_call", "tool_call": each} for each in (ran, searched)]
    content.append({"type": "error", "error": "Rate limit"})
    said = {"messageId": "m1", "isCreatedByUser": True, "text": "Run"}
    reply = {"messageId": "m2", "parentMessageId": "m1", "isCreatedByUser": False, "text": "", "content": content}
    return {"conversationId": "l", "title": "Talk", "messages": [said, reply]}


def open_webui() -> list[Any]:
    attribute = json.dumps(json.dumps({"stdout": "FORTY\nTWO"})).replace('"', "&quot;")
    details = (
        f'Look:\n<details type="code_interpreter" done="true" duration="3" output="{attribute}">\n'
        "<summary>Analyzed</summary>\n```python\nprint(6 < 7)\n```\n</details>\nSo it is."
    )
    file = {"type": "file", "name": "n.pdf", "file": {"data": {"content": "INFILE"}, "hash": "HASHED"}}
    output = [
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "SUMMED"}], "content": []},
        {"type": "open_webui:code_interpreter", "code": "print(1)", "lang": "python", "output": {"stdout": "PRINTED"}},
        {"type": "message", "content": [{"type": "output_text", "text": "Fin", "annotations": [{"url": "CITED"}]}]},
    ]
    messages = [
        {"id": "u", "parentId": None, "role": "user", "content": "q", "files": [file]},
        {"id": "a", "parentId": "u", "role": "assistant", "content": details, "usage": {"prompt_tokens": 3, "eval": 7}},
        {"id": "b", "parentId": "a", "role": "assistant", "content": "flat", "output": output},
    ]
    return [
        {
            "id": "o",
            "title": "Talk",
            "chat": {"history": {"messages": {m["id"]: m for m in messages}, "currentId": "b"}},
        }
    ]


def chatbox() -> dict[str, Any]:
    def message(id: str, role: str, *parts: dict[str, Any], **more: Any) -> dict[str, Any]:
        return {"id": id, "role": role, "contentParts": list(parts), **more}

    file = {"id": "f", "name": "a.pdf", "storageKey": "parseFile-1", "byteLength": 7717}
    call = {"type": "tool-call", "state": "call", "toolCallId": "k", "toolName": "web", "args": {}}
    messages = [
        message("b1", "user", {"type": "image", "storageKey": "x", "ocrResult": "OCRED"}, files=[file]),
        message("b2", "assistant", call),
        message("b3", "tool", {"type": "text", "text": "TOOLSAID"}),
        message("b4", "assistant", {"type": "text", "text": "Yes"}, usage={"totalTokens": 4711}),
    ]
    return {"session:s": {"id": "s", "name": "Talk", "messages": messages}, "parseFile-1": "PARSED"}


def chatgpt() -> list[Any]:
    def node(id: str, parent: str | None, role: str, content: dict[str, Any], **more: Any) -> dict[str, Any]:
        message = {"id": id, "author": {"role": role}, "content": content, "create_time": 1_700_000_000, **more}
        return {"id": id, "parent": parent, "children": [], "message": message}

    remembered = {
        "content_type": "model_editable_context",
        "model_set_context": "LIKESOWLS",
        "structured_context": "S7",
    }
    quote = {"content_type": "tether_quote", "text": "QUOTED", "url": "https://quote.example", "title": "T"}
    nodes = [
        node("n1", None, "assistant", remembered),
        node("n2", "n1", "user", {"content_type": "text", "parts": ["q"]}),
        node("n3", "n2", "assistant", {"content_type": "text", "parts": ["a"]}, channel="final", recipient="web"),
        node("n4", "n3", "tool", quote),
        node("n5", "n4", "assistant", {"content_type": "text", "parts": ["Fin"]}, channel="FINALLY"),
    ]
    return [{"id": "g", "title": "Talk", "mapping": {each["id"]: each for each in nodes}, "current_node": "n5"}]


@pytest.mark.parametrize(
    ("value", "read", "kept"),
    [
        (claude(), ["VOICEWORDS", "Owl wiki\nhttps://owl.example\nOWLKNOW", "Owls are birds.\n\n- [A](<https://cited.example/a>)"],
         ["NOTED", "SUMMED", "SEARCHING", "is_citable", "web_search_citation"]),
        (librechat(), ["[Tool code_interpreter (done): {\"code\": \"print(6*7)\"}]\nFORTYTWO", "INFILE", "Rate limit"],
         ["PICTURE7", "expires_at"]),
        (open_webui(), ["{\"code\": \"print(6 < 7)\", \"language\": \"python\"}]\nFORTY\nTWO",
                        "[Thinking: SUMMED]", "PRINTED", "Look:", "So it is.", "[File: n.pdf.txt]"],
         ["CITED", "eval", "duration", "HASHED"]),
        (chatbox(), ["[Tool web (done)]\nTOOLSAID", "[File: a.pdf.txt]"], ["OCRED", "7717", "4711"]),
        (chatgpt(), ["Instructions", "LIKESOWLS", "QUOTED"], ["S7", "https://quote.example", "FINALLY"]),
    ],
    ids=["claude", "librechat", "open-webui", "chatbox", "chatgpt"],
)  # fmt: skip
def test_what_blocks_say_beside_their_text_comes_in(
    value: Any, read: list[str], kept: list[str], tmp_path: Path
) -> None:
    home = library(tmp_path / "home")
    (tmp_path / "export.json").write_text(json.dumps(value))
    report = imported(home, tmp_path / "export.json")
    assert report.count("new") == 1
    assert not report.aside
    text, whole = exported(home, tmp_path / "x.txt", "text").decode(), exported(home, tmp_path / "y.json").decode()
    assert [words for words in read if words not in text] == [], text
    assert [words for words in kept if words not in whole] == []
    assert imported(home, tmp_path / "export.json").messages == 0
    conversation = StoredConversation(home.conversations, all_conversations(home)[0])
    shown = [conversation.message(id) for id in conversation.path]
    assert not any("LIKESOWLS" in m.plain_text and not isinstance(m, SystemMessage) for m in shown)
    assert not any("TOOLSAID" in m.plain_text and not isinstance(m, ToolResultMessage) for m in shown)


_FRAMES = re.compile(
    r"|\.folder|\.(indexedDB|localStorage|settings)|\.chat-sessions-list\[\]|.*\.messageForksHash.*|"
    r"\[\]\.(chat\.history(\.messages)?|mapping(\.\w+)?)"
)
"""Objects that only hold others: the file itself, and what puts conversations and messages in their places."""


def _marked(value: Any, path: str, marks: dict[str, str]) -> None:
    """Give each object a field that no program knows."""
    if isinstance(value, list):
        for each in value:
            _marked(each, f"{path}[]", marks)
    elif isinstance(value, dict):
        for key, each in value.items():
            _marked(each, f"{path}.{key}", marks)
        mark = f"mark{len(marks)}."
        value["unheard-of"], marks[mark] = mark, path


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda each: each.key)
def test_a_field_that_nobody_knows_is_kept_wherever_it_stands(sample: Sample, tmp_path: Path) -> None:
    home = library(tmp_path / "home")
    marks: dict[str, str] = {}

    def marked(text: str) -> str:
        value = json.loads(text)
        _marked(value, "", marks)
        return json.dumps(value)

    path = sample.write(tmp_path)
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            (name,) = {"conversations.json", "data.json"} & set(archive.namelist())
            (tmp_path / "unpacked").mkdir()
            path = tmp_path / "unpacked" / name
            path.write_bytes(archive.read(name))
    for file in [path] if path.is_file() else [each for each in path.rglob("*.json*") if each.is_file()]:
        lines = file.read_text().splitlines() if file.suffix == ".jsonl" else [file.read_text()]
        file.write_text("\n".join(map(marked, lines)))
    imported(home, path)
    whole = exported(home, tmp_path / "y.json").decode()
    whole += "".join(file.read_text() for file in home.data.glob("imports/**/*") if file.is_file())
    assert marks
    assert [place for mark, place in marks.items() if mark not in whole and not _FRAMES.fullmatch(place)] == []


def test_what_is_no_conversation_is_kept_aside_or_named(tmp_path: Path) -> None:
    home = library(tmp_path / "home")
    with zipfile.ZipFile(tmp_path / "claude.zip", "w") as archive:
        archive.writestr("conversations.json", json.dumps(claude()))
        archive.writestr("projects.json", json.dumps([{"uuid": "p", "prompt_template": "MYPROMPT"}]))
        archive.writestr("memories.json", "[]")
        archive.writestr("users.json", "[{}]")
    report = imported(home, tmp_path / "claude.zip")
    assert [each.what for each in report.aside] == ["“projects.json”"]
    assert report.folder is not None
    assert any(b"MYPROMPT" in path.read_bytes() for path in report.folder.rglob("*") if path.is_file())
    assert any("users.json" in note for note in report.notes)
    with zipfile.ZipFile(tmp_path / "chatgpt.zip", "w") as archive:
        archive.writestr("conversations.json", json.dumps(chatgpt()))
        archive.writestr("shared_conversations.json", json.dumps([{"id": "s", "conversation_id": "g"}]))
        archive.writestr("user.json", "{}")
    report = imported(home, tmp_path / "chatgpt.zip")
    assert (report.aside, report.folder) == ([], None)
    assert any("user.json, shared_conversations.json" in note for note in report.notes)


def test_a_copy_of_cherry_studios_database_is_told_from_what_can_be_read(tmp_path: Path) -> None:
    home = library(tmp_path / "home")
    with zipfile.ZipFile(tmp_path / "cherry.zip", "w") as archive:
        archive.writestr("metadata.json", json.dumps({"version": 6, "appName": "Cherry Studio", "appVersion": "1.8.0"}))
        archive.writestr("IndexedDB/file__0.indexeddb.leveldb/000003.log", b"\0\1")
    with pytest.raises(TransferError, match=r"Export to phone"):
        imported(home, tmp_path / "cherry.zip")


def test_a_list_of_sams_conversations_comes_in_however_it_is_written(tmp_path: Path) -> None:
    home = library(tmp_path / "home")
    one = json.loads(sam_conversation(tmp_path).read_text())
    (tmp_path / "conversations.json").write_text(json.dumps([one, {**one, "id": "BBBB"}]), encoding="utf-16")
    assert imported(home, tmp_path / "conversations.json").count("new") == 2
    assert imported(home, sam_conversation(tmp_path)).count("known") == 1
