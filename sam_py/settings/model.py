"""The program's settings as frozen models. Keys are not here: they live in the keyring, under a provider's id."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sam_py.messages.parts import Frozen

SCHEMA = 1


class ProviderSettings(Frozen):
    """One account or server that the person set up.

    `preset` names the kind (``compatible``, ``openai``, ``llamacpp``, ``lmstudio``, ``ollama``, ``guide`` …),
    `base_url` ends before what the wire adds (``/chat/completions``, ``/messages`` …); empty: the preset's.
    """

    id: str
    preset: str = "compatible"
    label: str
    base_url: str = ""
    model: str = ""
    """The model chosen last with this provider."""
    models: tuple[str, ...] = ()
    """As listed when last asked; shown until it is asked again."""
    headers: dict[str, str] = Field(default_factory=dict)
    extra_body: dict[str, object] = Field(default_factory=dict)
    enabled: bool = True
    needs_key: bool = False


class McpConsent(Frozen):
    """What a person agreed that a server may run or reach, as it was shown to them.

    `command` is resolved; `env` and `headers` are names; `values` is the SHA-256 of what the settings give
    them, so that another value under the same name is asked about too.
    """

    command: str = ""
    args: tuple[str, ...] = ()
    cwd: str = ""
    env: tuple[str, ...] = ()
    url: str = ""
    headers: tuple[str, ...] = ()
    values: str = ""


class McpToolConsent(Frozen):
    """A tool of a server as the person saw and accepted it: `digest` decides, the texts are for comparing with."""

    name: str
    digest: str
    title: str = ""
    description: str = ""
    parameters: str = ""
    """JSON, as it goes to the model; this and `description` are empty where all tools together were too long."""


class McpServerSettings(Frozen):
    """A server of tools (Model Context Protocol): a program to start (`command`) or an address to reach (`url`).

    A value of `env` or `headers` may hold ``${keyring:name}``: the secret itself stays in the keyring. The server
    starts while it is `enabled` and what would run is what was `agreed`.
    """

    id: str = Field(min_length=1)
    label: str
    command: str = ""
    args: tuple[str, ...] = ()
    cwd: str = ""
    env: dict[str, str] = Field(default_factory=dict)
    url: str = ""
    headers: dict[str, str] = Field(default_factory=dict)
    enabled: bool = False
    agreed: McpConsent | None = None
    agreed_tools: tuple[McpToolConsent, ...] = ()
    """A tool that is not among them, or is another by now, is not offered to models."""
    start_s: float = Field(default=30.0, gt=0, le=600)
    call_s: float = Field(default=120.0, gt=0, le=3600)


class ModelChoice(Frozen):
    """A model of a provider: what the model picker chooses."""

    provider: str
    model: str


class ChatSettings(Frozen):
    default: ModelChoice = ModelChoice(provider="guide", model="guide")
    title_model: ModelChoice | None = None
    """None: titles are made by the conversation's own model."""
    system_prompt: str = ""
    temperature: float | None = Field(default=None, ge=0.0, le=2.0)
    top_p: float | None = Field(default=None, ge=0.0, le=1.0)
    reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None = None
    max_tokens: int | None = Field(default=None, ge=1)
    context_tokens: int | None = Field(default=None, ge=1024)
    """At most so many tokens make a request and its reply; None: what the model takes, as far as that is known."""
    auto_summary: bool = False
    """Messages that no longer fit into requests are summarised by the model, without being asked each time."""
    auto_pin: int = Field(default=3, ge=0, le=10)
    send_with: Literal["enter", "ctrl_enter"] = "enter"
    model_titles: bool = True
    favourites: tuple[ModelChoice, ...] = ()
    """Models that the picker shows first, in the order in which they were chosen."""


class AppearanceSettings(Frozen):
    theme: Literal["system", "light", "dark"] = "system"
    text_scale: int = Field(default=100, ge=80, le=200)
    """Per cent."""
    reduced_motion: bool = False
    show_metrics: bool = True
    sidebar_shown: bool = True
    sidebar_px: int = Field(default=260, ge=200, le=480)


