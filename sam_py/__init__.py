"""SAM for Python: a desktop chat client for large language models.

A person's words become a message; the bus appends it and tells its subscribers: the window, the
store, the narrator. The chat session builds a transcript, asks a provider to stream, folds the
stream back into the bus, lets the tool runner act, and goes round until the model only talks.
Commands go down as method calls; news comes up as deltas; nothing else crosses.

=============  ==========================  =====================================================
messages/      what is said                frozen types, no I/O
bus/           the one truth               MessageBus (the only writer), typed deltas
store/         what is kept                journal, conversations, attachments, autosave
transcript/    what the model sees         pure: messages → turns
providers/     the wire                    one package per API: request, stream, provider
agent/         the loop                    ChatSession: all that a user interface may ask for
settings/      what is chosen              model, file, secrets (keyring)
ui/            what is seen                the only package with Qt (app.py aside)
tools/ reminders/ speech/                  what the model may do, is told again; what is heard
=============  ==========================  =====================================================

Each package's docstring is its contract. ``resources/docs/architecture.md`` has the whole picture.
"""

__version__ = "0.1.0"
