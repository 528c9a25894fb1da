"""Secrets against a keyring in memory: where a key goes, where it never goes, and what is said."""

from __future__ import annotations

import asyncio
import logging
import time

import keyring.errors
import pytest

from sam_py.errors import SamError
from sam_py.settings import secrets as secrets_module
from sam_py.settings.secrets import KeyringUnavailableError, Secrets, origin_of, system_backend
from tests.fakes.memory_keyring import MemoryKeyring

KEY = "sk-canary-7f3a91"


class Home:
    """One person's providers, keyring and environment; `secrets` can be started anew."""

    def __init__(self) -> None:
        self.keyring = MemoryKeyring()
        self.urls = {"openai": "https://api.openai.com/v1", "box": "http://127.0.0.1:8080/v1"}
        self.environ: dict[str, str] = {}
        self.secrets = self.restart()

    def restart(self) -> Secrets:
        self.secrets = Secrets(
            lambda provider_id: self.urls.get(provider_id, ""),
            backend=lambda: self.keyring,
            limit_s=0.2,
            environ=self.environ,
        )
        return self.secrets


@pytest.fixture
def home():
    home = Home()
    yield home
    home.keyring.answer()


def test_a_key_goes_to_the_keyring_and_comes_back_after_a_restart(home):
    kept = asyncio.run(home.secrets.set("openai", f"  {KEY}\n"))
    assert kept.source == "keyring"
    found = asyncio.run(home.restart().get("openai"))
    assert (found.reveal(), found.source) == (KEY, "keyring")


def test_the_keyring_is_asked_once_for_many_requests(home):
    asyncio.run(home.secrets.set("openai", KEY))
    fresh = home.restart()
    before = home.keyring.calls
    for _ in range(5):
        assert asyncio.run(fresh.key_of("openai")) == KEY
    assert home.keyring.calls == before + 1


def test_a_provider_without_a_key_asks_the_keyring_once(home):
    for _ in range(3):
        assert asyncio.run(home.secrets.key_of("box")) is None
    assert home.keyring.calls == 1
    asyncio.run(home.secrets.set("box", KEY))
    assert asyncio.run(home.secrets.key_of("box")) == KEY


def test_a_keyring_that_hangs_holds_up_the_second_request_much_less(home):
    slow = Secrets(lambda _: "http://127.0.0.1:1/v1", backend=lambda: home.keyring, limit_s=1.0, environ={})
    home.keyring.hang()
    started = time.perf_counter()
    asyncio.run(slow.get("box"))
    between = time.perf_counter()
    assert asyncio.run(slow.get("box")).source == "missing"
    assert time.perf_counter() - between < (between - started) / 2


def test_a_key_that_is_deleted_while_it_is_read_is_gone(home):
    asyncio.run(home.secrets.set("openai", KEY))
    fresh = home.restart()

    async def read_and_delete() -> None:
        home.keyring.hang()
        reading = asyncio.create_task(fresh.get("openai"))
        await asyncio.sleep(0)  # it asks
        deleting = asyncio.create_task(fresh.delete("openai"))
        await asyncio.sleep(0)
        home.keyring.answer()
        await asyncio.gather(reading, deleting)

    asyncio.run(read_and_delete())
    assert asyncio.run(fresh.key_of("openai")) is None


def test_no_key_is_said_plainly(home):
    found = asyncio.run(home.secrets.get("openai"))
    assert found.reveal() is None
    assert (found.source, found.text) == ("missing", "No key is stored.")


def test_a_deleted_key_is_gone_everywhere(home):
    asyncio.run(home.secrets.set("openai", KEY))
    asyncio.run(home.secrets.delete("openai"))
    assert asyncio.run(home.secrets.key_of("openai")) is None
    assert home.keyring.entries == {}
    asyncio.run(home.secrets.delete("openai"))


def test_a_key_is_given_out_only_for_the_address_it_was_entered_for(home):
    asyncio.run(home.secrets.set("openai", KEY))
    for url in ("https://evil.example/v1", "http://api.openai.com/v1", "https://api.openai.com:8443/v1", ""):
        home.urls["openai"] = url
        for secrets in (home.secrets, home.restart()):
            found = asyncio.run(secrets.get("openai"))
            assert found.reveal() is None
            assert "https://api.openai.com:443" in found.text
    home.urls["openai"] = "https://API.openai.com:443/another/path"
    assert asyncio.run(home.restart().key_of("openai")) == KEY


def test_a_key_kept_in_memory_is_bound_to_its_address_too(home):
    home.keyring.lock()
    asyncio.run(home.secrets.set("openai", KEY))
    home.urls["openai"] = "https://evil.example/v1"
    assert asyncio.run(home.secrets.key_of("openai")) is None


