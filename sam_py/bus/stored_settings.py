"""Conversation settings from stored values, one setting at a time where they do not fit together."""

from __future__ import annotations

import logging

from pydantic import JsonValue

from sam_py.messages.history import ConversationSettings

log = logging.getLogger(__name__)


def settings_from(values: dict[str, JsonValue]) -> ConversationSettings:
    """A value that does not fit is left at its default and logged; unknown keys are kept."""
    try:
        return ConversationSettings.model_validate(values)
    except ValueError:
        kept: dict[str, JsonValue] = {}
        for key, value in values.items():
            try:
                ConversationSettings.model_validate({key: value})
            except ValueError:
                log.warning("the conversation setting %s has an unusable value; its default is used", key)
            else:
                kept[key] = value
        return ConversationSettings.model_validate(kept)
