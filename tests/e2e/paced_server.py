"""PacedServer: a Chat Completions server whose replies come word by word, when the test says so."""

from __future__ import annotations

import json
import queue
import select
import socket
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

MODEL = "paced"
PATIENCE_S = 20.0
_LOOK_AGAIN_S = 0.03


class Reply:
    """One request and the reply to it, which the test writes piece by piece."""

    def __init__(self, request: Mapping[str, Any]) -> None:
        self.request = request
        self.outbox: queue.Queue[tuple[str, str | None]] = queue.Queue()
        self.is_gone = threading.Event()
        """Set when the client hung up before the end."""

    @property
    def texts(self) -> list[str]:
        """What the program sent: the text of each message, without the system prompt."""
        return [_text(message["content"]) for message in self.request["messages"] if message["role"] != "system"]

    def say(self, text: str) -> None:
        self.outbox.put((text, None))

    def end(self, reason: str = "stop") -> None:
        self.outbox.put(("", reason))

    def wait_until_gone(self) -> None:
        assert self.is_gone.wait(PATIENCE_S), "the program did not hang up"


class PacedServer:
    """Listens on 127.0.0.1 for the length of a ``with`` block."""

    def __init__(self) -> None:
        self._replies: queue.Queue[Reply] = queue.Queue()
        replies = self._replies

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._answer(json.dumps({"object": "list", "data": [{"id": MODEL, "object": "model"}]}).encode())

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                reply = Reply(request)
                replies.put(reply)
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                try:
                    self._stream(reply)
                except OSError:
                    reply.is_gone.set()

            def _stream(self, reply: Reply) -> None:
                while True:
                    try:
                        text, reason = reply.outbox.get(timeout=_LOOK_AGAIN_S)
                    except queue.Empty:
                        if _is_closed(self.connection):
                            reply.is_gone.set()
                            return
                        continue
                    delta = {"content": text} if text else {}
                    choice = {"index": 0, "delta": delta, "finish_reason": reason}
                    event = {"id": "1", "object": "chat.completion.chunk", "model": MODEL, "choices": [choice]}
                    self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
                    if reason is not None:
                        self.wfile.write(b"data: [DONE]\n\n")
                        return

            def _answer(self, body: bytes) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *arguments: object) -> None:
                """Nothing: the tests' output is for failures."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    @property
    def settings(self) -> dict[str, Any]:
        """The program's settings with this server as the only provider, chosen."""
        host, port = self._server.server_address[:2]
        provider = {"id": "paced", "label": "Paced", "base_url": f"http://{host!s}:{port}/v1", "models": [MODEL]}
        chat = {"default": {"provider": "paced", "model": MODEL}, "model_titles": False}
        return {"schema_version": 1, "providers": [provider], "chat": chat, "detect_local_servers": False}

    def next_reply(self) -> Reply:
        """The reply to the next request, once that has come."""
        return self._replies.get(timeout=PATIENCE_S)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _is_closed(connection: socket.socket) -> bool:
    ready, _, _ = select.select([connection], [], [], 0)
    return bool(ready) and connection.recv(1, socket.MSG_PEEK) == b""


def _text(content: object) -> str:
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content)
    return str(content)
