"""What is seen: the only package with Qt (`app.py` aside).

Must always be true:

- One thread owns the event loop, the bus and every widget; work that takes time is spawned through `tasks.py`.
- Nothing a model wrote is read as rich text, loads anything, or opens anything by itself; `links.py` is the one door.
- No event loop runs inside the running one: dialogs are opened with ``open()``.
- A chunk of a streaming reply costs what the chunk costs, however long the reply or the conversation is.

May import: everything below it, PySide6, qasync.
"""
