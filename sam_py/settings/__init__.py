"""What is chosen: the settings model, its file, the keys in the system's keyring, and what listings said of models.

Must always be true:

- No key is ever written to a file of ours.
- An unreadable settings file is kept aside and said so; the program starts with the last good one.
- Only `app.py`, `cli.py` and `ui/settings` read settings; everything else takes values.

May import: `messages`, `errors`, `paths`, pydantic; keyring only in `secrets.py`.
"""
