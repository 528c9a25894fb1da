"""The composition root: builds every object once, wires them, and says in which order things start and end."""

from __future__ import annotations

import gc
import os

_collects = gc.isenabled()
gc.disable()  # what is imported below stays: walking it again and again took a tenth of the start
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # looking for some reads every installed package

import argparse
import asyncio
import logging
import logging.handlers
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from PySide6.QtCore import QLibraryInfo, QLocale, Qt, QtMsgType, QTranslator, qInstallMessageHandler
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from sam_py import __version__
from sam_py.agent.remembered import Remembered
from sam_py.agent.session import ChatSession
from sam_py.agent.state import SessionState
from sam_py.bus.message_bus import MessageBus
from sam_py.errors import SamError
from sam_py.messages.history import event_adapter
from sam_py.messages.usage import Usage
from sam_py.paths import Paths, PathsError, default_paths, resources
from sam_py.providers.catalogue import Catalogue
from sam_py.providers.guide.provider import GuideProvider
from sam_py.providers.prices import cost_usd
from sam_py.providers.redaction import KeyFilter
from sam_py.providers.registry import Registry
from sam_py.reminders.documents import documents
from sam_py.reminders.mini_prompts import MiniPrompts
from sam_py.reminders.order import Reminders
from sam_py.reminders.todo_list import todo_list
from sam_py.settings.file import SettingsFile
from sam_py.settings.secrets import Secrets
from sam_py.store.autosave import Autosave
from sam_py.store.library import Library
from sam_py.tools.base import Tool
from sam_py.ui.appearance import apply_theme, theme_of
from sam_py.ui.asking import Asking
from sam_py.ui.chat.server_sources import ServerSources
from sam_py.ui.garbage import GarbageCollection
from sam_py.ui.last_things import end_all, run_after_the_end
from sam_py.ui.loop import Loop
from sam_py.ui.main_window import MainWindow
from sam_py.ui.open_conversations import OpenConversation, OpenConversations
from sam_py.ui.program_servers import ProgramServers
from sam_py.ui.program_tools import ProgramTools
from sam_py.ui.server_news import ServerNews
from sam_py.ui.services import ProgramSearch, Services
from sam_py.ui.single_instance import SingleInstance
from sam_py.ui.tasks import Tasks
from sam_py.ui.theme import Themes
from sam_py.ui.widgets.icons import Icons

if TYPE_CHECKING:
    from sam_py.providers.local import FoundServer
    from sam_py.ui.program_keeping import ProgramKeeping
    from sam_py.ui.voice.window_voice import WindowVoice

gc.freeze()  # else the first collection, due at once, would walk it all the same
if _collects:
    gc.enable()

log = logging.getLogger(__name__)

_TOOLS_AFTER_S = 0.7
_VOICE_AFTER_S = 0.9
_BACKUPS_AFTER_S = 180.0
_QUIT_PATIENCE_S = 10.0
_LAST_PATIENCE_S = 1.5
"""For threads that still work when everything is saved: a keyring that hangs, a server's name that is looked up."""


def main(argv: list[str] | None = None) -> int:
    """Run the window until it is closed. Returns the process's exit code."""
    options = _parse(sys.argv[1:] if argv is None else argv)
    os.umask(0o077)  # whatever is written here is its owner's alone
    try:
        paths = default_paths(options.home).create()
    except PathsError as error:
        return _not_started(str(error))
    start_logging(paths)
    app = QApplication.instance() or QApplication([sys.argv[0]])
    assert isinstance(app, QApplication)
    _name_application(app)
    instance = SingleInstance(paths.data, paths.state)
    if not instance.acquire():
        answer = instance.tell_first()
        if answer == "raised":
            print("SAM is running already; its window was raised.")
            return 0
        if answer == "silent":
            which = f" (process {instance.holder})" if instance.holder else ""
            return _not_started(
                f"SAM is running already{which} on the data folder {paths.data}, but does not answer. "
                "Wait a moment, or end that process, and start SAM again."
            )
    loop = Loop(app)
    asyncio.set_event_loop(loop)
    try:
        with loop:
            code = loop.run_to_the_end(
                _run(app, loop, paths, instance, options), on_ended=lambda: _watch(_QUIT_PATIENCE_S, 1)
            )
            loop.run_until_complete(loop.shutdown_asyncgens())
            return code
    finally:
        instance.release()
        asyncio.set_event_loop(None)
        run_after_the_end()


def _not_started(why: str) -> int:
    from sam_py.ui.start_trouble import show_trouble

    print(why, file=sys.stderr)
    show_trouble(why)
    return 1


