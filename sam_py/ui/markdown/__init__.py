"""Markdown on its way to the screen: segments (pure), documents, decorations, colours, formulas.

Always true: cost per streamed chunk is that of the open block; nothing is loaded from anywhere; HTML is text.
Imports the theme and Qt; never a widget, a message or the bus.
"""
