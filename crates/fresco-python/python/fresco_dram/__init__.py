# SPDX-License-Identifier: MIT OR Apache-2.0
"""Fresco: DRAM of multicores at the level of DRAM commands, page coloring, plans of tasks and refresh.

    import fresco_dram as fresco

    result = fresco.sim("palloc-fig4", repetitions=1)
    result.observations.to_pandas()

Times are in ns where a name ends in ``_ns``, and in cycles of the memory's command clock in ``Memory``; sizes are in bytes.
What is wrong raises ``FrescoError``, with the text that the program ``fresco`` prints.
"""

from ._native import (
    AddressMap,
    Completion,
    Figure,
    FrescoError,
    Machine,
    Memory,
    NoPlanError,
    Plan,
    Result,
    Table,
    __version__,
    machines,
    scenarios,
    trace_requests,
)
from ._run import plan, sim
from ._scenario import Scenario
from ._sweep import Sweep, SweepResult

__all__ = [
    "AddressMap",
    "Completion",
    "Figure",
    "FrescoError",
    "Machine",
    "Memory",
    "NoPlanError",
    "Plan",
    "Result",
    "Scenario",
    "Sweep",
    "SweepResult",
    "Table",
    "__version__",
    "machines",
    "plan",
    "scenarios",
    "sim",
    "trace_requests",
]
