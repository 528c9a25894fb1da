"""What is said: frozen types and pure functions over them. No I/O, no Qt, no provider.

Must always be true:

- `parts` is the only source of what a message contains; everything else is computed from it.
- A message is never changed: a change makes a new one with the same id.
- What is unknown (a part, an event, a field) is kept and written back, never dropped.

May import: `errors`, pydantic.
"""
