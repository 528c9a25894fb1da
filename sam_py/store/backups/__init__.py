"""Backups: the whole library as it was, again and again, checked when it is written, and brought back piece by piece.

A backup is one ZIP of the journals, notes and settings, and names the attached files by their content; those lie once
beside all backups (``attachments/ab/<hash>``), so that the tenth backup of a picture costs nothing.

Always true: a backup has its name only once it was written whole, synced and read back. It holds all that could be
read; one that lacks something says so in its name, and never takes a whole one's place. What is thinned out is never
the newest, and no wrong clock thins out. Attached files are looked through each time. Restoring changes no conversation
that is here: what is missing comes back, what differs comes as a copy, what is the same is not made again.
"""
