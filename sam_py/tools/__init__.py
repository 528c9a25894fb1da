"""What the model may do: tools, who may run them, and the one runner that does.

Must always be true:

- The runner alone writes the state of a call; everybody else reads it.
- What changes something, or leaves this machine, runs after a person has seen exactly what would run and agreed.
- A tool that fails or hangs ends in a result that says so; it never ends the conversation.

May import: `store`, `transcript`, `providers`, `bus`, `messages`, `errors`, httpx. No Qt.
"""
