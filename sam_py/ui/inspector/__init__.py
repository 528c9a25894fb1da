"""The inspector: the window's right column, where a person sees what the model is told and what it no longer sees.

Context (what fits, what is left out and why), the request itself before and after it is sent, the tasks, the pins.

Always true: nothing here is imported before the column is first shown, and a page works only while it is seen. What
is shown is asked of the session and its bus; what a person changes goes back through their methods. Per streamed
chunk nothing is done. A look at a conversation costs the window's thread no more than a few milliseconds at a time.
What was sent is held by the providers, in memory; nothing of it is written down here.

May import: agent, bus, messages, transcript, providers' plain types, and of ui what the chat is made of; never the
window, which hears of wishes by signals.
"""