async def _run(
    app: QApplication, loop: Loop, paths: Paths, instance: SingleInstance, options: argparse.Namespace
) -> int:
    program = Program(app, paths)
    window = program.window
    done = asyncio.Event()
    window.closed.connect(done.set)
    instance.raise_requested.connect(window.raise_to_front)
    _catch_everything(loop, program.report_bug)
    _quit_on_signals(loop, window.close_now)
    window.show()
    code = 0
    try:
        await program.start()
        if options.demo is not None:
            from sam_py.ui.demo import demonstrate

            print(await demonstrate(window, options.demo, options.screenshot))
        else:
            await done.wait()
    except SamError as error:
        print(str(error), file=sys.stderr)
        code = 1
    finally:
        # What was typed and said is on disk long before this: the watchdogs only keep what hangs from holding us.
        watchdog = _watch(_QUIT_PATIENCE_S, 1)
        await program.aclose()
        watchdog.cancel()
        _watch(_LAST_PATIENCE_S, code)
    return code


class Program:
    """Every object of the running program, and the order of its start and end.

    End: streams stop, what is unsaved is written, connections close, settings are written. The window
    is hidden by then; nothing here can lose what was typed.
    """

    def __init__(self, app: QApplication, paths: Paths) -> None:
        self.app = app
        self._paths = paths
        self._garbage = GarbageCollection()
        settings = SettingsFile(paths.config / "settings.json")
        self._secrets = Secrets(self._base_url_of)
        self._settings = settings
        self._catalogue = Catalogue(paths.state / "models.json")
        self._registry = Registry(self._secrets.key_of, known=self._catalogue.models)
        self._registry.add(GuideProvider())
        self._library = Library(paths)
        self._tools = ProgramTools(settings)
        self._mini_prompts = MiniPrompts(paths.config / "mini_prompts.json")
        self._reminders = Reminders(mini_prompts=self._mini_prompts.reminder, todo_list=todo_list, documents=documents)
        self._remembered = Remembered(paths.state / "learned.json")
        themes = Themes()
        apply_theme(theme_of(settings.current.appearance), themes)
        self._tasks = Tasks(self._failed)
        self._conversations = OpenConversations(
            self._library,
            self._new_session,
            self._new_bus,
            lambda conversation, state: self._session_state(conversation, state),
            on_close=self._tools.close,
        )
        services = Services(
            paths=paths,
            library=self._library,
            registry=self._registry,
            catalogue=self._catalogue,
            settings=settings,
            secrets=self._secrets,
            themes=themes,
            icons=Icons(themes),
            tasks=self._tasks,
            find_servers=_find_servers,
            tools=self._tools,
            mini_prompts=self._mini_prompts,
        )
        services.voice = lambda: self._voice_of(services)
        self._voice: WindowVoice | None = None
        self._keeping: ProgramKeeping | None = None
        self._keep = services.keeping = lambda: self._keeping_of(services)
        self._search = ProgramSearch(paths, self._library)
        self._search.join(services)
        self._ends = False
        self._servers = ProgramServers(
            settings, self._tools.registry, self._put, self._secrets.key_of, log_folder=paths.logs
        )
        self._tools.servers = self._servers
        self.window = MainWindow(services, self._conversations)
        self.window.sidebar.export_requested.connect(lambda ids, folder: self._keep().export(ids, folder))
        self.window.sidebar.import_requested.connect(lambda files: self._keep().import_files(files))
        self._asking = Asking(self._tools, self.window)
        self._sources = ServerSources(services, self.window.chat.composer)
        self._server_news = ServerNews(services, self.window)
        self._library.on_problem(self._failed)
        app.applicationStateChanged.connect(self._used_again)
        settings.on_problem(self._failed)

    async def start(self) -> None:
        await self.window.start()
        self._tools.registry.fill_later(self._own_tools)
        self._tasks.spawn(self._fill_tools(), "import the tools")
        if self._settings.current.voice.read_replies:
            self._tasks.spawn(self._begin_voice(), "have the voice ready")
        self._servers.start()
        self._tasks.spawn(self._search.begin(), "begin the search index")
        self._tasks.spawn(self._back_up(), "make backups")
        self._tasks.spawn(self._remembered.load(), "read what models count")
        if self._mini_prompts.problem:
            self._failed(SamError(self._mini_prompts.problem))

    def _used_again(self, state: Qt.ApplicationState) -> None:
        if state is Qt.ApplicationState.ApplicationActive:
            self._tasks.spawn(self._library.look_at_others(), "look at what other computers wrote")

    async def aclose(self) -> None:
        self.app.applicationStateChanged.disconnect(self._used_again)
        self._asking.close()
        self._sources.close()
        self._server_news.close()
        for close in (
            self._end_voice,
            self.window.aclose,
            self._conversations.aclose,
            self._remembered.aclose,
            self._servers.aclose,
            self._tasks.aclose,
            self._end_keeping,
            self._search.aclose,
            self._mini_prompts.aclose,
            self._registry.aclose,
            self._library.aclose,
        ):
            try:
                await close()
            except Exception:  # a step that fails must not keep the next ones from saving what they have
                log.exception("closing did not end well")
        self._catalogue.close(self._settings.current.providers)
        try:
            self._settings.close()
        except SamError as error:
            log.error("the settings could not be saved: %s", error)
        end_all()
        self._garbage.stop()

    async def _fill_tools(self) -> None:
        """Have the tools and parsers ready before the first message asks for them, but after the first paint."""
        await asyncio.sleep(_TOOLS_AFTER_S)
        event_adapter.rebuild()
        for late in ("sam_py.agent.loop", "sam_py.providers.wire"):
            import_module(late)
        self._library.follow_others()
        log.info("%d tools", len(self._tools.registry))

    def _voice_of(self, services: Services) -> WindowVoice:
        """What reads aloud: made, and all that it needs imported, when something is to be heard or chosen."""
        if self._voice is None:
            from sam_py.ui.voice.program_voice import voice_of_window

            self._voice = voice_of_window(services, self.window)
        return self._voice

    async def _begin_voice(self) -> None:
        """Replies are to be read from the first one on; the window stands by then."""
        await asyncio.sleep(_VOICE_AFTER_S)
        if not self._ends:
            self.window.chat.voice.warm_up()

    async def _end_voice(self) -> None:
        self._ends = True
        if self._voice is not None:
            await self._voice.aclose()

    def _keeping_of(self, services: Services) -> ProgramKeeping:
        """Backups and the rest: made, and all that it needs imported, when it is first due or asked for."""
        if self._keeping is None:
            from sam_py.ui.program_keeping import ProgramKeeping

            self._keeping = ProgramKeeping(services, self.window)
        return self._keeping

    async def _back_up(self) -> None:
        await asyncio.sleep(_BACKUPS_AFTER_S)
        await self._keep().backups.watch()

    async def _end_keeping(self) -> None:
        if self._keeping is not None:
            await self._keeping.aclose()

    def _own_tools(self) -> list[Tool]:
        """Our own tools: they are imported here."""
        from sam_py.tools.builtin.catalogue import Doors, builtin_tools
        from sam_py.tools.image_service import chosen_service

        library, paths = self._library, self._paths
        doors = Doors(
            bus_of=self._bus_of,
            root_of=lambda _conversation_id: self._tools.work_folder,
            own_folders=(paths.config, paths.data, paths.state),
            put_attachment=self._put,
            read_attachment=library.attachments.read,
            read_document=library.documents.of,
            http=self._registry.http,
            notes=library.notes,
            ask=self._tools.questions.ask,
            image_service=lambda: chosen_service(self._settings.current),
            key_of=self._secrets.key_of,
            may_reach_private=lambda host: host.lower() in self._settings.current.tools.private_hosts,
        )
        return list(builtin_tools(doors))

    def _bus_of(self, conversation_id: str) -> MessageBus | None:
        conversation = self._conversations.get(conversation_id)
        return conversation.bus if conversation is not None else None

    def report_bug(self, error: BaseException) -> None:
        self.window.report(error)

    def _failed(self, error: BaseException) -> None:
        self.window.report(error)

    def _base_url_of(self, provider_id: str) -> str:
        provider = self._settings.current.provider(provider_id)
        return provider.base_url if provider is not None else ""

    def _cost_of(self, provider_id: str, model: str, usage: Usage) -> float | None:
        account = self._settings.current.provider(provider_id)
        price = self._catalogue.price(account, model) if account is not None else None
        return cost_usd(usage, price) if price is not None else None

    def _new_bus(self, conversation_id: str) -> MessageBus:
        return MessageBus(conversation_id, auto_pin=self._settings.current.chat.auto_pin)

    async def _put(self, data: bytes, _mime_type: str) -> str:
        return await self._library.attachments.put(data)

    def _new_session(self, bus: MessageBus, autosave: Autosave) -> ChatSession:
        return ChatSession(
            bus,
            provider_of=self._registry.get,
            save_now=autosave.save_now,
            read_attachment=self._library.attachments.read,
            put_attachment=self._put,
            defaults=self._settings.current.chat,
            cost_of=self._cost_of,
            tools=self._tools.open(bus, save_now=autosave.save_now, put_attachment=self._put),
            remembered=self._remembered,
            reminders=self._reminders,
            read_document=self._library.documents.of,
        )

    def _session_state(self, conversation: OpenConversation, state: SessionState) -> None:
        self.window.on_session_state(conversation, state)


