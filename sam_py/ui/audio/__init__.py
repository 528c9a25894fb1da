"""What goes to loudspeakers and comes from microphones: devices, the player of the voice, the recorder of dictation.

Must always be true:

- QtMultimedia is imported when sound is first wanted: the program starts without it.
- Sound meant for one device is never heard on another: where the device is gone, it is silent, and a sentence says so.
  Only voices that speak by themselves (`aloud_…`) do so where the system wants; the settings page says that. # D-036
- Nothing that is recorded is written to the disk.

May import: speech, errors, PySide6; from the rest of `ui` only what draws.
"""
