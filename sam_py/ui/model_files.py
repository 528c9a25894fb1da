"""ModelFiles: a person chooses a model file; it is loaded, and used as soon as it answers."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from sam_py.errors import SamError
from sam_py.providers.model_file.files import address_of, model_name
from sam_py.providers.model_file.runner import find_runner, install_command
from sam_py.ui.services import Services

log = logging.getLogger(__name__)


class ModelFiles(QObject):
    """Loads one file at a time. A file that cannot be loaded changes nothing in the settings."""

    working = Signal(str)
    """What is being done; "" when it has ended."""
    troubled = Signal(str, str, str)
    """What went wrong, the command that mends it (or ""), details (or "")."""
    ready = Signal(object)
    """`FoundServer`: the file's account, to be added and used."""

    def __init__(self, services: Services, parent: QWidget) -> None:
        super().__init__(parent)
        self._services = services
        self._task: asyncio.Task[object] | None = None

    def choose(self) -> None:
        """Ask for a file, or say what to install before one can be used."""
        if find_runner() is None:
            self._tell_what_to_install()
            return
        parent = self.parent()
        assert isinstance(parent, QWidget)
        dialog = QFileDialog(parent, self.tr("Open a model file"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters([self.tr("Models (*.gguf)"), self.tr("All files (*)")])
        dialog.fileSelected.connect(self.load)
        dialog.open()

    def load(self, path: str) -> None:
        """Load the model of a file, instead of the one that is being loaded."""
        self.cancel()
        self._task = self._services.tasks.spawn(self._load(Path(path)), "load a model file")

    def cancel(self) -> None:
        """Stop loading."""
        if self._task is not None:
            self._task.cancel()

    async def _load(self, file: Path) -> None:
        task = asyncio.current_task()
        self.working.emit(self.tr("Loading {name}. A large model takes minutes.").format(name=model_name(file)))
        try:
            await self._services.registry.model_servers.load(file)
        except SamError as error:
            if find_runner() is None:
                self._tell_what_to_install()
            else:
                self.troubled.emit(str(error), "", error.detail)
            return
        except asyncio.CancelledError:
            if self._task is task:
                self.working.emit("")
            raise
        finally:
            if self._task is task:
                self._task = None
        self.working.emit("")
        name = model_name(file)
        from sam_py.providers.local import FoundServer

        self.ready.emit(FoundServer("llamacpp", name, address_of(file), (name,)))

    def _tell_what_to_install(self) -> None:
        text = self.tr("Model files are run by llama.cpp, which is not on this computer. Install it, then try again:")
        self.troubled.emit(text, install_command(), "")
