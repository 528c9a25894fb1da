"""Every recorded error of every service becomes one of few kinds, with a sentence that says what to do."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sam_py.providers.error_body import read_error
from sam_py.providers.failures import Asked, status_error

ASKED = Asked("Acme", model="m", base_url="https://acme.example/v1")
CHAT = "openai-chat_"

# Kind → the recordings of it, by service and status.
RECORDED: dict[str, tuple[str, ...]] = {
    "too_long": (
        "anthropic_anthropic_400",
        "gemini_vertex_400",
        *(CHAT + name for name in ("llamacpp_500", "ollama_400", "perplexity_400")),
    ),
    "bad_key": (
        "anthropic_anthropic_401",
        "openai-responses_openai_401",
        *(CHAT + name + "_401" for name in ("alibaba", "azure", "cerebras", "deepseek", "groq", "huggingface")),
        *(CHAT + name + "_401" for name in ("mistral", "ollama", "openai", "openrouter", "perplexity", "together")),
        *(CHAT + name for name in ("openai_401_2", "perplexity_401_2", "xiaomi_401")),
    ),
    "no_model": (
        "anthropic_anthropic_404",
        "gemini_google_404",
        "ollama_ollama_404",
        "openai-responses_openai_400",
        *(CHAT + name + "_404" for name in ("alibaba", "azure", "cerebras", "groq", "openai", "together")),
        *(CHAT + name + "_400" for name in ("deepseek", "mistral", "openai", "openrouter")),
        CHAT + "perplexity_400_2",
    ),
    "bad_request": (
        "gemini_google_400",
        "openai-responses_deepseek_400",
        "openai-responses_openai_400_2",
        *(CHAT + name for name in ("alibaba_400", "cerebras_403", "groq_400", "groq_400_2", "huggingface_400")),
        *(CHAT + name for name in ("huggingface_400_2", "mistral_400_2", "mistral_422", "openai_400_2")),
        *(CHAT + name for name in ("xiaomi_400", "xiaomi_400_2", "xiaomi_404")),
    ),
    "rate_limited": ("gemini_google_429", CHAT + "azure_429", CHAT + "openrouter_429"),
    "no_credit": (CHAT + "huggingface_402",),
    "server": tuple(CHAT + name for name in ("huggingface_500", "huggingface_500_2", "huggingface_502", "mistral_500")),
}


def test_every_recorded_error_is_of_the_kind_that_a_person_would_say_it_is(recordings: Path) -> None:
    found: dict[str, set[str]] = {kind: set() for kind in RECORDED}
    for path in (recordings / "errors").glob("*.expected.json"):
        expected = json.loads(path.read_text())
        name = path.name.removesuffix(".expected.json")
        error = status_error(expected["http_status"], path.with_name(f"{name}.response.json").read_bytes(), ASKED)
        found[error.code].add(name)
        said = expected["error"]["message"]
        if isinstance(said, str) and "<" not in said:
            assert said[:150] in error.detail, name
        assert re.search(
            r"(Open settings|Choose another model|Try again|try again|choose a larger model|Wait a little).*\.$",
            str(error),
        ), f"{name}: {error}"
        assert "<html" not in str(error)
        assert len(str(error)) < 420, name
        assert error.retryable == (error.code in ("rate_limited", "server")), name
    assert found == {kind: set(names) for kind, names in RECORDED.items()}


def test_a_web_page_as_an_error_is_quoted_without_its_markup(recordings: Path) -> None:
    body = (recordings / "errors" / "openai-chat_huggingface_502.response.json").read_bytes()
    assert "<" not in read_error(body).message


@pytest.mark.parametrize(
    ("message", "prompt", "window"),
    [
        ("prompt is too long: 208310 tokens > 200000 maximum", 208_310, 200_000),
        (
            "This model's maximum context length is 128000 tokens. However, your messages resulted in 130042 tokens.",
            130_042,
            128_000,
        ),
        (
            "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
            5_000,
            4_096,
        ),
        (
            "The input token count (1250074) exceeds the maximum number of tokens allowed (1048576).",
            1_250_074,
            1_048_576,
        ),
        (
            "Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
            65_673,
            32_768,
        ),
        ("Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 7012", 7_012, 6_000),
        ("the request exceeds the available context size (8192 tokens), try increasing it", None, 8_192),
    ],
)
def test_what_is_too_long_says_by_how_much(message: str, prompt: int | None, window: int | None) -> None:
    error = status_error(400, json.dumps({"error": {"message": message}}), ASKED)
    assert (error.code, error.prompt_tokens, error.window_tokens) == ("too_long", prompt, window)
    if prompt:
        assert f"{prompt:,}" in str(error)


def test_llama_cpp_says_its_numbers_in_fields() -> None:
    body = {"error": {"code": 400, "message": "too big", "type": "exceed_context_size_error"}}
    body["error"] |= {"n_prompt_tokens": 9001, "n_ctx": 4096}
    error = status_error(400, json.dumps(body), ASKED)
    assert (error.code, error.prompt_tokens, error.window_tokens) == ("too_long", 9001, 4096)


@pytest.mark.parametrize(
    ("body", "seconds"),
    [
        ({"message": "Rate limit reached. Please try again in 6m0s."}, 360.0),
        ({"message": "Rate limit reached. Please try again in 1.242s. Visit …"}, 1.242),
        ({"message": "Please retry in 48.9s.", "details": [{"@type": "x"}, {"retryDelay": "48s"}]}, 48.0),
        ({"message": "Please retry after 10 minutes"}, 600.0),
        ({"message": "Please retry later", "details": {"retryDelay": "5s"}}, None),
    ],
)
def test_how_long_to_wait_is_read_from_the_words_too(body: dict[str, object], seconds: float | None) -> None:
    error = status_error(429, json.dumps({"error": body}), ASKED)
    assert (error.code, error.retry_after_s) == ("rate_limited", seconds)
    assert status_error(429, json.dumps({"error": body}), ASKED, retry_after_s=3.0).retry_after_s == 3.0


def test_a_long_wait_is_told_to_the_person() -> None:
    assert str(status_error(429, b"", ASKED, retry_after_s=600.0)) == "Acme is asked too often. Try again in 10 min."


def test_a_key_that_is_refused_with_another_status_is_still_a_key() -> None:
    body = '{"error": {"code": 400, "message": "API key not valid. Please pass a valid API key."}}'
    assert status_error(400, body, ASKED).code == "bad_key"


_json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(exclude_categories=[]), max_size=30),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["error", "message", "detail", "code", "type", "param", "details", "metadata", "raw", "msg"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


@given(body=_json, status=st.sampled_from([400, 401, 403, 404, 413, 422, 429, 500, 503]))
def test_no_error_body_can_break_the_reading_of_it(body: object, status: int) -> None:
    error = status_error(status, json.dumps(body), ASKED)
    str(error).encode()
    error.detail.encode()
