"""Export in the window: what is to be saved, as what and where, and PDF by Qt's own printing.

The window never waits for it: files are written on a thread of their own, and nothing here holds a conversation.
"""