async def _find_servers() -> list[FoundServer]:
    from sam_py.providers.local import find_local_servers

    return await find_local_servers()


def _parse(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="sam-py-gui", description="SAM for Python: the chat window.")
    parser.add_argument("--home", type=Path, help="keep settings and conversations below this folder")
    parser.add_argument("--demo", metavar="TEXT", help="send TEXT to the offline guide, print the exchange and end")
    parser.add_argument("--screenshot", type=Path, metavar="FILE", help="with --demo: write a picture of the window")
    parser.add_argument("--version", action="version", version=f"sam-py {__version__}")
    return parser.parse_args(argv)


def start_logging(paths: Paths) -> None:
    """Log to ``state/logs/sam.log`` (three files of 1 MB). Network libraries only warn: their details may hold keys."""
    handler = logging.handlers.RotatingFileHandler(
        paths.logs / "sam.log", maxBytes=1_000_000, backupCount=2, encoding="utf-8", delay=True
    )
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    handler.addFilter(KeyFilter())
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    for name in ("httpx", "httpx2", "httpcore", "httpcore2", "mcp", "asyncio", "qasync", "keyring"):
        logging.getLogger(name).setLevel(logging.WARNING)
    qInstallMessageHandler(_qt_message)


def _qt_message(kind: QtMsgType, _context: object, text: str) -> None:
    told = kind in (QtMsgType.QtDebugMsg, QtMsgType.QtInfoMsg)  # a font that lacks a script, for one
    logging.getLogger("qt").log(logging.INFO if told else logging.WARNING, "%s: %s", kind.name, text)


