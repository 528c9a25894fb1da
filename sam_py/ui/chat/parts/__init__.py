"""The parts of a message: painted, laid out and pressed, but no widgets; a MarkdownColumn is the widget.

Always true: a part never opens, loads or sends anything; what a person presses becomes a signal of its column.
"""
