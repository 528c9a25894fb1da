"""Services: the objects that `app.py` builds once and the window works with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sam_py.paths import Paths
from sam_py.providers.catalogue import Catalogue
from sam_py.providers.registry import Registry
from sam_py.reminders.mini_prompts import MiniPrompts
from sam_py.settings.file import SettingsFile
from sam_py.settings.secrets import Secrets
from sam_py.store.library import Library
from sam_py.ui.program_tools import ProgramTools
from sam_py.ui.tasks import Tasks
from sam_py.ui.theme import Themes
from sam_py.ui.widgets.icons import Icons

if TYPE_CHECKING:
    from sam_py.providers.local import FoundServer
    from sam_py.ui.program_keeping import ProgramKeeping
    from sam_py.ui.voice.window_voice import WindowVoice


def no_voice() -> WindowVoice:
    """Where no program was built around the window."""
    raise RuntimeError("nobody speaks here")


def no_keeping() -> ProgramKeeping:
    """Where no program was built around the window."""
    raise RuntimeError("nothing is kept here")


@dataclass(slots=True)
class Services:
    paths: Paths
    library: Library
    registry: Registry
    catalogue: Catalogue
    settings: SettingsFile
    secrets: Secrets
    themes: Themes
    icons: Icons
    tasks: Tasks
    find_servers: Callable[[], Awaitable[list[FoundServer]]]
    tools: ProgramTools = field(default_factory=ProgramTools)
    mini_prompts: MiniPrompts = field(default_factory=MiniPrompts)
    voice: Callable[[], WindowVoice] = no_voice
    """What reads messages aloud; made, with all that is imported for it, when it is first asked for."""
    keeping: Callable[[], ProgramKeeping] = no_keeping
    """Backups, and the ways in and out of the library; made, with all that is imported for it, when first asked for."""
