"""Foreign forms of a message: each module reads one and writes it, and ``from_x(to_x(message)) == message``.

Must always be true:

- What the foreign form cannot hold goes into one side field, `sam`, so that the way back is exact.
- What a foreign message says and ours has no place for is kept: as an extra field, an unknown part, or text.
- Pure: bytes of pictures and files are handed to a function of the caller, never written here.

May import: the rest of `messages`, `errors`.
"""
