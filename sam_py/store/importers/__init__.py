"""Imports: what other programs (and ours) exported becomes conversations of the library.

Must always be true:

- A conversation comes in whole or not at all: its folder is made elsewhere and renamed into its place.
- Nothing that was read is dropped: what has no place is kept in the message, what is damaged is kept aside with the
  reason, and the report says both.
- Ids are made of the ids of the source: the same file again adds what is new in it, and nothing twice.
- What is here and said otherwise in the file stays: the file's words stand beside it, as another version (`versions`).
- Each file of a folder or archive is read by the importer of its own format; sizes bind, never a ratio of packing.
- No file that exists is changed: what a known conversation gains stands in a journal file of its own, so that an
  import is safe while the program is at work in the same folder.
- What is read is not trusted: no name in an archive becomes a path, sizes are bounded, nothing is run or loaded.

Each format has a module with an `IMPORTER`; its docstring names what it was written after. `run` puts them together.

May import: what `store` may, and `store.exporters` for progress and errors.
"""
