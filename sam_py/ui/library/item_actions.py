"""ItemActions: what can be done with things of the library: open, copy, save, drag out, go to their conversation."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QMimeData, QObject, QSize, Qt, QUrl, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from sam_py.errors import SamError
from sam_py.store.search_index.results import Item
from sam_py.ui.chat.row_context import RowContext
from sam_py.ui.library import contents
from sam_py.ui.library.words import conversation, day, facts, filled, number, shown_name, tr
from sam_py.ui.services import Services
from sam_py.ui.widgets.announce import announce

if TYPE_CHECKING:
    from sam_py.ui.library.gallery_viewer import GalleryViewer

PathOf = Callable[[Item], Path | None]
OpenMessage = Callable[[str, str], object]
_MOST_DRAGGED = 200


class ItemActions(QObject):
    """Acts for a `page`, over which dialogs stand. Trouble comes as a sentence, success as a short word."""

    failed = Signal(str)
    said = Signal(str)
    reused = Signal(object)
    """`Reused`: what the person wants to have in a new chat."""

    def __init__(self, services: Services, open_message: OpenMessage, page: QWidget) -> None:
        super().__init__(page)
        self._services = services
        self._open_message = open_message
        self.neighbour: Callable[[int, PathOf], Item | None] = lambda _step, _path_of: None
        """Go one picture on (1) or back (-1) to one that has a path, and say which one that is."""
        self.has_neighbour: Callable[[int], bool] = lambda _step: False
        self._page = page
        self._work: asyncio.Task[None] | None = None
        library = services.library
        self._context = RowContext(
            services.themes, services.icons, library.attachments.path, lambda _provider, model: model
        )

    def open(self, item: Item) -> None:
        """Show it large, or read it; a link opens in the browser once the person agrees."""
        match item.kind:
            case "image" if item.attachment:
                self._open_image(item)
            case "image" | "link":
                self._open_link(item)
            case "code" | "tool":
                self._spawn(self._open_text(item))
            case "file" | "document":
                from sam_py.ui.chat.opened_files import open_file

                part, library = contents.file_part(item), self._services.library
                self._spawn(open_file(part, library, self._context, self._page, self.failed.emit))

    def jump(self, item: Item) -> None:
        """Go to the message that it is in."""
        self._open_message(item.place.conversation_id, item.place.message_id)

    def copy(self, items: Sequence[Item]) -> None:
        if items:
            self._spawn(self._copy(list(items)))

    def reuse(self, items: Sequence[Item]) -> None:
        """Let a new chat begin with them."""
        if items:
            self._spawn(self._reuse(list(items)))

    def save(self, items: Sequence[Item]) -> None:
        """Ask for a name, or for a folder where there are several."""
        kept = [item for item in items if can_be_saved(item)]
        if not kept:
            return
        dialog = QFileDialog(self._page, tr("Save as") if len(kept) == 1 else tr("Save them in"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if len(kept) == 1:
            dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
            dialog.selectFile(contents.file_name(kept[0]))
        else:
            dialog.setFileMode(QFileDialog.FileMode.Directory)
            dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(lambda target: self.save_to(kept, Path(target)))
        dialog.open()

    def save_to(self, items: Sequence[Item], target: Path) -> None:
        """Write one thing to the file `target`, several into that folder."""
        self._spawn(self._save(list(items), target))

    def show_prompt(self, item: Item) -> None:
        """The words from which a picture was made."""
        if not item.text:
            self.failed.emit(tr("Nothing was written before this picture: there is no prompt behind it."))
            return
        self._show_text(item, tr("The prompt behind this image"), item.text, save=lambda: self._ask_to_save(item.text))

    def dragged(self, items: Sequence[Item]) -> QMimeData | None:
        """Copies of files with their right names, or text and addresses; None where nothing of it is here."""
        try:
            return self._dragged(items)
        except SamError as error:
            self.failed.emit(str(error))
            return None

    def _dragged(self, items: Sequence[Item]) -> QMimeData | None:
        data = QMimeData()
        with_files = [(item, path) for item in items[:_MOST_DRAGGED] if (path := self.path_of(item)) is not None]
        if with_files:
            folder = contents.folder_to_drag_from()
            copies = contents.take_out(list(with_files), folder)
            data.setUrls([QUrl.fromLocalFile(str(path)) for path in copies])
            return data
        words = [item.url or item.text for item in items if item.url or item.text]
        if not words or any(item.attachment for item in items):
            return None
        data.setText("\n".join(words))
        if items[0].kind == "link":
            data.setUrls([QUrl(item.url) for item in items])
        return data

    def path_of(self, item: Item) -> Path | None:
        return self._services.library.attachments.path(item.attachment) if item.attachment else None

    # Inside

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        self._services.tasks.spawn(self._told(work), "an action of the library")

    async def _told(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except SamError as error:
            self.failed.emit(str(error))

    def _present(self, item: Item) -> Path:
        path = self.path_of(item)
        if path is None:
            words = tr("“%1” is not on this computer yet: it comes when your folder is synced, or attach it again.")
            raise SamError(filled(words, shown_name(item)))
        return path

    def _open_image(self, item: Item) -> None:
        from sam_py.ui.library.gallery_viewer import GalleryViewer

        try:
            path = self._present(item)
        except SamError as error:
            self.failed.emit(str(error))
            return
        viewer = GalleryViewer(self._services.icons, path, shown_name(item), self._page)
        viewer.step_wanted.connect(lambda step: self._step(viewer, step))
        self._show_ends(viewer)
        viewer.failed.connect(self.failed)
        viewer.finished.connect(viewer.deleteLater)
        viewer.open()

    def _step(self, viewer: GalleryViewer, step: int) -> None:
        """To the next picture that is here; where there is none the one that is shown stays."""
        found = self.neighbour(step, self.path_of)
        if found is not None:
            path = self.path_of(found)
            if path is not None:
                viewer.show_picture(path, shown_name(found))
        self._show_ends(viewer)

    def _show_ends(self, viewer: GalleryViewer) -> None:
        viewer.set_ends(is_first=not self.has_neighbour(-1), is_last=not self.has_neighbour(1))

    def _open_link(self, item: Item) -> None:
        from sam_py.ui.links import open_url, safe_target
        from sam_py.ui.widgets.confirm import Confirm

        target = safe_target(item.url)
        if target is None:
            self.failed.emit(tr("This link is not opened, because it leads to a program or a file."))
            return
        title = tr("Open this address?")
        Confirm.ask(self._page, self._services.icons, title, target, tr("Open"), lambda: open_url(target))

    async def _open_text(self, item: Item) -> None:
        text = await self._text_of(item)
        language = item.detail if item.kind == "code" else ""
        self._show_text(item, shown_name(item), text, language)

    def _show_text(
        self, item: Item, title: str, text: str, language: str = "", save: Callable[[], object] | None = None
    ) -> None:
        from sam_py.ui.library.text_viewer import TextViewer

        said = " · ".join((*facts(item), conversation(item), day(item.place.at)))
        viewer = TextViewer(self._context, title, said, text, self._page, language=language)
        viewer.save_wanted.connect(save or (lambda: self.save([item])))
        viewer.jump_wanted.connect(lambda: self.jump(item))
        viewer.open()

    def _ask_to_save(self, text: str) -> None:
        """Of words that are no item themselves."""
        dialog = QFileDialog(self._page, tr("Save as"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.selectFile(tr("Prompt") + ".txt")
        dialog.fileSelected.connect(lambda target: self._spawn(self._write(text, Path(target))))
        dialog.open()

    async def _write(self, text: str, target: Path) -> None:
        await asyncio.to_thread(contents.write, text, target)
        self._say(tr("Saved"))

    async def _text_of(self, item: Item) -> str:
        path_of = self._services.library.attachments.path
        return await asyncio.to_thread(contents.whole_text, self._services.paths.conversations, path_of, item)

    async def _content(self, item: Item) -> Path | str:
        if item.kind in ("code", "tool"):
            return await self._text_of(item)
        if item.kind == "link" or not item.attachment:
            if not item.url:
                raise SamError(tr("This picture is part of the message itself: open its conversation to see it."))
            return item.url
        return self._present(item)

    async def _contents(self, items: list[Item]) -> list[tuple[Item, Path | str]]:
        """What is here of the items; of the others it is said that they are not. Raises SamError where none is."""
        found, trouble = await self._found(items)
        if trouble:
            self.failed.emit(trouble)
        return found

    async def _found(self, items: list[Item]) -> tuple[list[tuple[Item, Path | str]], str]:
        """What is here of the items, and a sentence about the others, or "". Raises SamError where none is here."""
        found: list[tuple[Item, Path | str]] = []
        missing: list[tuple[Item, SamError]] = []
        for item in items:
            try:
                found.append((item, await self._content(item)))
            except SamError as error:
                missing.append((item, error))
        if missing and not found:
            raise missing[0][1]
        if len(missing) <= 1:
            return found, "".join(str(error) for _item, error in missing)
        words = tr("%1 of them are not on this computer yet, “%2” among them: they come when your folder is synced.")
        return found, filled(words, number(len(missing)), shown_name(missing[0][0]))

    async def _reuse(self, items: list[Item]) -> None:
        from sam_py.ui.library.reuse import reused

        self.reused.emit(reused(*await self._found(items)))

    async def _save(self, items: list[Item], target: Path) -> None:
        with_content = await self._contents(items)
        if len(items) == 1:
            await asyncio.to_thread(contents.write, with_content[0][1], target)
        else:
            await asyncio.to_thread(contents.take_out, with_content, target)
        self._say(_counted(len(with_content), tr("Saved"), tr("%1 saved")))

    async def _copy(self, items: list[Item]) -> None:
        data = QMimeData()
        with_content = await self._contents(items)
        files = [content for _item, content in with_content if isinstance(content, Path)]
        texts = [content for _item, content in with_content if isinstance(content, str)]
        if len(items) == 1 and items[0].kind == "image" and files:
            from sam_py.ui.chat.parts.pictures import read_scaled

            image = await asyncio.to_thread(read_scaled, files[0], QSize())
            if image.isNull():
                raise SamError(tr("This picture cannot be shown, so it cannot be copied. Save it instead."))
            data.setImageData(image)
        elif files:
            folder = contents.folder_to_drag_from()
            kept = [(item, content) for item, content in with_content if isinstance(content, Path)]
            copies = await asyncio.to_thread(contents.take_out, list(kept), folder)
            data.setUrls([QUrl.fromLocalFile(str(path)) for path in copies])
        if texts:
            data.setText("\n\n".join(texts) if items[0].kind != "link" else "\n".join(texts))
        QGuiApplication.clipboard().setMimeData(data)
        self._say(_counted(len(with_content), tr("Copied"), tr("%1 copied")))

    def _say(self, words: str) -> None:
        self.said.emit(words)
        announce(self._page, words)


def can_be_saved(item: Item) -> bool:
    return item.kind != "link" and (item.kind in ("code", "tool") or bool(item.attachment))


def _counted(count: int, one: str, many: str) -> str:
    return one if count == 1 else filled(many, number(count))
