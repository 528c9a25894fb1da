"""Settings: what a person chooses, applied at once and kept; a page for each subject.

Must always be true:

- A page shows what the settings file holds now, also while something else changes it.
- What is not valid is said beside its field and not kept; what is valid needs no OK.
- A key is typed here and goes to `settings.secrets`; it is never shown and never in the settings file.

May import: `settings`, `providers`, `errors`, `ui.services`, `ui.theme`, `ui.widgets`, Qt.
"""
