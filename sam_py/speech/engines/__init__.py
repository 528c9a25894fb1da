"""Engines: what makes sound of a sentence. Each is behind `speech.base.SpeechEngine` and knows of no other.

What blocks, crashes or hangs runs in a process of its own (`relay`, `process`); a voice's library is imported there
alone. Piper is a program that the person installs. # D-035
"""
