"""Google's Gemini API (generateContent), as Google AI and Vertex speak it.

`request.py` and `stream.py` are pure and hold all that is known of the wire; `opaque.py` is what both know of
thought signatures and of parts that only the service reads; `thinking.py` says which model thinks how;
`models.py` reads model lists; `provider.py` does the I/O.
"""
