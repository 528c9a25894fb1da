"""What the model sees: pure functions from a conversation's messages to turns.

Must always be true:

- `build` is pure, and what it returns is valid whatever the history looks like: turns alternate,
  start with the user, hold nothing empty, and every tool call has exactly one result in the next turn.
- What became of a tool call the ledger says; only where it is silent, the messages are read.
- Thinking goes to the provider and the model family that wrote it, byte for byte, and to nobody else.
- What is inferred, degraded or left out is said in `Transcript.notes`, never silent.
- No provider's quirks: those are its mapper's business.

May import: `messages`, `errors`.
"""
