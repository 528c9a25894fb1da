"""The loop: `ChatSession` is all that a user interface may ask for; it turns asking into messages and streams.

Must always be true:

- The person's message is durable before the request leaves.
- `stop()` takes effect before it returns: the text so far is kept and the session is idle.
- Whatever goes wrong ends in an error at the message where it happened, and the session goes on working.
- The session knows no provider, no file and no widget: it is given functions.

May import: `transcript`, `providers.base`, `providers.errors`, `bus`, `settings.model`, `messages`, `errors`.
"""
