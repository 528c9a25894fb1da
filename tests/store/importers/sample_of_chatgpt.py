"""The story that all samples tell, and how ChatGPT's export tells it."""

from __future__ import annotations

from typing import Any

ASKED, THOUGHT, CALLED, GIVEN, ANSWERED = (
    "What is in it?",
    "I look it up.",
    '{"place": "Köln"}',
    "18 °C, rain",
    "A dot.",
)
FIRST_WAY, SECOND_WAY, AFTER = "And in Bonn?", "And in Trier?", "No idea."


def chatgpt_conversation() -> dict[str, Any]:
    def node(id: str, parent: str | None, children: list[str], role: str = "", content: Any = None, **more: Any) -> Any:
        message = None
        if role:
            name = more.pop("name", None)
            at = more.pop("at", 1_756_000_000.5 + len(id))
            author = {"role": role, "name": name, "metadata": {}}
            message = {"id": id, "author": author, "create_time": at, "content": content, "recipient": "all"}
            message |= {"status": "finished_successfully", "metadata": {}, **more}
        return {"id": id, "message": message, "parent": parent, "children": children}

    def text(*parts: Any) -> dict[str, Any]:
        return {"content_type": "text", "parts": list(parts)}

    picture = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://file-Abc123", "size_bytes": 9}
    gone = {"content_type": "image_asset_pointer", "asset_pointer": "sediment://file_0000gone", "width": 3}
    mark = "\ue200cite\ue202turn0search1\ue201"
    notes = {"id": "file-Notes1", "name": "notes.txt", "mime_type": "text/plain"}
    photo = {"id": "file-Abc123", "name": "photo.png", "mime_type": "image/png"}
    said = {
        "content_references": [{"matched_text": mark, "alt": None}],
        "model_slug": "big-1",
        "finish_details": {"type": "stop"},
        "request_id": "r1",
    }
    nodes = [
        node("root", None, ["sys"]),
        node("sys", "root", ["ctx"], "system", text(""), at=None),
        node(
            "ctx",
            "sys",
            ["ask"],
            "user",
            {"content_type": "user_editable_context", "user_profile": "I cook.", "user_instructions": "Be brief."},
            at=None,
        ),
        node(
            "ask",
            "ctx",
            ["think"],
            "user",
            {"content_type": "multimodal_text", "parts": [picture, gone, ASKED]},
            metadata={"attachments": [photo, notes]},
        ),
        node(
            "think",
            "ask",
            ["call"],
            "assistant",
            {"content_type": "thoughts", "thoughts": [{"summary": "Weather", "content": THOUGHT}]},
        ),
        node("call", "think", ["tool"], "assistant", {"content_type": "code", "text": CALLED}, recipient="weather"),
        node("tool", "call", ["answer"], "tool", {"content_type": "execution_output", "text": GIVEN}, name="weather"),
        node("answer", "tool", ["one", "two"], "assistant", text(ANSWERED + mark), metadata=said),
        node("one", "answer", ["end"], "user", text(FIRST_WAY)),
        node("two", "answer", [], "user", text(SECOND_WAY)),
        node("end", "one", [], "assistant", text(AFTER), metadata={**said, "finish_details": {"type": "max_tokens"}}),
    ]
    return {
        "title": "A picture",
        "create_time": 1_756_000_000.25,
        "update_time": 1_756_000_400.0,
        "mapping": {each["id"]: each for each in nodes},
        "current_node": "end",
        "conversation_id": "6b0f0d9c-0000-4000-8000-000000000001",
        "default_model_slug": "big-1",
        "is_archived": False,
        "is_starred": True,
        "gizmo_id": "g-1",
    }
