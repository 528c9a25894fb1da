"""What is heard: sentences are taken out of a reply while it streams, spoken in order, and silenced at once.

Must always be true:

- The voice is a subscriber of the bus, like the window: the loop and the store do not know of it.
- A voice engine that crashes or hangs takes neither the window nor a word of the text with it.
- Nothing here plays sound by itself: the player is handed in, so that this package needs no Qt.

May import: `providers` (a server that speaks), `bus`, `messages`, `settings`, `errors`; a voice's library only in its
engine. `base` holds what the parts hand to each other.
"""
