"""Anthropic's Messages, as Anthropic and the servers that imitate it speak it.

`request.py` and `stream.py` are pure and hold the wire; `families.py` is the table of what models want
differently; `opaque.py` says how blocks that only Anthropic understands travel through our messages.
`provider.py` does the I/O.

Must always be true:

- A thinking block goes back whole, in place and unchanged, or not at all.
- The content of a request up to its last cache marker is the same bytes in the next request.
"""
