"""Documents: the text of attached PDF, Word, Excel, PowerPoint, EPUB, HTML and CSV files, taken out once and kept.

A document's text lies in ``documents/ab/<hash of the file>.json`` beside ``attachments/``, as `Document.to_json` of
`sam_py.messages.documents` writes it: whatever looks through attached files, a full-text index among them, reads it
there (`Documents.kept`, `Documents.path`) and parses nothing.

Always true: a file is parsed in a process of its own that is told nothing secret, may write no file, start no program
and open no connection, and is ended when it takes too long or too much; macros are never run, links never followed;
what cannot be read ends in a `DocumentError` whose sentence says why, and what can be read in part is kept in part.

`worker` and what it imports (the `read_*` modules) run in that process alone: nothing else may import them.
"""
