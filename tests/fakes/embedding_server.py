"""An HTTP server whose vectors a test can foresee: it runs beside the test, in a thread of its own.

with EmbeddingServer(vector) as server: … server.base_url … server.asked
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


class EmbeddingServer:
    """Answers ``POST /v1/embeddings``. `asked` are the texts that it was sent, in order."""

    def __init__(self, vector: Callable[[str], Sequence[float]]) -> None:
        self.asked: list[str] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _answers(vector, self.asked))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def _answers(vector: Callable[[str], Sequence[float]], asked: list[str]) -> type[BaseHTTPRequestHandler]:
    class Answers(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body leave together: otherwise the second waits 40 ms for a delayed ACK

        def do_POST(self) -> None:
            body: dict[str, Any] = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.extend(body["input"])
            rows = [{"index": index, "embedding": list(vector(text))} for index, text in enumerate(body["input"])]
            answer = json.dumps({"object": "list", "data": rows, "model": body["model"]}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing: who asks is the test."""

    return Answers
