"""OpenAI's Responses, as OpenAI, Azure, Bedrock, xAI, DeepSeek, OpenRouter, LM Studio and llama.cpp speak it.

Used without a memory on the server: ``store: false``, and the whole input each time. `request.py` and
`stream.py` are pure; `kept.py` says how items that only the service understands travel through our messages;
`provider.py` does the I/O.
"""
