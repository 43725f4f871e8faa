# SPDX-License-Identifier: MIT OR Apache-2.0
"""Simulating and planning."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from . import _native
from ._progress import shown
from ._scenario import Scenario
from ._values import assignments


def _call(function: str, what: str, changes: list[str]) -> str:
    """The call, as the provenance of results tells it."""
    return f"fresco_dram.{function}({', '.join([repr(what), *([repr(changes)] if changes else [])])})"


def sim(
    scenario: str | os.PathLike[str] | Mapping[str, Any] | Scenario | _native.Plan,
    overrides: Mapping[str, Any] | Iterable[str] | None = None,
    *,
    threads: int = 0,
    timelines: bool = False,
    progress: Callable[[int, int], None] | bool = True,
    horizon_ns: int | None = None,
    **keywords: Any,
) -> _native.Result:
    """Runs a scenario, or a plan, on the model of its machine.

    ``scenario`` is what ``Scenario`` takes, a ``Scenario`` or a ``Plan``. ``overrides`` and keywords set keys of a scenario, as in
    ``Scenario``: ``sim("palloc-fig4", repetitions=5, sweep={"corunners": [0, 3]})``. ``seed`` is such a key; of a plan's run it is
    the seed of page frames and programs.

    ``threads`` runs are made at the same time, one per processor if 0; results do not depend on it, and more than there are processors take
    longer. With ``timelines`` who ran when is recorded of the first run of each of the first points, for ``spans`` and for the report, as by ``fresco
    sim --out``; of a plan it always is. ``progress`` is called with the
    numbers of runs made and of all, some times a second; if True a line is shown where somebody watches. ``horizon_ns`` is how long a
    plan runs, in ns; if omitted until everything repeats, within limits.

    Ctrl-C ends it within milliseconds, with KeyboardInterrupt. Raises FrescoError for wrong input.
    """
    if isinstance(scenario, _native.Plan):
        seed = keywords.pop("seed", 1)
        if keywords or overrides:
            unknown = [*(overrides or []), *keywords][0]
            raise _native.FrescoError(f"found a change to a plan: {unknown}\n  allowed: seed\n  help: plan anew with plan(…)")
        with shown(progress) as tell:
            return _native.simulate_plan(scenario, _call("sim", scenario.name, []), seed, horizon_ns, tell)
    if horizon_ns is not None:
        raise _native.FrescoError("horizon_ns: found with a scenario\n  allowed: with a plan\n  help: set measure and warm_up")
    changes = assignments(overrides, keywords)
    if not isinstance(scenario, Scenario):
        scenario = Scenario(scenario)
    native = scenario._native
    if changes:
        native = native.with_overrides(changes)
    with shown(progress) as tell:
        return _native.simulate(native, _call("sim", native.name, native.overrides), threads, timelines, tell)


def plan(
    scenario: str | os.PathLike[str],
    overrides: Mapping[str, Any] | Iterable[str] | None = None,
    *,
    method: str | None = None,
    **keywords: Any,
) -> _native.Plan:
    """Plans the tasks of a file or of a built-in scenario, and refresh with them.

    ``scenario`` is a name, or the path of a file. ``method`` is one of ``fresco plan --method``, such as "crs"; if omitted the best one that has a plan. ``overrides`` and keywords set
    keys, as in ``Scenario``. Raises NoPlanError if there is no plan, with the reason.
    """
    name = scenario if isinstance(scenario, str) else os.path.join(".", os.fspath(scenario))
    changes = assignments(overrides, keywords)
    if method is not None:
        changes.append(f"plan.method={method}")
    return _native.plan(name, _call("plan", name, changes), changes)
