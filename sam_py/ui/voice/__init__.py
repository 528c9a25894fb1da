"""The voice in the window: what joins narrator, engines and loudspeaker with what a person sees and presses.

Nothing here is imported before the first paint; engines and QtMultimedia not before somebody wants to hear or be heard.
"""
