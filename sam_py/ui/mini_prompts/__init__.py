"""The panel of mini prompts: switched on, ordered, written and put away over the composer.

Must always be true:

- The panel holds no truth: it shows what `MiniPrompts` and the conversation's settings say and sends up wishes.
- What was typed into the editor is there until it is saved or given up, however the panel was closed.
- Names and texts are a person's words: they are drawn as plain text.

May import: `reminders`, `bus`, `errors`, `ui.theme`, `ui.widgets`, `ui.settings.fields`, `ui.tab_order`, Qt.
"""
