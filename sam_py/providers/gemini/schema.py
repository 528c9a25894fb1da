"""Tool schemas as ``parametersJsonSchema`` takes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_NOT_WITH_REF = frozenset({"$defs", "definitions"})


def json_schema(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of a tool's parameters as the service takes it: an object, without ``$schema``.

    Beside a ``$ref`` the service allows nothing else (its reference of ``responseJsonSchema``, which
    ``parametersJsonSchema`` follows), so that what stands there moves around it.

    >>> json_schema({"$schema": "s", "properties": {"a": {"$ref": "#/$defs/A", "title": "A"}}})
    {'type': 'object', 'properties': {'a': {'title': 'A', 'anyOf': [{'$ref': '#/$defs/A'}]}}}
    """
    schema = _cleaned({key: value for key, value in parameters.items() if key != "$schema"})
    assert isinstance(schema, dict)
    if "properties" not in schema and not schema.keys() & {"$ref", "anyOf"}:
        schema["properties"] = {}
    return {"type": "object", **schema}


def _cleaned(value: Any) -> Any:
    if isinstance(value, list):
        return [_cleaned(each) for each in value]
    if not isinstance(value, Mapping):
        return value
    cleaned = {key: _cleaned(each) for key, each in value.items()}
    reference = cleaned.get("$ref")
    if isinstance(reference, str) and "anyOf" not in cleaned and cleaned.keys() - _NOT_WITH_REF != {"$ref"}:
        del cleaned["$ref"]
        cleaned["anyOf"] = [{"$ref": reference}]
    return cleaned
