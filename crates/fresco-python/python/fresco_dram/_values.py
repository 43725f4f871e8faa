# SPDX-License-Identifier: MIT OR Apache-2.0
"""Values of Python as TOML."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from . import _native


def inline(value: Any) -> str:
    """A value in one line of TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return text(value)
    if isinstance(value, os.PathLike):
        return text(os.fspath(value))
    if isinstance(value, Mapping):
        pairs = (f"{key_of(key)} = {inline(part)}" for key, part in value.items())
        return "{ " + ", ".join(pairs) + " }"
    if hasattr(value, "tolist"):
        # An array or a scalar of numpy.
        _short(value.size)
        return inline(value.tolist())
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return number(value)
    if isinstance(value, _native.Machine):
        return text(value._written_out())
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        _short(len(value))
        return "[" + ", ".join(map(_part, value)) + "]"
    raise TypeError(f"found {value!r} of type {type(value).__name__}; allowed: bool, int, float, str, path, list, dict")


# As many as the points that a sweep may have.
LONGEST = 1_000_000


def _short(length: int) -> None:
    if length > LONGEST:
        found = f"found a list of {length} values"
        raise _native.fault("", found, f"at most {LONGEST}", "take fewer, or draw samples of a range: random = {samples, over}")


def _part(value: Any) -> str:
    # Values of an axis are what tables and figures call its points.
    if isinstance(value, _native.Machine) and not value._is_built_in():
        raise _native.fault("", f"found {value!r} in a list", "built-in machines without changes", "list names, or paths of machine files")
    return inline(value)


def number(value: float) -> str:
    if not math.isfinite(value):
        raise _native.fault("", f"found {value!r}", "a finite number")
    return repr(value)


def text(value: str) -> str:
    # What JSON escapes TOML escapes alike, but for DEL, which TOML wants escaped, and surrogates, which are no text.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def key_of(name: Any) -> str:
    name = _name(name)
    if name and all(c.isascii() and (c.isalnum() or c in "_-") for c in name):
        return name
    return text(name)


def _name(key: Any) -> str:
    if not isinstance(key, str):
        raise TypeError(f"found the key {key!r} of type {type(key).__name__}; allowed: str")
    return key


def document(table: Mapping[str, Any]) -> str:
    """A table as a document of TOML, with a heading for each table within. Below the first headings keys keep their order, which that of axes is."""
    return "\n".join(_lines(table, ())) + "\n"


def _lines(table: Mapping[str, Any], path: tuple[str, ...]) -> list[str]:
    lines = []
    below = []
    # A table under a heading comes after all plain values: one that stands before one of these is written in a line.
    plain = [number for number, value in enumerate(table.values()) if path and not (isinstance(value, Mapping) or _is_tables(value))]
    for number, (key, value) in enumerate(table.items()):
        with _of(".".join(path)):
            here = (*path, key_of(key))
        if isinstance(value, Mapping) and number > max(plain, default=-1):
            below += ["", f"[{'.'.join(here)}]", *_lines(value, here)]
        elif _is_tables(value):
            for part in value:
                below += ["", f"[[{'.'.join(here)}]]", *_lines(part, here)]
        else:
            with _of('.'.join(here)):
                lines.append(f"{key_of(key)} = {inline(value)}")
    return lines + below


def _is_tables(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(part, Mapping) for part in value)


def assignments(overrides: Mapping[str, Any] | Iterable[str] | None, keywords: Mapping[str, Any]) -> list[str]:
    """``key=value`` of keys with dots, and of tables: ``policy={"frames": "palloc"}`` is ``policy.frames``. A list of ``key=value`` is taken as it is."""
    if isinstance(overrides, str):
        raise TypeError(f"found {overrides!r}; allowed: a dict of keys and values, or a list of \"key=value\"")
    if overrides is None or isinstance(overrides, Mapping):
        first = list(_assignments(overrides or {}, ""))
    else:
        first = [str(one) for one in overrides]
    return [*first, *_assignments(keywords, "")]


def _assignments(table: Mapping[str, Any], before: str) -> list[str]:
    found = []
    for key, value in table.items():
        with _of(before.rstrip(".")):
            _name(key)
        if isinstance(value, Mapping):
            found += _assignments(value, f"{before}{key}.")
        else:
            with _of(f"{before}{key}"):
                found.append(f"{before}{key}={inline(value)}")
    return found


@contextmanager
def _of(key: str) -> Iterator[None]:
    """Errors of a value say whose it is."""
    try:
        yield
    except TypeError as error:
        raise TypeError(f"{key}: {error}" if key else str(error)) from None
    except _native.FrescoError as error:
        raise _native.fault(key, error.found, error.allowed, error.help) from None


def call(function: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """What pickled objects are made by."""
    return function(*arguments, **keywords)
