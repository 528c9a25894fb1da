"""The offline guide: a provider that is no model. It looks questions up in the handbook (``resources/guide``).

Must always be true:

- It says that it is no language model, and never pretends to know what the handbook does not say.
- Answering needs no network, no key and no file but the handbook.
- It streams like a model, so that the whole program can be seen and tested without one.

`handbook` reads the pages, `search` ranks their sections, `words` knows other words and languages,
`demos` shows formatting, `answers` (pure) makes an answer from a conversation, `provider` streams it.

May import: `providers.base`, `providers.errors`, `messages`, `errors`, `paths`.
"""
