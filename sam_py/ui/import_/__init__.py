"""Import in the window: choosing what another program wrote, how far it is, and the report of what came in.

Nothing that is here is changed by an import; it runs on a thread of its own, and each conversation comes in whole.
"""
