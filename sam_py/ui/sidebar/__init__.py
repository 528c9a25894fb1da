"""The list of conversations: found, ordered, named and put away at the window's left.

Must always be true:

- The list mirrors the store's library; a command goes to the library, and only its news changes a row.
- Titles and previews are somebody else's words: they are drawn as plain text, on one line.
- A row costs nothing until it is seen.

May import: `store`, `errors`, `ui.theme`, `ui.widgets`, Qt.
"""
