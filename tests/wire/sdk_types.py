"""The official SDKs' own request types as a judge of bodies.

`openai` and `anthropic` describe requests as TypedDicts, which are read here key by key, so that every
unknown key and every wrong type is found, wherever it is nested; `google-genai` and `ollama` have pydantic models.
"""

from __future__ import annotations

import collections.abc
import types
import typing
from functools import cache
from typing import Any

import typing_extensions as te
from pydantic import BaseModel, ValidationError

from tests.wire.fault import Faults

_TAGS = ("type", "role", "object")
_NOT_JSON = ("PathLike", "IO", "bytes", "BufferedReader", "tuple")
_WRONG_TAG = 1000


class Mismatch(typing.NamedTuple):
    kind: str
    """``unknown_key``, ``missing_key``, ``literal`` or ``type``."""
    path: str
    text: str


def mismatches(value: Any, expected: Any, path: str = "") -> list[Mismatch]:
    """All places where `value` (parsed JSON) is not what the type says. Of a union the closest member counts."""
    origin, arguments = te.get_origin(expected), te.get_args(expected)
    if origin in (te.Required, te.NotRequired, te.ReadOnly, te.Annotated):
        return mismatches(value, arguments[0], path)
    if expected is Any or expected is object or isinstance(expected, typing.TypeVar):
        return []
    if isinstance(expected, te.TypeAliasType):
        return mismatches(value, expected.__value__, path)
    if origin in (typing.Union, types.UnionType):
        return _union(value, arguments, path)
    if origin in (te.Literal, typing.Literal):
        fits = any(value == each and type(value) is type(each) for each in arguments)
        return [] if fits else [Mismatch("literal", path, f"{value!r} is none of {_short(arguments)}")]
    if isinstance(expected, type) and te.is_typeddict(expected):
        return _typed_dict(value, expected, path)
    if origin is dict or origin is collections.abc.Mapping:
        if not isinstance(value, dict):
            return [Mismatch("type", path, f"an object is wanted, not {_short(value)}")]
        return [found for key, inner in value.items() for found in mismatches(inner, arguments[1], _at(path, key))]
    if origin is not None and (
        origin in (list, collections.abc.Iterable) or "Sequence" in getattr(origin, "__name__", "")
    ):
        if not isinstance(value, list):
            return [Mismatch("type", path, f"a list is wanted, not {_short(value)}")]
        return [
            found for place, inner in enumerate(value) for found in mismatches(inner, arguments[0], _at(path, place))
        ]
    return _plain(value, expected, path)


def _plain(value: Any, expected: Any, path: str) -> list[Mismatch]:
    match expected:
        case types.NoneType | None:
            fits = value is None
        case _ if expected is bool:
            fits = isinstance(value, bool)
        case _ if expected is int:
            fits = isinstance(value, int) and not isinstance(value, bool)
        case _ if expected is float:
            fits = isinstance(value, int | float) and not isinstance(value, bool)
        case _ if expected is str:
            fits = isinstance(value, str)
        case _ if expected is dict:
            fits = isinstance(value, dict)
        case _:
            raise AssertionError(f"the type {expected!r} at {path} is new to this judge")
    return (
        []
        if fits
        else [Mismatch("type", path, f"{getattr(expected, '__name__', expected)} is wanted, not {_short(value)}")]
    )


def _union(value: Any, members: tuple[Any, ...], path: str) -> list[Mismatch]:
    best: list[Mismatch] | None = None
    closest = 0
    for member in members:
        if _is_convenience(member):
            continue
        found = mismatches(value, member, path)
        if not found:
            return []
        here = sum(_WRONG_TAG for each in found if each.path == path or each.path in {_at(path, tag) for tag in _TAGS})
        distance = here + len(found)
        if best is None or distance < closest:
            best, closest = found, distance
    return best or []


def _is_convenience(member: Any) -> bool:
    """File handles and the SDK's own answer objects are for Python callers; on the wire there is JSON alone."""
    origin, arguments = te.get_origin(member), te.get_args(member)
    if origin is te.Annotated:
        return _is_convenience(arguments[0])
    if origin in (typing.Union, types.UnionType):
        return all(map(_is_convenience, arguments))
    name = getattr(origin or member, "__name__", "")
    return name in _NOT_JSON or (isinstance(member, type) and issubclass(member, BaseModel))


def _typed_dict(value: Any, expected: type, path: str) -> list[Mismatch]:
    if not isinstance(value, dict):
        return [Mismatch("type", path, f"an object is wanted, not {_short(value)}")]
    fields, required = _fields(expected)
    for tag in _TAGS:  # of another kind altogether: its other keys are not worth a word
        if tag in fields and tag in value and mismatches(value[tag], fields[tag]):
            return mismatches(value[tag], fields[tag], _at(path, tag))
    found = [Mismatch("missing_key", _at(path, key), expected.__name__) for key in sorted(required - value.keys())]
    for key, inner in value.items():
        if key not in fields:
            found.append(Mismatch("unknown_key", _at(path, key), f"no key of {expected.__name__}"))
        else:
            found += mismatches(inner, fields[key], _at(path, key))
    return found


@cache
def _fields(expected: type) -> tuple[dict[str, Any], frozenset[str]]:
    """The keys of a TypedDict and which of them it requires.

    The SDKs write ``Required[…]`` in annotations that are strings at run time, which
    ``__required_keys__`` does not see; the resolved annotations do.
    """
    hints = te.get_type_hints(expected, include_extras=True)
    required: set[str] = set()
    inherited: dict[str, Any] = {}
    for base in getattr(expected, "__orig_bases__", ()):
        if te.is_typeddict(base):
            required |= _fields(base)[1]
            inherited |= base.__annotations__
    for key, hint in hints.items():
        if inherited.get(key) is not None and inherited[key] is expected.__annotations__.get(key):
            continue
        origin = te.get_origin(hint)
        if origin is te.Required or (origin is not te.NotRequired and getattr(expected, "__total__", True)):
            required.add(key)
        else:
            required.discard(key)
    return hints, frozenset(required)


def _at(path: str, key: object) -> str:
    return f"{path}.{key}" if path else str(key)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}…"


def model_faults(model: type[BaseModel], value: Any, path: str, faults: Faults) -> None:
    """What a pydantic model of an SDK refuses in `value`."""
    try:
        model.model_validate(value)
    except ValidationError as error:
        for each in error.errors(include_url=False, include_context=False, include_input=False):
            faults.add(f"sdk.{each['type']}", ".".join([path, *map(str, each["loc"])]), each["msg"])
    except AttributeError as error:  # google-genai looks enums up by name before it has checked their type
        faults.add("sdk.enum", path, str(error))
