"""What the name of a model tells: whether one talks to it, whether it sees and thinks, and OpenAI's windows. Pure."""

from __future__ import annotations

import re

from sam_py.messages.turn import Limits

# Not for talking to: embeddings, speech, pictures, moderation, ranking. Services list them beside the others.
_NO_CHAT = re.compile(
    r"embed|whisper|turbo-instruct|\btts\b|-tts|tts-|transcribe|dall-e|gpt-image|moderation|realtime|rerank|guard\b|-audio|"
    r"^(babbage|davinci|sora|omni-moderation)|stable-diffusion|\bflux\b|\bocr\b|\bbge-|^text-(similarity|search)"
)
_SEES = re.compile(
    r"gpt-4o|gpt-4\.|gpt-4-turbo|gpt-[5-9]|chatgpt|(^|/)o([1-9](?!-mini)|4-mini)|claude|gemini|pixtral|llava|vision|"
    r"[-_.\d]vl\b|vl[-_:]|gemma-?[34]|llama-?4|mistral-(small|medium|large)|ministral|magistral|grok-(2-vision|4|5)|minicpm-?v|"
    r"internvl|moondream|kimi-k2\.|qwen3\.[5-9]|glm-[\d.]+v|smolvlm|molmo|phi-?[34][^/]*(vision|multimodal)",
    re.IGNORECASE,
)
_BLIND = re.compile(r"gpt-3\.5|embed|gemma-?3[-:]?(270m|1b)|o1-preview|coder", re.IGNORECASE)


# Windows that OpenAI documents but does not list (its model pages, November 2026): pattern, context, longest reply.
# A family that is not here is unknown, not guessed.
_WINDOWS: tuple[tuple[re.Pattern[str], int, int], ...] = (
    (re.compile(r"^(gpt-5[.\d]*|chatgpt-[45]o?)-chat|^chatgpt-4o"), 128_000, 16_384),
    (re.compile(r"^gpt-5\.[45](?!-(mini|nano))(?!\d)"), 1_050_000, 128_000),
    (re.compile(r"^gpt-5(\.[1-5])?(?![.\d])"), 400_000, 128_000),
    (re.compile(r"^gpt-oss"), 131_072, 131_072),
    (re.compile(r"^gpt-4\.1"), 1_047_576, 32_768),
    (re.compile(r"^o[134](?!-(preview|mini-2024|mini$))|^o[34]-mini"), 200_000, 100_000),
    (re.compile(r"^o1-(preview|mini)"), 128_000, 65_536),
    (re.compile(r"^gpt-4o"), 128_000, 16_384),
    (re.compile(r"^gpt-4-turbo"), 128_000, 4_096),
    (re.compile(r"^gpt-4(-0613)?$"), 8_192, 8_192),
    (re.compile(r"^gpt-3\.5-turbo"), 16_385, 4_096),
)
_MAKER = re.compile(r"^openai[/.]")

# o-series and gpt-5 onwards: a sampling parameter answers 400 there.
_REASONING_MODEL = re.compile(r"(^|[/.])(o\d|gpt-(5|6|7|8|9)|gpt-\d\d)")
_THINKS = re.compile(
    r"gpt-oss|deepseek-?(r|v3\.[1-9]|v[4-9]|reason)|grok-(3-mini|[4-9]|code)|-r1\b|qwq|qwen-?3|glm-(4\.[5-9]|[5-9])|kimi-k2|"
    r"magistral|minimax-m\d|think|reason|claude-(opus|sonnet|haiku|fable)-|claude-3-7|gemini-(2\.5|[3-9])|nemotron",
    re.IGNORECASE,
)
_NO_THOUGHT = re.compile(r"non-?(thinking|reasoning)|instruct|qwen3-coder|no-?think", re.IGNORECASE)


def is_chat_name(model: str) -> bool:
    """Whether the model is one to talk to, by its name.

    >>> is_chat_name("gpt-5.2"), is_chat_name("text-embedding-3-small"), is_chat_name("gpt-3.5-turbo-instruct")
    (True, False, False)
    """
    return not _NO_CHAT.search(model.lower())


def guessed_limits(model: str) -> Limits:
    """What a name tells of a model that no list described: whether it sees and thinks, and OpenAI's windows.

    >>> guessed_limits("openai/gpt-4o").images, guessed_limits("llama-3.1-8b-instant").images
    (True, False)
    >>> guessed_limits("gpt-5.2").context_tokens
    400000
    """
    plain = _MAKER.sub("", model.lower())
    context, output = next(
        ((context, output) for name, context, output in _WINDOWS if name.search(plain)), (None, None)
    )
    images = bool(_SEES.search(model)) and not _BLIND.search(model)
    return Limits(context_tokens=context, output_tokens=output, images=images, tools=True)


def is_openai_reasoning_model(model: str) -> bool:
    """Whether OpenAI's `model` refuses temperature and the like.

    >>> is_openai_reasoning_model("gpt-5.2"), is_openai_reasoning_model("o3-mini"), is_openai_reasoning_model("gpt-4o")
    (True, True, False)
    """
    return bool(_REASONING_MODEL.search(model)) and "chat" not in model


def thinks(model: str) -> bool:
    """Whether the name is that of a model that reasons before it answers; False where it does not tell.

    >>> thinks("gpt-5-mini"), thinks("deepseek-v4-flash"), thinks("gpt-4.1"), thinks("qwen3-coder")
    (True, True, False, False)
    """
    if is_openai_reasoning_model(model):
        return True
    return bool(_THINKS.search(model)) and not _NO_THOUGHT.search(model)