def test_a_key_can_be_bound_to_an_address_that_is_not_in_the_settings_yet(home):
    asyncio.run(home.secrets.set("new", KEY, base_url="https://llm.example/v1"))
    assert asyncio.run(home.secrets.key_of("new")) is None
    home.urls["new"] = "https://llm.example/v1"
    assert asyncio.run(home.secrets.key_of("new")) == KEY


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (keyring.errors.KeyringLocked("x"), "locked"),
        (keyring.errors.NoKeyringError("x"), "No system keyring is available"),
        (keyring.errors.InitError("x"), "could not be unlocked"),
        (RuntimeError(KEY), "failed (RuntimeError)"),
    ],
)
def test_without_a_usable_keyring_the_key_is_kept_for_the_session_and_said_so(home, error, said):
    home.keyring.raises = error
    kept = asyncio.run(home.secrets.set("openai", KEY))
    assert kept.source == "session"
    assert said in kept.text
    assert "until you quit" in kept.text
    assert KEY not in kept.text
    assert asyncio.run(home.secrets.key_of("openai")) == KEY
    assert asyncio.run(home.restart().key_of("openai")) is None


def test_a_keyring_that_hangs_holds_nobody_up_longer_than_the_limit(home):
    home.keyring.hang()
    started = time.perf_counter()
    kept = asyncio.run(home.secrets.set("openai", KEY))
    assert time.perf_counter() - started < 10  # the keyring would hang for ever
    assert kept.source == "session"
    assert "did not answer in 0.2 s" in kept.text


def test_an_answer_that_comes_late_is_used_by_the_next_question(home):
    asyncio.run(home.secrets.set("openai", KEY))
    fresh = home.restart()
    home.keyring.hang()
    assert asyncio.run(fresh.get("openai")).source == "missing"
    asked = home.keyring.calls
    home.keyring.answer()
    assert asyncio.run(fresh.key_of("openai")) == KEY
    assert home.keyring.calls == asked  # the password prompt that was open is not opened again


def test_an_environment_variable_helps_where_there_is_no_key(home):
    home.environ["OPENAI_API_KEY"] = KEY
    home.environ["SAM_PY_KEY_BOX"] = "other"
    found = asyncio.run(home.secrets.get("openai"))
    assert (found.reveal(), found.source) == (KEY, "environment")
    assert asyncio.run(home.secrets.key_of("box")) == "other"


def test_a_maker_s_environment_variable_goes_to_the_maker_alone(home):
    home.environ["OPENAI_API_KEY"] = KEY
    home.urls["openai"] = "https://evil.example/v1"
    assert asyncio.run(home.secrets.key_of("openai")) is None
    home.urls["openai"] = "http://api.openai.com/v1"
    assert asyncio.run(home.secrets.key_of("openai")) is None


@pytest.mark.parametrize("key", ["", "   ", "sk-a b", "sk-ä", "sk-a\nb"])
def test_what_cannot_be_a_key_is_refused_in_words(home, key):
    with pytest.raises(SamError, match=r"Enter a key|paste only the key"):
        asyncio.run(home.secrets.set("openai", key))
    assert home.keyring.entries == {}


def test_a_key_is_in_no_repr_log_or_error(home, caplog):
    caplog.set_level(logging.DEBUG)
    kept = asyncio.run(home.secrets.set("openai", KEY))
    found = asyncio.run(home.secrets.get("openai"))
    home.keyring.raises = RuntimeError(KEY)
    with pytest.raises(KeyringUnavailableError) as failed:
        asyncio.run(home.restart().delete("openai"))
    shown = "".join(map(repr, (kept, found, home.secrets, vars(home.secrets), failed.value))) + caplog.text
    assert KEY not in shown


def test_an_entry_of_another_form_is_not_taken_for_a_key(home, caplog):
    home.keyring.entries["sam-py", "openai"] = KEY
    assert asyncio.run(home.secrets.key_of("openai")) is None
    assert KEY not in caplog.text
    home.keyring.entries["sam-py", "openai"] = '{"v": 1}'
    assert asyncio.run(home.restart().key_of("openai")) is None


def test_backends_that_do_not_encrypt_are_refused(monkeypatch):
    plaintext = type("PlaintextKeyring", (MemoryKeyring,), {"__module__": "keyrings.alt.file"})()
    monkeypatch.setattr("keyring.get_keyring", lambda: plaintext)
    with pytest.raises(KeyringUnavailableError, match=r"keyrings\.alt\.file does not protect keys"):
        system_backend()


def test_a_safe_backend_inside_a_chain_is_found(monkeypatch):
    plaintext = type("PlaintextKeyring", (MemoryKeyring,), {"__module__": "keyrings.alt.file"})()
    safe = type("Keyring", (MemoryKeyring,), {"__module__": "keyring.backends.SecretService"})()
    chain = type("ChainerBackend", (MemoryKeyring,), {"__module__": "keyring.backends.chainer"})()
    chain.backends = [plaintext, safe]
    monkeypatch.setattr("keyring.get_keyring", lambda: chain)
    assert system_backend() is safe
    chain.backends = [plaintext]
    with pytest.raises(KeyringUnavailableError, match="No system keyring"):
        system_backend()


@pytest.mark.parametrize("address", ["", "not an address", "http://[::1", "http://host:99999", "/v1"])
def test_an_address_without_a_host_has_no_origin(address):
    assert origin_of(address) == ""


def test_the_keyring_is_imported_only_when_first_asked():
    import subprocess
    import sys

    code = "import sys, sam_py.settings.secrets as s; s.Secrets(lambda _: ''); print('keyring' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"
    assert secrets_module.LIMIT_S == 5.0
