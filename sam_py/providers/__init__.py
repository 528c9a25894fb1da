"""The wire: one package per API, each with `request.py` (pure), `stream.py` (pure) and `provider.py` (I/O).

`http` sends and retries, `sse` cuts bytes into events, `failures` and `network` find the words for what went
wrong, `accumulate` folds events into a message, `registry` holds what a person set up (`presets` is the
list to choose from), `local` finds servers on this machine, `scripted` is for tests and pictures.

Must always be true:

- `stream()` ends in exactly one `Finished` or raises a `ProviderError`; nothing comes after either.
- A decoder's result does not depend on how the bytes were split.
- Nobody outside this package sees httpx, and nothing here loads it before the first request.
- A key goes out in a header, over https or within one's own network, and into no log, address or error.

May import: `messages`, `bus`, `settings`, `errors`, httpx. Providers never import each other.
"""