def _name_application(app: QApplication) -> None:
    app.setApplicationName("SAM")
    app.setApplicationDisplayName("SAM")
    app.setApplicationVersion(__version__)
    app.setDesktopFileName("sam-py")
    app.setQuitOnLastWindowClosed(False)
    icon = resources() / "icons" / "app.svg"
    if icon.exists():
        app.setWindowIcon(QIcon(str(icon)))
    translator = QTranslator(app)
    if translator.load(QLocale(), "qtbase", "_", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        app.installTranslator(translator)


def _catch_everything(loop: Loop, report: Callable[[BaseException], None]) -> None:
    """Whatever nobody caught is logged with its traceback and shown as a notice; the program goes on."""

    def from_python(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        log.error("an error that nobody caught", exc_info=(kind, error, trace))
        report(error)

    def from_loop(_loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
        error = context.get("exception")
        log.error(
            "the event loop: %s", context.get("message"), exc_info=error if isinstance(error, Exception) else None
        )
        if isinstance(error, Exception):
            report(error)

    def from_thread(failed: threading.ExceptHookArgs) -> None:
        error = failed.exc_value
        if error is None:
            return
        log.error("an error that nobody caught in a thread", exc_info=error)
        with suppress(RuntimeError):  # the loop is closed: nobody is there to be told
            loop.call_soon_threadsafe(report, error)

    def from_nowhere(failed: sys.UnraisableHookArgs) -> None:
        what = failed.err_msg or "an error that cannot be raised"
        log.error("%s in %r", what, failed.object, exc_info=failed.exc_value)

    sys.excepthook = from_python
    sys.unraisablehook = from_nowhere
    threading.excepthook = from_thread
    loop.set_exception_handler(from_loop)


def _quit_on_signals(loop: Loop, close: Callable[[], object]) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        try:
            loop.add_signal_handler(number, close)
        except (NotImplementedError, RuntimeError):
            # Windows: the handler runs between byte codes, so hand over to the loop's thread.
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(close))


def _watch(patience_s: float, code: int) -> threading.Timer:
    """End the process with `code` if it still lives in `patience_s`. On a thread: the loop itself may hang."""
    watchdog = threading.Timer(patience_s, _give_up, (patience_s, code))
    watchdog.daemon = True
    watchdog.start()
    return watchdog


def _give_up(patience_s: float, code: int) -> None:
    log.error("closing took longer than %g s; the program ends now", patience_s)
    os._exit(code)


if __name__ == "__main__":
    sys.exit(main())
