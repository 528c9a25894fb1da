"""The wire: one package per API, each with `request.py` (pure), `stream.py` (pure) and `provider.py` (I/O).

Must always be true:

- `stream()` ends in exactly one `Finished` or raises a `ProviderError`; nothing comes after either.
- A decoder's result does not depend on how the bytes were split.
- Nobody outside this package sees httpx.

May import: `messages`, `bus`, `settings`, `errors`, httpx. Providers never import each other.
"""
