# SPDX-License-Identifier: MIT OR Apache-2.0
"""Scenarios, made of files, names, text or dicts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from . import _native
from ._values import assignments, document


class Scenario:
    """What is run: machine, tasks, policies.

    ``scenario`` is the name of a built-in one (see ``scenarios()``), the path of a file, or a dict as its TOML would have it.
    ``overrides`` and keywords set keys: ``Scenario("first", {"task.victim.core": 1}, repetitions=3)``; a dict is a table, so that
    ``policy={"frames": "palloc"}`` sets ``policy.frames``. ``overrides`` may also be a list of ``"key=value"``, as --set takes them. The key
    ``machine`` may be a ``Machine``, which is taken as it is, with its text and its changes, whatever becomes of its file. Relative paths are relative to
    the scenario's file, else to the working directory, as it is now. It is checked as a whole when it is made.
    """

    def __init__(
        self,
        scenario: str | os.PathLike[str] | Mapping[str, Any],
        overrides: Mapping[str, Any] | Iterable[str] | None = None,
        **keywords: Any,
    ):
        changes = assignments(overrides, keywords)
        if isinstance(scenario, Mapping):
            self._native = _native.Scenario.from_toml(document(scenario), "the scenario", "", changes)
        else:
            name = scenario if isinstance(scenario, str) else os.path.join(".", os.fspath(scenario))
            self._native = _native.Scenario(name, changes)

    @classmethod
    def _of(cls, native: _native.Scenario) -> Scenario:
        made = cls.__new__(cls)
        made._native = native
        return made

    @classmethod
    def from_toml(cls, text: str, *, name: str = "the scenario", directory: str | os.PathLike[str] = "") -> Scenario:
        """A scenario of a text in TOML. ``name`` is what errors call it; relative paths are relative to ``directory``."""
        return cls._of(_native.Scenario.from_toml(text, name, os.fspath(directory)))

    def set(self, overrides: Mapping[str, Any] | Iterable[str] | None = None, **keywords: Any) -> Scenario:
        """The same with further keys set."""
        return self._of(self._native.with_overrides(assignments(overrides, keywords)))

    def to_toml(self) -> str:
        """Its text in TOML, with what was set, which `fresco sim` takes, too.

        Relative paths of its machine and its traces are absolute in it. A machine that was given as a ``Machine`` with a text or with changes is written out.
        """
        return self._native.to_toml()

    @property
    def name(self) -> str:
        """Short name."""
        return self._native.name

    @property
    def title(self) -> str:
        """One line for people."""
        return self._native.title

    @property
    def axes(self) -> dict[str, list[str]]:
        """The axes of its sweep: for each its values, as written."""
        return dict(self._native.axes)

    @property
    def points(self) -> int:
        """Number of points of its sweep."""
        return self._native.points

    @property
    def runs(self) -> int:
        """Number of runs: of each point one for each repetition."""
        return self._native.runs

    @property
    def seed(self) -> int:
        """Seed of the first repetition."""
        return self._native.seed

    @property
    def machines(self) -> list[str]:
        """Names of its machines."""
        return self._native.machines

    def __reduce__(self) -> tuple[Any, ...]:
        return _of_parts, self._native._parts()

    def __eq__(self, other: object) -> bool:
        """Scenarios are equal if to_toml() has the same keys and values in the same order: remarks, and what was set how and where, do not count."""
        return isinstance(other, Scenario) and self._native == other._native

    def __hash__(self) -> int:
        return hash(self._native)

    def __repr__(self) -> str:
        return repr(self._native)

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(self.to_toml())}</pre>"


def _of_parts(text: str, name: str, directory: str, overrides: list[str]) -> Scenario:
    return Scenario._of(_native.Scenario.from_toml(text, name, directory, overrides))
