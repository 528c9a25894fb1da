"""What is found again: the pages that stand in the place of the conversation: library, pinned messages, search.

Always true: nothing here is imported before a page is first opened, and a page asks the index only while it is seen.
What is listed comes from `store.search_index`, page by page; a picture is read on a worker thread, and only while it is
on view. A thing is opened, copied, saved and dragged as a copy: the store's own file is never handed out. Every thing
leads to its message.

May import: store, messages, bus, and of ui what the chat is made of; never the window, which hands in how a message is
opened.
"""
