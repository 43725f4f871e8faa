# SPDX-License-Identifier: MIT OR Apache-2.0
"""Sweeps, run here or by any executor."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, overload

from . import _native
from ._progress import shown
from ._values import assignments, document


class Future(Protocol):
    """What ``submit`` returns."""

    def result(self) -> Any: ...


class Executor(Protocol):
    """What runs parts of a sweep: of concurrent.futures, Dask (``client.get_executor()``), submitit, or ``executors.Ray``."""

    def submit(self, fn: Any, /, *args: Any) -> Future: ...


@dataclass(frozen=True)
class SweepResult:
    """What there is of a sweep in a directory, when it was looked at. Tables are of the points of this sweep, of which there are results now."""

    directory: pathlib.Path
    points: int
    done: int
    failed: int
    missing: int
    _sweep: Sweep = field(repr=False, compare=False)

    def path(self, table: str = "observations") -> pathlib.Path:
        """The file of a table: "observations", "points", or another one that the sweep keeps.

        It is that in the directory, where tables of the sweep that was run last stand. If that was another sweep, or other points, the table
        is made in the folder ``tables-…`` there, from the stored results, and nothing is overwritten. Raises FrescoError if that cannot be done.
        """
        return self._sweep._native.table(self.directory, table)

    def to_pandas(self, table: str = "observations") -> Any:
        """A table as a pandas.DataFrame; see ``path``. Needs pandas and pyarrow."""
        import pandas

        return pandas.read_parquet(self.path(table))

    def to_polars(self, table: str = "observations") -> Any:
        """A table as a polars.DataFrame; see ``path``. Needs polars."""
        import polars

        return polars.read_parquet(self.path(table))


class Sweep:
    """Many points of a scenario, each run once, as ``fresco sweep`` runs them.

    ``sweep`` is the path of a file, or a dict as its TOML would have it; ``overrides`` and keywords set keys of it. ``sweep[i]`` has the
    values of a point, by axis, as text.
    """

    def __init__(
        self,
        sweep: str | os.PathLike[str] | Mapping[str, Any],
        overrides: Mapping[str, Any] | Iterable[str] | None = None,
        **keywords: Any,
    ):
        changes = assignments(overrides, keywords)
        self._made: tuple[str, tuple[Any, ...]]
        if isinstance(sweep, Mapping):
            # What workers read has to say what its paths are relative to.
            self._made = ("from_toml", (document(sweep), "the sweep", os.getcwd(), changes))
        else:
            self._made = ("load", (os.path.abspath(os.fspath(sweep)), changes))
        self._native = _make(self._made)

    @property
    def name(self) -> str:
        """Name of the sweep."""
        return self._native.name

    @property
    def axes(self) -> dict[str, str]:
        """The axes, each with the unit of its values; empty if they have none."""
        return dict(self._native.axes)

    def __len__(self) -> int:
        return len(self._native)

    @overload
    def __getitem__(self, number: int) -> dict[str, str | None]: ...

    @overload
    def __getitem__(self, number: slice) -> list[dict[str, str | None]]: ...

    def __getitem__(self, number: int | slice) -> dict[str, str | None] | list[dict[str, str | None]]:
        if isinstance(number, slice):
            return [self[one] for one in range(*number.indices(len(self)))]
        if not -len(self) <= number < len(self):
            raise IndexError(f"found point {number}; allowed: 0 to {len(self) - 1}")
        return self._native.point(number % len(self))[0]

    def __iter__(self) -> Iterator[dict[str, str | None]]:
        return (self[number] for number in range(len(self)))

    def settings(self, number: int) -> list[str]:
        """What a point sets in the scenario, each ``key=value``, as ``fresco sim --set`` takes it."""
        return self._native.point(number)[1]

    def run(
        self,
        out: str | os.PathLike[str],
        *,
        executor: Executor | None = None,
        shards: int = 8,
        threads: int = 0,
        retry_failed: bool = False,
        progress: Callable[[int, int], None] | bool = True,
    ) -> SweepResult:
        """Runs what is missing in the directory ``out``, and writes the tables.

        Without ``executor`` here, on ``threads`` threads, one per processor if 0. With one as ``shards`` parts, each a call by it, on one
        thread unless ``threads`` says otherwise: its workers have to see ``out`` and the sweep's files under the same paths. Parts that are
        lost are run by the next call; nothing is run twice that is there. Ctrl-C keeps what is stored. ``progress`` is that of ``sim``; with an
        executor nobody is told.
        """
        directory = os.path.abspath(os.fspath(out))
        if shards < 1:
            raise _native.fault("shards", f"found {shards}", "1 or more")
        if executor is None:
            with shown(progress) as tell:
                self._native.run_shard(directory, 0, 1, threads, retry_failed, tell)
        else:
            parts = range(min(shards, max(len(self), 1)))
            work = [
                executor.submit(_run_shard, self._made, directory, part, len(parts), threads or 1, retry_failed)
                for part in parts
            ]
            for future in work:
                future.result()
        self._native.merge(directory)
        return self.status(directory)

    def status(self, out: str | os.PathLike[str]) -> SweepResult:
        """What there is of it in a directory."""
        directory = os.path.abspath(os.fspath(out))
        found = self._native.status(directory)
        return SweepResult(
            pathlib.Path(directory), found["points"], found["done"], found["failed"], found["missing"], self
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _of_made, (self._made,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sweep) and self._made == other._made

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"<fresco_dram.Sweep {self.name}: {len(self)} points>"


def _of_made(made: tuple[str, tuple[Any, ...]]) -> Sweep:
    sweep = Sweep.__new__(Sweep)
    sweep._made, sweep._native = made, _make(made)
    return sweep


def _make(made: tuple[str, tuple[Any, ...]]) -> _native.Sweep:
    function, arguments = made
    native: _native.Sweep = getattr(_native.Sweep, function)(*arguments)
    return native


def _run_shard(made: Any, directory: str, part: int, of: int, threads: int, retry_failed: bool) -> tuple[int, ...]:
    """What a worker does, which has nothing but these."""
    return _make(made).run_shard(directory, part, of, threads, retry_failed)
