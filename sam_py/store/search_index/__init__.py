"""What is found: a derived index of all conversations in one SQLite database of the state folder, ``search.sqlite``.

`service.SearchService` is the door: search, the lists that Library and Pinned show, counts, progress.

Must always be true:

- Derived: delete it, damage it, or open one of another version, and it is built anew from the journals; nothing else
  is ever read out of it, and no trouble with it touches a conversation.
- After any sequence of changes it says what an index built anew would say.
- One thread writes, others read (write-ahead log): a reader waits for no writer, a save waits for neither.
- What was removed is in no result from that moment on, whether the index knows it yet or not.
- Any input is a query: nothing that a person types is an error.

May import: what `store` may import. No Qt.
"""
