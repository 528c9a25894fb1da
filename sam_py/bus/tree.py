"""MessageTree: where each message of a conversation stands, and the path through it that is shown."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from itertools import islice

from sam_py.bus.loaded import StoredMessage
from sam_py.messages.history import BranchSelected
from sam_py.messages.message import Message

log = logging.getLogger(__name__)


class Node:
    """A message's place in the tree. `message` is None while it is only on disk (`stored`).

    `order` counts messages as they came: siblings stand in it, whoever their first parent was.
    """

    __slots__ = ("id", "message", "order", "parent_id", "role", "stored")

    def __init__(
        self, id: str, parent_id: str | None, role: str, message: Message | None, stored: StoredMessage | None = None
    ) -> None:
        self.id = id
        self.parent_id = parent_id
        self.role = role
        self.message = message
        self.stored = stored
        self.order = 0


class MessageTree:
    """Nodes by id, the children of each, and the active path.

    Invariants: each entry of `path` is a child of the one before and the path ends where nothing
    stands below; `index[id]` is the place of `id` on `path`; a parent's selected child is on the path
    whenever the parent is, and where none is selected its last one.
    """

    def __init__(self, selected: Mapping[str, str] | None = None) -> None:
        self.nodes: dict[str, Node] = {}
        self.path: list[str] = []
        self.index: dict[str, int] = {}
        self._linked = 0
        self._children: dict[str | None, list[str]] = {None: []}
        self._selected: dict[str, str] = dict(selected or {})

    def children(self, parent_id: str | None) -> tuple[str, ...]:
        return tuple(self._children.get(parent_id, ()))

    def is_answered(self, parent_id: str) -> bool:
        """Whether a reply stands right below it."""
        return any(self.nodes[child].role == "assistant" for child in self._children.get(parent_id, ()))

    def link(self, node: Node) -> None:
        """Hang a node below its parent, as its last child. The path is not rebuilt. O(1)."""
        if node.parent_id is not None and node.parent_id not in self.nodes:
            log.warning("message %s has the unknown parent %s; it becomes a first message", node.id, node.parent_id)
            node.parent_id = None
        node.order = self._linked
        self._linked += 1
        self.nodes[node.id] = node
        self._children.setdefault(node.parent_id, []).append(node.id)

    def append(self, node: Node) -> None:
        """Link a node below the last of the path, or as the first of all, and go on to it. O(1)."""
        self.link(node)
        self.index[node.id] = len(self.path)
        self.path.append(node.id)

    def slip_in(self, node: Node) -> None:
        """Link a node between its parent and all that stands below that; of it the same stays chosen.

        The path is not rebuilt.
        """
        below, shown = self.children(node.parent_id), self.choice(node.parent_id)
        self.link(node)
        self._children[node.parent_id] = [node.id]
        self._children[node.id] = list(below)
        for child in below:
            self.nodes[child].parent_id = node.id
        self._selected.pop(node.parent_id or "", None)
        if shown is not None and len(below) > 1:
            self._selected[node.id] = shown

    def unlink(self, message_id: str) -> tuple[tuple[str, ...], list[BranchSelected]]:
        """Take a node out; its children take its place below its parent. The path is not rebuilt.

        Returns the children, and the choice that keeps on the path what was on it, if one is needed.
        """
        node = self.nodes[message_id]
        parent_id = node.parent_id
        shown = self.choice(parent_id)
        if shown == message_id:
            shown = self.choice(message_id)
        orphans = self._children.pop(message_id, [])
        brothers = [child for child in self._children[parent_id] if child != message_id]
        for orphan in orphans:
            self.nodes[orphan].parent_id = parent_id
        self._children[parent_id] = sorted((*brothers, *orphans), key=lambda child: self.nodes[child].order)
        self._selected.pop(message_id, None)
        if self._selected.get(parent_id or "") == message_id:
            del self._selected[parent_id or ""]
        del self.nodes[message_id]
        news: list[BranchSelected] = []
        if orphans and shown is not None and len(self._children[parent_id]) > 1:
            self._selected[parent_id or ""] = shown
            news.append(BranchSelected(parent_id=parent_id, message_id=shown))
        return tuple(orphans), news

    def choice(self, parent_id: str | None) -> str | None:
        """The child of `parent_id` that is shown when it is."""
        children = self._children.get(parent_id)
        if not children:
            return None
        chosen = self._selected.get(parent_id or "")
        if chosen is None or chosen not in self.nodes or self.nodes[chosen].parent_id != parent_id:
            return children[-1]
        return chosen

    def choose(self, message_id: str) -> list[BranchSelected]:
        """Select what leads from the root to `message_id`; returns the choices that are news.

        The path is not rebuilt. What was shown only for being the last child is news too: on another
        device a later one may stand there.
        """
        news: list[BranchSelected] = []
        step: Node | None = self.nodes[message_id]
        while step is not None:
            if len(self._children[step.parent_id]) > 1 and self._selected.get(step.parent_id or "") != step.id:
                self._selected[step.parent_id or ""] = step.id
                news.append(BranchSelected(parent_id=step.parent_id, message_id=step.id))
            step = self.nodes[step.parent_id] if step.parent_id is not None else None
        return news[::-1]

    def keep_shown(self, path: Sequence[str]) -> None:
        """Select what leads to the last of `path` that is still here. The path is not rebuilt."""
        last = next((message_id for message_id in reversed(path) if message_id in self.nodes), None)
        if last is not None:
            self.choose(last)

    def walk(self) -> int:
        """Rebuild the path from the root; returns how many places at its start are as before. O(n)."""
        before = self.path
        path: list[str] = []
        step = self.choice(None)
        while step is not None:
            path.append(step)
            step = self.choice(step)
        self.path = path
        self.index = {message_id: place for place, message_id in enumerate(path)}
        same = 0
        for old, new in zip(before, path, strict=False):
            if old != new:
                break
            same += 1
        return same

    def users_above(self, parent_id: str | None, enough: int) -> int:
        """How many messages of the user stand from the first to `parent_id`; stops counting at `enough`."""
        if parent_id is None:
            return 0
        count = 0
        if parent_id in self.index:
            for message_id in islice(self.path, self.index[parent_id] + 1):
                count += self.nodes[message_id].role == "user"
                if count >= enough:
                    break
            return count
        step: Node | None = self.nodes[parent_id]
        while step is not None and count < enough:
            count += step.role == "user"
            step = self.nodes[step.parent_id] if step.parent_id is not None else None
        return count
