"""Exports: conversations as files that other people and programs can read, and one that loses nothing.

Must always be true:

- A target file is whole or is not there: it is written beside its place, synced and renamed.
- The lossless form (`lossless`, documented in ``resources/docs/export-format.md``), imported into an empty library
  and exported again, gives the same bytes.
- A page of ours holds no active content and loads nothing, whatever a conversation says.
- An export only reads the data folder; it may run while the program is at work in it.

May import: what `store` may; markdown-it, pygments and ziamath, each when it is needed.
"""
