"""What is kept: one journal per conversation and device, attachments by content, drafts, and the derived list.

Must always be true:

- Acknowledged means synced: `save_now()` returns after the record is on the disk, not before.
- A device writes only its own file. Damage is survived, told and kept aside, never dropped.
- What a newer version wrote is never changed: in another device's file it stops nobody, in our own it stops us (D-042).
- What could not be written stays in memory and is written again later; the person is told.
- No blocking call runs on the loop's thread: `Writer` owns the one thread that does them.
- The list's index is derived: deleting it loses nothing.

May import: `bus`, `messages`, `errors`, `paths`, pydantic. No Qt.
"""
