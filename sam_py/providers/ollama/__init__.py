"""Ollama's own protocol (``/api/chat``), as Ollama on this machine and its cloud speak it.

`request.py` and `stream.py` are pure and hold all that is known of the wire; `window.py` says how large a context
to ask for; `models.py` reads what the server tells of its models; `provider.py` does the I/O.
"""
