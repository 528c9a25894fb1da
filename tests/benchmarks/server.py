"""A chat-completions server that streams words at a steady pace: ``python -m tests.benchmarks.server 100``."""

from __future__ import annotations

import asyncio
import json
import sys

from tests.benchmarks.words import word

MODELS = b'{"object": "list", "data": [{"id": "m", "object": "model"}]}'


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, per_s: float) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    if head.startswith(b"GET"):
        size = str(len(MODELS)).encode()
        kind = b"Content-Type: application/json\r\nConnection: close\r\n"
        writer.write(b"HTTP/1.1 200 OK\r\n" + kind + b"Content-Length: " + size + b"\r\n\r\n" + MODELS)
        await writer.drain()
        writer.close()
        return
    length = next(
        (int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0
    )
    await reader.readexactly(length)
    kind = b"Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n"  # as real servers do, a chunk a word
    writer.write(b"HTTP/1.1 200 OK\r\n" + kind + b"\r\n")
    loop = asyncio.get_running_loop()
    began, number = loop.time(), 0
    try:
        while True:
            text = word(number)
            chunk = {
                "id": "c",
                "object": "chat.completion.chunk",
                "model": "m",
                "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}],
            }
            event = b"data: " + json.dumps(chunk).encode() + b"\n\n"
            writer.write(f"{len(event):x}\r\n".encode() + event + b"\r\n")
            await writer.drain()
            number += 1
            await asyncio.sleep(max(0.0, began + number / per_s - loop.time()))
    except ConnectionError:
        return


async def main(per_s: float) -> None:
    server = await asyncio.start_server(lambda r, w: answer(r, w, per_s), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1])))
