"""The tools that come with the program: files of the work folder, web pages, notes, the task list, sums and more.

Must always be true:

- A file tool reaches nothing outside the work folder, and nothing of the program's own, whatever a path says.
- A page comes only from an address that was checked, hop by hop, and is what the connection really leads to.
- What blocks runs on a thread, is bounded, and ends soon after it is cancelled.

May import: what `tools` may. Heavy libraries (trafilatura, pint) are imported when first used.
"""
