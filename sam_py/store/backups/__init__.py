"""Backups: the whole library as it was, again and again, checked when it is written, and brought back piece by piece.

A backup is one ZIP of the journals, notes and settings, and names the attached files by their content; those lie once
beside all backups (``attachments/ab/<hash>``), so that the tenth backup of a picture costs nothing.

Always true: a backup has its name only once it was written whole, synced and read back; what is thinned out is never
the newest; restoring changes no conversation that is here: what is missing comes back, what differs comes as a copy.
"""