class ToolGrant(Frozen):
    """That a tool may run in all conversations without being asked about, for what `effects` name."""

    tool_name: str
    fingerprint: str
    effects: tuple[str, ...] = ()


class ImageSettings(Frozen):
    """Which account makes pictures for models, and how. Nothing is made while `provider` or `model` is empty."""

    provider: str = ""
    """The id of an account."""
    model: str = ""
    quality: str = ""
    """As the service calls it (``low``, ``high``, ``hd`` …); empty: the service decides."""
    size: str = Field(default="", pattern=r"^(\d{2,4}x\d{2,4})?$")
    """Width and height in pixels ("512x512"); empty: the usual size of the shape that the model asks for."""


class ToolSettings(Frozen):
    on: bool = True
    """Off: no model is told of any tool."""
    switches: dict[str, bool] = Field(default_factory=dict)
    """Tool name → on or off, where the person chose; else the tool's own default applies."""
    work_folder: str = ""
    """Where tools may read and, asked, write. Empty: none was chosen."""
    grants: tuple[ToolGrant, ...] = ()
    images: ImageSettings = ImageSettings()
    private_hosts: tuple[str, ...] = ()
    """Hosts on this machine or in the own network from which tools may fetch pages."""


class VoiceSettings(Frozen):
    """How replies are read aloud, and what writes down what a person says."""

    engine: Literal["system", "qt", "piper", "server"] = "system"
    """``system``: pyttsx3's voices; ``server``: an OpenAI-style ``/audio/speech``."""
    read_replies: bool = False
    """Every reply is read while it is written."""
    voices: dict[str, str] = Field(default_factory=dict)
    """Engine → its own id of the chosen voice; where there is none, the engine's default."""
    rate: float = Field(default=1.0, ge=0.5, le=2.0)
    volume: float = Field(default=1.0, ge=0.0, le=1.0)
    output_device: str = ""
    """The system's id of the loudspeaker; empty: the system's default, whichever it is at the time."""
    code: Literal["announce", "skip"] = "announce"
    tables: Literal["rows", "skip"] = "rows"
    maths: Literal["describe", "skip"] = "describe"
    emoji: bool = False
    piper_voices: tuple[str, ...] = ()
    """Paths of voice files (``.onnx`` with their ``.onnx.json`` beside them) that the person chose."""
    server: ModelChoice = ModelChoice(provider="", model="")
    """The account and model that speak, with engine ``server``."""
    input_device: str = ""
    dictation: ModelChoice = ModelChoice(provider="", model="")
    """The account and model that turn recordings into text (``/audio/transcriptions``)."""
    dictation_language: str = ""
    """An ISO 639-1 code ("de") that the server is told; empty: it finds out by itself."""


class DataSettings(Frozen):
    backups: bool = True
    """One is made by itself whenever something changed, every few hours."""
    backup_folder: str = ""
    """Empty: beside the drafts and logs of this computer."""


class SearchSettings(Frozen):
    semantic: bool = False
    """What was said is found by its meaning, too: its words are sent to `embeddings`. Only a person switches it on."""
    embeddings: ModelChoice = ModelChoice(provider="", model="")
    """The account and model that turn words into vectors (``/embeddings``)."""
    model_file: str = ""
    """Path of a GGUF file that does it on this computer, instead of an account; "" where none is chosen."""


class Settings(Frozen):
    schema_version: int = SCHEMA
    providers: tuple[ProviderSettings, ...] = ()
    chat: ChatSettings = ChatSettings()
    appearance: AppearanceSettings = AppearanceSettings()
    tools: ToolSettings = ToolSettings()
    voice: VoiceSettings = VoiceSettings()
    data: DataSettings = DataSettings()
    search: SearchSettings = SearchSettings()
    detect_local_servers: bool = True
    mcp_servers: tuple[McpServerSettings, ...] = ()

    def provider(self, provider_id: str) -> ProviderSettings | None:
        return next((provider for provider in self.providers if provider.id == provider_id), None)
