"""AudioService: where an account speaks and listens in OpenAI's way (``/audio/speech``, ``/audio/transcriptions``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sam_py.providers.endpoint import Endpoint, endpoint_of
from sam_py.providers.failures import Asked
from sam_py.providers.http import FIRST_BYTE_S, READ_S, Call
from sam_py.settings.model import ModelChoice, Settings


@dataclass(frozen=True, slots=True)
class AudioService(Endpoint):
    """`base_url` ends before ``/audio/…``."""

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
    return endpoint_of(AudioService, settings, choice)
