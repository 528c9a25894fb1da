"""The one truth: `MessageBus` holds one conversation and is the only thing that changes it.

Must always be true:

- Every change is announced as one typed delta, after it is complete, in order, on the loop's thread.
- A streamed chunk costs what the chunk costs: never the message's length or the conversation's.
- Listeners read; they never write back from inside a notification.
- What becomes of a tool call is in `ToolLedger`: one writes it, a terminal state never changes.

May import: `messages`, `errors`. No Qt, no I/O.
"""
