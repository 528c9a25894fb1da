"""A language model of random numbers, 0.6 MB: it talks nonsense, but a real llama.cpp server streams it.

Nothing is downloaded and nobody's weights are used. Needs the packages gguf and numpy.
"""

from __future__ import annotations

from pathlib import Path

import gguf
import numpy as np
from numpy.typing import NDArray

WIDTH, LAYERS, HEADS, FEED_FORWARD, CONTEXT = 64, 2, 4, 128, 4096
_BEGIN, _END = 1, 2
_BIAS = 0
"""The dimension of every embedding that has the same value, so that a row of the output head acts as a bias there."""
_AFTER_CALL = 1
"""The dimension that tells the mark of a tool call from all other tokens, in the model that calls tools."""
_SPOKEN = (
    "a about after all also an and answer any are as ask at be because before but by can come could day do even "
    "every find first for from give go good had has have he here how I if in into is it just know let like little "
    "long look made make many me more most much must my new no not now of on one only or other our out over people "
    "place question read right same say see she should small so some still take tell than that the their them then "
    "there these they thing think this time to too two up use very want was way we well what when where which who "
    "why will with word work would write year yes you your"
)
_WORDS = _SPOKEN.split()

CHAT_TEMPLATE = (
    "{% for message in messages %}<|turn|>{{ message.role }}\n{{ message.content }}<|done|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|turn|>assistant\n{% endif %}"
)

_CALL = "<tool_call>"
TOOLS_TEMPLATE = """{%- if tools %}<|turn|>system
Functions:
<tools>{% for tool in tools %}
{{ tool | tojson }}{% endfor %}
</tools>
Call one with:
<tool_call>
{"name": <name>, "arguments": <arguments>}
</tool_call><|done|>
{% endif %}{% for message in messages %}{% if message.role == 'tool' %}<|turn|>user
<tool_response>
{{ message.content }}
</tool_response><|done|>
{% elif message.role == 'assistant' and message.tool_calls %}<|turn|>assistant
{% if message.content %}{{ message.content }}{% endif %}{% for call in message.tool_calls %}
<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>{% endfor %}<|done|>
{% else %}<|turn|>{{ message.role }}
{{ message.content }}<|done|>
{% endif %}{% endfor %}{% if add_generation_prompt %}<|turn|>assistant
{% endif %}"""
"""The manner of Hermes, which llama.cpp reads calls from and writes its grammar for."""


def write_tiny_gguf(path: Path, *, ends_by_itself: bool = True, calls_tools: bool = False, seed: int = 7) -> Path:
    """Write the model to `path` and return it. With `ends_by_itself` a reply has some dozens of words, else no end.

    With `calls_tools` it wants to call a tool or end, so that a request with ``tool_choice: required`` gets calls.
    """
    tokens, scores, kinds = _vocabulary()
    if calls_tools:
        tokens, scores, kinds = [*tokens, _CALL], [*scores, 0.0], [*kinds, int(gguf.TokenType.USER_DEFINED)]
    random = np.random.default_rng(seed)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("tiny-random")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FEED_FORWARD)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_rope_freq_base(10_000.0)
    writer.add_vocab_size(len(tokens))
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores(scores)
    writer.add_token_types(kinds)
    writer.add_bos_token_id(_BEGIN)
    writer.add_eos_token_id(_END)
    writer.add_unk_token_id(0)
    writer.add_add_bos_token(True)
    writer.add_add_eos_token(False)
    writer.add_add_space_prefix(False)
    writer.add_chat_template(TOOLS_TEMPLATE if calls_tools else CHAT_TEMPLATE)

    def numbers(*shape: int, spread: float = 0.2) -> NDArray[np.float32]:
        return random.normal(0.0, spread, shape).astype(np.float32)

    embedding, head = numbers(len(tokens), WIDTH, spread=1.0), numbers(len(tokens), WIDTH, spread=0.35)
    embedding[:, _BIAS], head[:, _BIAS] = 4.0, 0.0
    spoken = len(tokens) - len(_WORDS) - calls_tools
    head[:spoken] = 0.0
    head[:spoken, _BIAS] = -2.0  # bytes, letters and control tokens stay rare: what is said is words
    head[_END] = 0.0
    head[_END, _BIAS] = 2.7 if ends_by_itself else -40.0
    if calls_tools:
        head[-1] = 0.0
        head[-1, _BIAS] = head[_END, _BIAS] = 14.0
        # After the call's mark comes the end of its line, which is when the server's grammar takes over.
        head[:, _AFTER_CALL] = embedding[:, _AFTER_CALL] = embedding[-1] = 0.0
        embedding[-1, _AFTER_CALL] = head[tokens.index("<0x0A>"), _AFTER_CALL] = 8.0
    writer.add_tensor("token_embd.weight", embedding)
    writer.add_tensor("output_norm.weight", np.ones(WIDTH, np.float32))
    writer.add_tensor("output.weight", head)
    for layer in range(LAYERS):
        name = f"blk.{layer}"
        writer.add_tensor(f"{name}.attn_norm.weight", np.ones(WIDTH, np.float32))
        writer.add_tensor(f"{name}.ffn_norm.weight", np.ones(WIDTH, np.float32))
        for matrix in ("attn_q", "attn_k", "attn_v"):
            writer.add_tensor(f"{name}.{matrix}.weight", numbers(WIDTH, WIDTH))
        writer.add_tensor(f"{name}.ffn_gate.weight", numbers(FEED_FORWARD, WIDTH))
        writer.add_tensor(f"{name}.ffn_up.weight", numbers(FEED_FORWARD, WIDTH))
        attention, feed_forward = numbers(WIDTH, WIDTH), numbers(WIDTH, FEED_FORWARD)
        attention[_BIAS] = feed_forward[_BIAS] = 0.0  # no layer changes the bias
        if calls_tools:
            attention[:], feed_forward[:] = 0.0, 0.0  # what comes next depends on the last token alone
        writer.add_tensor(f"{name}.attn_output.weight", attention)
        writer.add_tensor(f"{name}.ffn_down.weight", feed_forward)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _vocabulary() -> tuple[list[str], list[float], list[int]]:
    """Tokens, scores and kinds: control tokens, all bytes, single characters, and words with a space before them."""
    space = "\u2581"
    control = ["<s>", "</s>", "<|turn|>", "<|done|>"]
    characters = [*"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,!?:;'\"()[]{}-_/", space]
    groups = [
        (["<unk>"], gguf.TokenType.UNKNOWN, 0.0),
        (control, gguf.TokenType.CONTROL, 0.0),
        ([f"<0x{byte:02X}>" for byte in range(256)], gguf.TokenType.BYTE, -1000.0),
        (characters, gguf.TokenType.NORMAL, -500.0),
        ([space + word for word in _WORDS], gguf.TokenType.NORMAL, -10.0),
    ]
    tokens = [token for group, _, _ in groups for token in group]
    scores = [score for group, _, score in groups for _ in group]
    kinds = [int(kind) for group, kind, _ in groups for _ in group]
    assert len(set(tokens)) == len(tokens)
    return tokens, scores, kinds
