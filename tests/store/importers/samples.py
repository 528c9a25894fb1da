"""Samples of every format that can be imported, written here after the shapes that the importers name.

Each tells the same: a question with a picture, a reply that thinks and calls a tool, the tool's result, the answer;
then a question that was put in two ways. What a format cannot hold is missing in its sample.
"""

from __future__ import annotations

import base64
import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.store.exporters.shelves import PNG
from tests.store.importers.sample_of_chatgpt import (
    AFTER,
    ANSWERED,
    ASKED,
    CALLED,
    FIRST_WAY,
    GIVEN,
    SECOND_WAY,
    THOUGHT,
    chatgpt_conversation,
)

DATA = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"


@dataclass(frozen=True)
class Sample:
    """How a format's sample is written, and what of the story it holds."""

    key: str
    write: Callable[[Path], Path]
    has_branch: bool = True
    has_picture: bool = True
    has_tools: bool = True
    has_thinking: bool = True
    model: str = "big-1"


def _json(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return path


def _zip(path: Path, members: Mapping[str, bytes | str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def _chatgpt(folder: Path) -> Path:
    conversations = json.dumps([chatgpt_conversation()])
    members = {"conversations.json": conversations, "user.json": "{}", "file-Abc123-photo.png": PNG}
    members |= {"file-Notes1-notes.txt": "Buy onions"}
    return _zip(folder / "chatgpt.zip", members)


def _claude(folder: Path) -> Path:
    def message(uuid: str, parent: str, sender: str, content: list[Any], **more: Any) -> dict[str, Any]:
        at = f"2026-05-01T10:00:0{len(content)}.000000Z"
        fields = {"uuid": uuid, "sender": sender, "content": content, "created_at": at, "text": "flat"}
        return {**fields, "parent_message_uuid": parent, "attachments": [], "files": [], **more}

    nobody = "00000000-0000-4000-8000-000000000000"
    attached = {"file_name": "notes.pdf", "file_type": "application/pdf", "extracted_content": "Ünï", "file_size": 4}
    replied = [
        {"type": "thinking", "thinking": THOUGHT, "summaries": []},
        {"type": "text", "text": "Let me see."},
        {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": json.loads(CALLED)},
        {
            "type": "tool_result",
            "tool_use_id": "toolu_1",
            "content": [{"type": "text", "text": GIVEN}],
            "is_error": False,
        },
        {"type": "text", "text": ANSWERED},
        {"type": "token_budget", "left": 3},
    ]
    artifact = {"command": "create", "id": "art-1", "type": "text/markdown", "title": "Doc", "content": "# v1"}
    conversation = {
        "uuid": "c-1",
        "name": "A picture",
        "created_at": "2026-05-01T10:00:00Z",
        "chat_messages": [
            message(
                "m1",
                nobody,
                "human",
                [{"type": "text", "text": ASKED}],
                attachments=[attached],
                files=[{"file_name": "a.png"}],
            ),
            message("m2", "m1", "assistant", replied),
            message("m3", "m2", "human", [{"type": "text", "text": FIRST_WAY}]),
            message("m4", "m2", "human", [{"type": "text", "text": SECOND_WAY}]),
            message(
                "m5",
                "m4",
                "assistant",
                [{"type": "tool_use", "name": "artifacts", "input": artifact}, {"type": "text", "text": AFTER}],
            ),
        ],
    }
    return _zip(folder / "claude.zip", {"conversations.json": json.dumps([conversation]), "users.json": "[]"})


def _sam(folder: Path) -> Path:
    def message(id: str, is_user: bool, content: str, **more: Any) -> dict[str, Any]:
        fields = {"id": id, "isFromUser": is_user, "content": content, "timestamp": "2026-03-01T08:00:00Z"}
        return {**fields, "isPinned": False, "importance": 0.5, "type": "user" if is_user else "assistant", **more}

    picture = {"type": "image", "base64": base64.b64encode(PNG).decode(), "mimeType": "image/png"}
    called = [{"id": "t1", "name": "weather", "arguments": json.loads(CALLED)}]
    conversation = {
        "id": "AAAA-1",
        "title": "A picture",
        "created": "2026-03-01T07:59:00Z",
        "updated": "2026-03-01T08:10:00Z",
        "settings": {"selectedModel": "big-1", "temperature": 0.7},
        "messages": [
            message("s1", True, ASKED, contentParts=[picture], isPinned=True, importance=0.9),
            message("s2", False, "", toolCalls=called, reasoningContent=THOUGHT),
            message(
                "s3", False, GIVEN, type="toolExecution", toolName="weather", toolStatus="success", toolCallId="t1"
            ),
            message("s4", False, ANSWERED, performanceMetrics={"tokenCount": 5}),
            message("s5", True, FIRST_WAY),
            message("s6", False, AFTER),
        ],
    }
    package = {
        "formatVersion": "1.0",
        "samVersion": "1.0",
        "exportedAt": "2026-03-02T00:00:00Z",
        "conversation": conversation,
    }
    package |= {"folder": {"id": "f", "name": "Trips"}, "memories": [{"content": "likes rain"}]}
    return _json(folder / "package.json", package)


def sam_conversation(folder: Path) -> Path:
    """The file as it lies in SAM's own folder."""
    return _json(folder / "conversation.json", json.loads(_sam(folder).read_text())["conversation"])


def _open_webui(folder: Path) -> Path:
    def message(id: str, parent: str | None, role: str, content: str, **more: Any) -> dict[str, Any]:
        fields = {"id": id, "parentId": parent, "childrenIds": [], "role": role, "content": content}
        return {**fields, "timestamp": 1_700_000_000 + len(id), **more}

    output = [
        {"type": "reasoning", "content": [{"type": "output_text", "text": THOUGHT}]},
        {"type": "function_call", "call_id": "call_1", "name": "weather", "arguments": CALLED},
        {"type": "function_call_output", "call_id": "call_1", "output": [{"type": "input_text", "text": GIVEN}]},
        {"type": "message", "content": [{"type": "output_text", "text": ANSWERED}]},
    ]
    details = (
        '<details type="reasoning" done="true" duration="3">\n<summary>Thought</summary>\n&gt; Older\n</details>\n'
        '<details type="tool_calls" done="true" id="call_1" name="weather" arguments="&quot;{}&quot;" '
        'result="&quot;sun&quot;">\n<summary>Tool Executed</summary>\n</details>\n'
    )
    messages = [
        message("a1", None, "user", ASKED, files=[{"type": "image", "url": DATA}]),
        message("a2", "a1", "assistant", "flat", model="big-1", done=True, output=output),
        message("a3", "a2", "user", FIRST_WAY),
        message("a4", "a2", "user", SECOND_WAY),
        message(
            "a5", "a3", "assistant", details + AFTER, model="big-1", usage={"prompt_tokens": 7, "completion_tokens": 2}
        ),
    ]
    history = {"currentId": "a5", "messages": {each["id"]: each for each in messages}}
    chat = {"title": "A picture", "models": ["big-1"], "history": history, "params": {"system": "Be kind."}}
    row = {"id": "w1", "user_id": "u", "title": "A picture", "chat": chat, "created_at": 1_700_000_000, "pinned": True}
    return _json(folder / "chat-export.json", [row])


def librechat_messages() -> list[dict[str, Any]]:
    def message(id: str, parent: str, is_user: bool, text: str, **more: Any) -> dict[str, Any]:
        fields = {"messageId": id, "parentMessageId": parent, "isCreatedByUser": is_user, "text": text}
        at = f"2026-04-01T16:35:1{id[-1]}.000Z"
        return {
            **fields,
            "createdAt": at,
            "sender": "User" if is_user else "Big",
            "model": None if is_user else "big-1",
            **more,
        }

    content = [
        {"type": "think", "think": THOUGHT},
        {"type": "tool_call", "tool_call": {"id": "call_1", "name": "weather", "args": CALLED, "output": GIVEN}},
        {"type": "text", "text": {"value": ANSWERED}},
    ]
    return [
        message(
            "l1",
            "00000000-0000-0000-0000-000000000000",
            True,
            ASKED,
            files=[{"filename": "a.png", "type": "image/png"}],
        ),
        message("l2", "l1", False, "", content=content),
        message("l3", "l2", True, FIRST_WAY),
        message("l4", "l2", True, SECOND_WAY),
        message("l5", "l4", False, AFTER, finish_reason="stop", tokenCount=3),
    ]


def _librechat(folder: Path) -> Path:
    return _json(folder / "librechat.json", {**_libre_head(), "recursive": False, "messages": librechat_messages()})


def librechat_recursive(folder: Path) -> Path:
    messages = librechat_messages()
    for message in messages:
        message["children"] = [each for each in messages if each["parentMessageId"] == message["messageId"]]
    return _json(folder / "librechat-tree.json", {**_libre_head(), "recursive": True, "messages": messages[:1]})


def _libre_head() -> dict[str, Any]:
    options = {"model": "big-1", "promptPrefix": "Be kind.", "endpoint": "openAI"}
    return {"conversationId": "lc-1", "endpoint": "openAI", "title": "A picture", "branches": True, "options": options}


def _cherry_studio(folder: Path) -> Path:
    blocks: list[dict[str, Any]] = []

    def message(id: str, role: str, *content: dict[str, Any], **more: Any) -> dict[str, Any]:
        names = []
        for number, each in enumerate(content):
            names.append(f"{id}-{number}")
            blocks.append({"id": names[-1], "messageId": id, "status": "success", **each})
        at = f"2026-02-01T10:00:0{id[-1]}.000Z"
        return {"id": id, "role": role, "topicId": "t1", "createdAt": at, "blocks": names, "status": "success", **more}

    def text(content: str) -> dict[str, Any]:
        return {"type": "main_text", "content": content}

    tool = {
        "type": "tool",
        "toolId": "call_1",
        "toolName": "weather",
        "arguments": json.loads(CALLED),
        "content": GIVEN,
    }
    file = {"type": "image", "file": {"id": "pic1", "ext": ".png", "origin_name": "a.png"}}
    big = {"model": {"id": "big-1", "provider": "x"}, "usage": {"prompt_tokens": 3, "completion_tokens": 4}}
    messages = [
        message("k1", "user", text(ASKED), file),
        message("k2", "assistant", {"type": "thinking", "content": THOUGHT}, tool, text(ANSWERED), askId="k1", **big),
        message("k3", "assistant", text("Another model's answer"), askId="k1", model={"id": "small-1"}),
        message("k4", "user", text(FIRST_WAY)),
        message("k5", "assistant", text(AFTER), {"type": "citation", "response": {"results": []}}, askId="k4", **big),
    ]
    assistants = {"assistants": [{"name": "Cook", "prompt": "Be kind.", "topics": [{"id": "t1", "name": "A picture"}]}]}
    storage = {"persist:cherry-studio": json.dumps({"assistants": json.dumps(assistants)})}
    database = {"topics": [{"id": "t1", "messages": messages}], "message_blocks": blocks, "files": []}
    data = {"time": 1_770_000_000_000, "version": 5, "localStorage": storage, "indexedDB": database}
    return _zip(folder / "cherry.zip", {"data.json": json.dumps(data), "Data/Files/pic1.png": PNG})


def _chatbox(folder: Path) -> Path:
    def message(id: str, role: str, *parts: dict[str, Any], **more: Any) -> dict[str, Any]:
        return {
            "id": id,
            "role": role,
            "contentParts": list(parts),
            "timestamp": 1_750_000_000_000 + int(id[-1]) * 1000,
            **more,
        }

    def text(content: str) -> dict[str, Any]:
        return {"type": "text", "text": content}

    tool = {
        "type": "tool-call",
        "state": "result",
        "toolCallId": "c1",
        "toolName": "weather",
        "args": json.loads(CALLED),
        "result": GIVEN,
    }
    reply = [{"type": "reasoning", "text": THOUGHT}, tool, text(ANSWERED)]
    session = {
        "id": "s1",
        "name": "A picture",
        "type": "chat",
        "starred": True,
        "messages": [
            message("b0", "system", text("Be kind.")),
            message("b1", "user", text(ASKED), {"type": "image", "storageKey": "picture:1"}),
            message("b2", "assistant", *reply, model="big-1", usage={"inputTokens": 3, "outputTokens": 4}),
            message("b3", "user", text(FIRST_WAY)),
            message("b4", "assistant", text(AFTER), model="big-1"),
        ],
        "messageForksHash": {
            "b2": {
                "position": 0,
                "lists": [
                    {"id": "x", "messages": []},
                    {"id": "y", "messages": [message("b5", "user", text(SECOND_WAY))]},
                ],
            }
        },
        "threads": [
            {
                "id": "t0",
                "name": "before",
                "createdAt": 1_740_000_000_000,
                "messages": [{"id": "o1", "role": "user", "content": "Older"}],
            }
        ],
    }
    whole = {
        "session:s1": session,
        "picture:1": DATA,
        "chat-sessions-list": [{"id": "s1", "name": "A picture"}],
        "settings": {"theme": 1},
    }
    return _json(folder / "chatbox-exported-data.json", whole)


def _lm_studio(folder: Path) -> Path:
    def single(text: str, *more: dict[str, Any]) -> dict[str, Any]:
        return {"type": "singleStep", "role": "user", "content": [{"type": "text", "text": text}, *more]}

    def block(*content: dict[str, Any], **more: Any) -> dict[str, Any]:
        return {"type": "contentBlock", "stepIdentifier": "1", "content": list(content), **more}

    def text(content: str) -> dict[str, Any]:
        return {"type": "text", "text": content}

    call = {
        "type": "toolCallRequest",
        "callId": 7,
        "toolCallRequestId": "r1",
        "name": "weather",
        "parameters": json.loads(CALLED),
    }
    given = {
        "type": "toolCallResult",
        "callId": 7,
        "toolCallRequestId": "r1",
        "content": [{"type": "text", "text": GIVEN}],
    }
    info = {
        "identifier": "big-1",
        "stats": {"stopReason": "eosFound", "promptTokensCount": 3, "predictedTokensCount": 4},
    }
    replied = {
        "type": "multiStep",
        "role": "assistant",
        "senderInfo": {"senderName": "big-1"},
        "steps": [
            block(text(THOUGHT), style={"type": "thinking", "ended": True}),
            block(call),
            block(given),
            block(text(ANSWERED), genInfo=info),
            {"type": "debugInfoBlock", "debugInfo": "x"},
        ],
    }
    last = {"type": "multiStep", "role": "assistant", "steps": [block(text(AFTER), genInfo=info)]}
    messages = [
        {
            "versions": [single(ASKED, {"type": "file", "fileIdentifier": "1 - a.png", "fileType": "image"})],
            "currentlySelected": 0,
        },
        {"versions": [replied], "currentlySelected": 0},
        {"versions": [single(FIRST_WAY), single(SECOND_WAY)], "currentlySelected": 1},
        {"versions": [last], "currentlySelected": 0},
    ]
    whole = {
        "name": "A picture",
        "createdAt": 1_750_000_000_000,
        "messages": messages,
        "systemPrompt": "Be kind.",
        "pinned": True,
    }
    home = folder / "lmstudio"
    (home / "conversations" / "Trips").mkdir(parents=True)
    (home / "user-files").mkdir()
    (home / "user-files" / "1 - a.png").write_bytes(PNG)
    _json(home / "conversations" / "Trips" / "1750.conversation.json", whole)
    return home


def _jan(folder: Path) -> Path:
    home = folder / "threads" / "jan_1"
    home.mkdir(parents=True)
    assistant = {"assistant_id": "jan", "model": {"id": "big-1"}, "instructions": "Be kind."}
    _json(
        home / "thread.json",
        {"id": "jan_1", "object": "thread", "title": "A picture", "assistants": [assistant], "created": 1_750_000_000},
    )

    def message(id: str, role: str, *content: dict[str, Any], **more: Any) -> str:
        fields = {"id": id, "object": "thread.message", "thread_id": "jan_1", "role": role, "content": list(content)}
        return json.dumps({**fields, "status": "ready", "created_at": 1_750_000_000_000 + int(id[-1]), **more})

    def text(content: str) -> dict[str, Any]:
        return {"type": "text", "text": {"value": content, "annotations": []}}

    called = {"tool": {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": CALLED}}}
    called |= {"response": {"content": [{"type": "text", "text": GIVEN}]}, "state": "ready"}
    thinking = {"type": "reasoning", "text": {"value": THOUGHT, "annotations": []}}
    lines = [
        message("j1", "user", text(ASKED), {"type": "image_url", "image_url": {"url": DATA}}),
        message("j2", "assistant", thinking, metadata={"tool_calls": [called]}),
        message("j3", "assistant", text(ANSWERED)),
        message("j4", "user", text(FIRST_WAY)),
        message("j5", "assistant", text(AFTER), status="stopped"),
    ]
    (home / "messages.jsonl").write_text("\n".join(lines) + "\n")
    return folder / "threads"


def _pydantic_ai(folder: Path) -> Path:
    picture = {"kind": "binary", "data": base64.b64encode(PNG).decode(), "media_type": "image/png"}
    asked = {"part_kind": "user-prompt", "content": [ASKED, picture], "timestamp": "2026-01-01T00:00:00Z"}
    call = {"part_kind": "tool-call", "tool_name": "weather", "args": CALLED, "tool_call_id": "c1"}
    back = {"part_kind": "tool-return", "tool_name": "weather", "tool_call_id": "c1", "content": GIVEN}
    replied = [{"part_kind": "thinking", "content": THOUGHT}, call]
    forms = [
        {"kind": "request", "parts": [{"part_kind": "system-prompt", "content": "Be kind."}, asked]},
        {"kind": "response", "parts": replied, "model_name": "big-1", "timestamp": "2026-01-01T00:00:02Z"},
        {"kind": "request", "parts": [back]},
        {"kind": "response", "parts": [{"part_kind": "text", "content": ANSWERED}], "model_name": "big-1"},
        {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": FIRST_WAY}]},
        {"kind": "response", "parts": [{"part_kind": "text", "content": AFTER}], "model_name": "big-1"},
    ]
    return _json(folder / "run.json", forms)


SAMPLES = (
    Sample("chatgpt", _chatgpt),
    Sample("claude", _claude, has_picture=False, model=""),
    Sample("sam", _sam, has_branch=False, model=""),
    Sample("open-webui", _open_webui),
    Sample("librechat", _librechat, has_picture=False),
    Sample("cherry-studio", _cherry_studio),
    Sample("chatbox", _chatbox),
    Sample("lm-studio", _lm_studio),
    Sample("jan", _jan, has_branch=False),
    Sample("pydantic-ai", _pydantic_ai, has_branch=False),
)
