"""ConversationReader: all that may be asked of a conversation by those who only read it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sam_py.bus.live import LiveReply
from sam_py.bus.parsed import ParsedMessages
from sam_py.bus.tree import MessageTree, Node
from sam_py.errors import UnknownMessageError
from sam_py.messages.history import ConversationSettings, ErrorOccurred, TaskRecorded
from sam_py.messages.message import Message, new_id


class ConversationReader:
    """The tree of messages, its active path, what streams, and what belongs to the conversation as a whole.

    `MessageBus` is the one that changes them; screen, store, speech and metrics read here.
    """

    def __init__(self, conversation_id: str = "") -> None:
        self.conversation_id = conversation_id or new_id()
        self.settings = ConversationSettings()
        self._tree = MessageTree()
        self._live: dict[str, LiveReply] = {}
        self._errors: dict[str, ErrorOccurred] = {}
        self._parsed = ParsedMessages()
        self._stored_tasks: Sequence[TaskRecorded] = ()
        self._tasks: list[TaskRecorded] = []

    def __len__(self) -> int:
        """Messages on the active path."""
        return len(self._tree.path)

    @property
    def path(self) -> tuple[str, ...]:
        """The ids of the active path. O(n): for snapshots, not per chunk."""
        return tuple(self._tree.path)

    @property
    def tip(self) -> str | None:
        return self._tree.path[-1] if self._tree.path else None

    @property
    def tree_size(self) -> int:
        """Messages on all branches."""
        return len(self._tree.nodes)

    def __contains__(self, message_id: str) -> bool:
        return message_id in self._tree.nodes

    def id_at(self, index: int) -> str:
        return self._tree.path[index]

    def role_at(self, index: int) -> str:
        return self._tree.nodes[self._tree.path[index]].role

    def at(self, index: int) -> Message:
        """The message at a place on the active path, parsed if it was not. Live messages: see `get`."""
        return self.get(self._tree.path[index])

    def size_at(self, index: int) -> int:
        """About how many bytes of text the message has, without parsing it."""
        node = self._tree.nodes[self._tree.path[index]]
        if node.stored is not None:
            return node.stored.size
        return len(node.message.text) if node.message is not None else 0

    def get(self, message_id: str) -> Message:
        """The message as it is now. For a streaming one this builds a snapshot: O(its length)."""
        node = self._node(message_id)
        live = self._live.get(message_id)
        if live is not None:
            assert node.message is not None
            return node.message.model_copy(update={"parts": live.builder.freeze()})
        if node.message is not None:
            return node.message
        return self._parsed.read(node)

    def messages(self) -> Iterable[Message]:
        """The active path, parsed as it is read."""
        return (self.get(message_id) for message_id in tuple(self._tree.path))

    def tree(self) -> Iterable[Message]:
        """Every message of every branch, parents before children."""
        return (self.get(message_id) for message_id in tuple(self._tree.nodes))

    def index_of(self, message_id: str) -> int | None:
        """The message's place on the active path; None where it is on another branch. O(1)."""
        return self._tree.index.get(message_id)

    def parent_of(self, message_id: str) -> str | None:
        return self._node(message_id).parent_id

    def last_below(self, message_id: str) -> str:
        """The last of what is shown below a message whenever it is shown itself; its own id where nothing stands there.

        O(1) on the active path, else O(messages below).
        """
        self._node(message_id)
        if message_id in self._tree.index:
            return self._tree.path[-1]
        last = message_id
        while (below := self._tree.choice(last)) is not None:
            last = below
        return last

    def siblings(self, message_id: str) -> tuple[str, ...]:
        """The alternatives at the message's place, itself among them, oldest first."""
        return self._tree.children(self._node(message_id).parent_id)

    def is_streaming(self, message_id: str) -> bool:
        return message_id in self._live

    @property
    def streaming_ids(self) -> tuple[str, ...]:
        return tuple(self._live)

    def error_of(self, message_id: str | None) -> ErrorOccurred | None:
        """The last error at a message (None: in the conversation) that is not over.

        That of a request that failed is over once an answer stands below it.
        """
        error = self._errors.get(message_id or "")
        if error is None or message_id is None:
            return error
        node = self._tree.nodes.get(message_id)
        if node is None or (node.role != "assistant" and self._tree.is_answered(message_id)):
            return None
        return error

    @property
    def tasks(self) -> list[TaskRecorded]:
        """The runs of the loop, oldest first; stored ones are parsed when this is first read."""
        if self._stored_tasks:
            self._tasks = [*self._stored_tasks, *self._tasks]
            self._stored_tasks = ()
        return self._tasks

    def _node(self, message_id: str) -> Node:
        node = self._tree.nodes.get(message_id)
        if node is None:
            raise UnknownMessageError(message_id)
        return node
