# SPDX-License-Identifier: MIT OR Apache-2.0
"""Simulating and planning."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from . import _native
from ._progress import shown
from ._scenario import Scenario
from ._values import assignments, document


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
    from_switch_on: bool = False,
    mode_change_ns: int | None = None,
    **keywords: Any,
) -> _native.Result:
    """Runs a scenario, or a plan, on the model of its machine.

    ``scenario`` is what ``Scenario`` takes, a ``Scenario`` or a ``Plan``. What has ``[plan]``, as built-in task sets have, is planned, and the plan is run.
    ``overrides`` and keywords set keys of a scenario, as in
    ``Scenario``: ``sim("palloc-fig4", repetitions=5, sweep={"corunners": [0, 3]})``. ``seed`` is such a key; of a plan's run it is
    the seed of page frames and programs.

    ``threads`` runs are made at the same time, one per processor if 0; results do not depend on it, and more than there are processors take
    longer. With ``timelines`` who ran when is recorded of the first run of each of the first points, for ``spans`` and for the report, as by ``fresco
    sim --out``; of a plan it always is. ``progress`` is called with the
    numbers of runs made and of all, some times a second; if True a line is shown where somebody watches.

    Of plans alone: ``horizon_ns`` is how long it runs, in ns; if omitted until everything repeats, within limits. With ``from_switch_on`` it begins with the
    switch from ordinary refresh, not with refresh in its rhythm. ``mode_change_ns`` is when a plan of two criticality levels changes to high
    mode; if omitted it stays in low mode.

    Ctrl-C ends it within milliseconds, with KeyboardInterrupt. Raises FrescoError for wrong input, NoPlanError if there is no plan.
    """
    planned: _native.Plan | None = None
    called = ""
    changes: list[str] = []
    seed = 1
    if isinstance(scenario, _native.Plan):
        seed = keywords.pop("seed", 1)
        if keywords or overrides:
            raise _changed([*(overrides or []), *keywords][0])
        planned, called = scenario, scenario.name
    else:
        changes = assignments(overrides, keywords)
        if not isinstance(scenario, Scenario):
            text = document(scenario) if isinstance(scenario, Mapping) else None
            called = "the scenario" if isinstance(scenario, Mapping) else _named(scenario)
            kind = _native.kind(called, changes, text)
            if kind == "plan":
                if changes:
                    raise _changed(changes[0])
                planned = _native.Plan.load(called)
            elif kind == "planned":
                planned = _native.plan(called, _call("sim", called, changes), changes, text)
                seed = planned._seed
    if planned is not None:
        with shown(progress) as tell:
            command = _call("sim", called, changes)
            return _native.simulate_plan(planned, command, seed, horizon_ns, from_switch_on, mode_change_ns, tell)
    for name, given in [("horizon_ns", horizon_ns is not None), ("from_switch_on", from_switch_on), ("mode_change_ns", mode_change_ns is not None)]:
        if given:
            raise _native.fault(name, "found with a scenario", "with a plan", "omit it; keys of a scenario are measure and warm_up")
    if not isinstance(scenario, Scenario):
        assert not isinstance(scenario, _native.Plan)
        scenario = Scenario(scenario)
    native = scenario._native
    if changes:
        native = native.with_overrides(changes)
    with shown(progress) as tell:
        return _native.simulate(native, _call("sim", native.name, native.overrides), threads, timelines, tell)


def _changed(key: object) -> _native.FrescoError:
    return _native.fault("", f"found a change to a plan: {key}", "seed", "plan anew with plan(…)")


def _named(name_or_path: str | os.PathLike[str]) -> str:
    """A path as what is no name."""
    return name_or_path if isinstance(name_or_path, str) else os.path.join(".", os.fspath(name_or_path))


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
    name = _named(scenario)
    changes = assignments(overrides, keywords)
    if method is not None:
        changes.append(f"plan.method={method}")
    return _native.plan(name, _call("plan", name, changes), changes)
