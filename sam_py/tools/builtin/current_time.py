"""The tool that knows what time it is, here and elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from pydantic import Field

from sam_py.messages.message import utc_now
from sam_py.tools.base import Arguments, BuiltinTool, Running, ToolError, ToolOutput


class CurrentTime(Arguments):
    zone: str = Field(
        default="",
        max_length=64,
        description="An IANA time zone such as Europe/Lisbon or UTC. Empty: the person's own.",
    )


class CurrentTimeTool(BuiltinTool[CurrentTime]):
    name = "current_time"
    label = "Current time"
    icon = "info"
    description = (
        "Today's date, weekday and the time, where the person is or in another time zone. Use it whenever an answer "
        "depends on today: you do not know the date by yourself."
    )
    takes = CurrentTime

    def __init__(self, now: Callable[[], datetime] = utc_now) -> None:
        self._now = now

    def doing(self, arguments: CurrentTime) -> str:
        return f"Look at the time in {arguments.zone}" if arguments.zone.strip() else "Look at the time"

    async def run(self, arguments: CurrentTime, running: Running) -> ToolOutput:
        name = arguments.zone.strip()
        now = self._now().astimezone(_zone(name) if name else None)
        week = now.isocalendar().week
        offset = now.strftime("%z")
        # %A and %B would be in the system's language.
        weekday = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")[now.weekday()]
        zone = name or now.tzname() or "local time"
        text = f"{weekday}, {now:%Y-%m-%d %H:%M:%S}, {zone} (UTC{offset[:3]}:{offset[3:5]}), calendar week {week}"
        return ToolOutput(text, details=(text,))


def _zone(name: str) -> tzinfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        wanted = name.casefold().replace(" ", "_")
        near = sorted(zone for zone in available_timezones() if wanted.rpartition("/")[2] in zone.casefold())[:8]
        hint = f" Did you mean {', '.join(near)}?" if near else " Give one such as Asia/Tokyo."
        raise ToolError(f"There is no time zone {name!r}.{hint}") from error
