"""What is found by its meaning: vectors of all that was said, in ``meaning.sqlite`` in the state folder.

`service.MeaningService` is the door. It is built on `search_index`, which says what there is and what is gone by now.

Must always be true:

- Nothing is asked of an embedding model before `MeaningService.use` is called with one: the person's switch.
- Derived: delete it, damage it, choose another model, and it is built anew, in the background, from where it stood.
- After any sequence of changes it says what vectors made anew would say; only texts that it does not know are asked.
- What was removed is in no result from that moment on, whether the vectors know it yet or not.
- No result depends on luck: every vector is compared (exact search).
- `meaning.sqlite` is opened by apsw alone, and the index of words by `sqlite3` alone.  # D-040

May import: what `store` may, apsw and sqlite-vec (each when it is needed). No Qt, no HTTP: who embeds is passed in.
"""
