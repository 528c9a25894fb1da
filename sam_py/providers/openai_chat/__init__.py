"""OpenAI's Chat Completions, as OpenAI and some thirty other services and local servers speak it.

`request.py` and `stream.py` are pure and hold all that is known of the wire; `dialect.py` says what a
service wants differently; `provider.py` does the I/O.
"""
