"""Small widgets of one look: icons, buttons, notices, questions, the command palette.

Must always be true:

- Each has an accessible name, works by keyboard, and follows the theme and the text scale.
- None knows a conversation, a provider or a file.

May import: `ui.theme`, Qt.
"""
