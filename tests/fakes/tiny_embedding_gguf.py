"""An embedding model of random numbers, 0.2 MB, of BERT's kind: texts that share words are near each other.

A real llama.cpp serves it. Nothing is downloaded and nobody's weights are used. Needs the packages gguf and numpy.
"""

from __future__ import annotations

from pathlib import Path

import gguf
import numpy as np
from numpy.typing import NDArray

WIDTH, LAYERS, HEADS, FEED_FORWARD, CONTEXT = 48, 1, 2, 64, 128
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789.,!?:;'-"
_SPOKEN = (
    "a and ask at be call car dog for garage good how i ill is it let mean my new of on puppy rain see that the this "
    "to vet what who with word"
)
_WORDS = _SPOKEN.split()


def write_tiny_embedding_gguf(path: Path, *, pooling: gguf.PoolingType | None = gguf.PoolingType.MEAN) -> Path:
    """Write the model to `path` and return it. It takes `CONTEXT` tokens at most, as small models take 512."""
    space = "\u2581"
    tokens = [*_SPECIAL, *(space + word for word in dict.fromkeys((*_WORDS, *_CHARACTERS))), *_CHARACTERS]
    random = np.random.default_rng(7)
    writer = gguf.GGUFWriter(path, "bert")
    writer.add_name("tiny-random-embedding")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FEED_FORWARD)
    writer.add_head_count(HEADS)
    writer.add_layer_norm_eps(1e-6)
    writer.add_causal_attention(False)
    if pooling is not None:
        writer.add_pooling_type(pooling)
    writer.add_vocab_size(len(tokens))
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_token_type_count(1)
    writer.add_tokenizer_model("bert")
    writer.add_token_list(tokens)
    writer.add_token_types(
        [int(gguf.TokenType.CONTROL if token in _SPECIAL else gguf.TokenType.NORMAL) for token in tokens]
    )
    for name, add in (
        ("[PAD]", writer.add_pad_token_id),
        ("[UNK]", writer.add_unk_token_id),
        ("[CLS]", writer.add_bos_token_id),
        ("[SEP]", writer.add_sep_token_id),
        ("[MASK]", writer.add_mask_token_id),
    ):
        add(tokens.index(name))

    def numbers(*shape: int, spread: float = 0.02) -> NDArray[np.float32]:
        return random.normal(0.0, spread, shape).astype(np.float32)

    def norm(name: str) -> None:
        writer.add_tensor(f"{name}.weight", np.ones(WIDTH, np.float32))
        writer.add_tensor(f"{name}.bias", np.zeros(WIDTH, np.float32))

    def linear(name: str, to: int, of: int) -> None:
        writer.add_tensor(f"{name}.weight", numbers(to, of))
        writer.add_tensor(f"{name}.bias", np.zeros(to, np.float32))

    embedding = numbers(len(tokens), WIDTH, spread=1.0)
    embedding[: len(_SPECIAL)] = 0.0
    writer.add_tensor("token_embd.weight", embedding)
    writer.add_tensor("position_embd.weight", numbers(CONTEXT, WIDTH))
    writer.add_tensor("token_types.weight", numbers(1, WIDTH))
    norm("token_embd_norm")
    for layer in range(LAYERS):
        name = f"blk.{layer}"
        for matrix in ("attn_q", "attn_k", "attn_v", "attn_output"):
            linear(f"{name}.{matrix}", WIDTH, WIDTH)
        norm(f"{name}.attn_output_norm")
        linear(f"{name}.ffn_up", FEED_FORWARD, WIDTH)
        linear(f"{name}.ffn_down", WIDTH, FEED_FORWARD)
        norm(f"{name}.layer_output_norm")
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
