"""What the model is told again: pieces of text that stand before the last question of each request.

Must always be true:

- A reminder is part of a request and never of the history: nothing here is written or shown as something said.
- The order of the reminders is one tuple; what has nothing to say is not there at all.
- The text before them stays the same from one request to the next, so that a provider's cache of it holds.

May import: `store`, `transcript`, `bus`, `messages`, `errors`. No Qt, no network.
"""
