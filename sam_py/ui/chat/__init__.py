"""A conversation on screen: header, timeline with its rows, composer.

Must always be true:

- Rows are widgets only near the view and come from a pool; all heights are known, so scrolling is O(log n).
- While the reader is at the end the view follows it; otherwise what is being read does not move.
- What a person does goes up as a signal; `chat_view.py` alone turns it into calls of the session.

May import: `ui.markdown`, `ui.models`, `ui.widgets`, `ui.links`, `ui.mini_prompts`, `ui.theme`, and the
core that it shows.
"""
