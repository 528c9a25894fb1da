"""AudioService: where an account speaks and listens in OpenAI's way (``/audio/speech``, ``/audio/transcriptions``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from sam_py.providers.failures import Asked
from sam_py.providers.http import FIRST_BYTE_S, READ_S, Call
from sam_py.providers.presets import preset_of, wire_at
from sam_py.settings.model import ModelChoice, Settings

_ENDINGS = ("/chat/completions", "/responses", "/audio/speech", "/audio/transcriptions")


@dataclass(frozen=True, slots=True)
class AudioService:
    """`base_url` ends before ``/audio/…``. The key is looked up by `account`."""

    label: str
    base_url: str
    model: str
    account: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    key_header: str = ""
    local_program: str = ""
    """The program to start where nothing answers; empty for a service on the internet."""

    def call(
        self,
        path: str,
        key: str | None,
        body: Mapping[str, object] | None = None,
        *,
        first_byte_s: float = FIRST_BYTE_S,
        read_s: float = READ_S,
        accept: str = "",
    ) -> Call:
        """A request for what `path` ("/audio/speech") adds to the address."""
        return Call(
            url=f"{self.base_url}{path}",
            asked=Asked(self.label, self.model, self.base_url, self.local_program, with_key=bool(key)),
            body=body,
            key=key,
            key_header=self.key_header,
            headers={"Accept": accept, **self.headers} if accept else self.headers,
            first_byte_s=first_byte_s,
            read_s=read_s,
        )


def audio_service(settings: Settings, choice: ModelChoice) -> AudioService | None:
    """What the person chose; None where that is nothing, or its account is gone, switched off or of another kind."""
    account = settings.provider(choice.provider) if choice.provider and choice.model else None
    if account is None or not account.enabled:
        return None
    preset = preset_of(account.preset)
    address = (account.base_url or preset.base_url).strip().rstrip("/")
    if not address.startswith(("http://", "https://")):
        return None
    wire = wire_at(preset, address)
    if wire not in ("openai_chat", "openai_responses"):
        return None
    for ending in _ENDINGS:
        address = address.removesuffix(ending)
    azure = preset.preset == "azure"
    if azure and not address.endswith("/v1"):
        parts = urlsplit(address)
        address = f"{parts.scheme}://{parts.netloc}/openai/v1"
    return AudioService(
        label=account.label or preset.label,
        base_url=address,
        model=choice.model,
        account=account.id,
        headers=account.headers,
        key_header="api-key" if azure else "",
        local_program=preset.label if preset.group == "local" else "",
    )
