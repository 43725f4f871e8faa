# SPDX-License-Identifier: MIT OR Apache-2.0
"""Executors for ``Sweep.run`` that are not those of ``concurrent.futures``.

Dask needs none: ``distributed.Client(…).get_executor()`` is one, whatever its cluster is, those of dask-jobqueue included. Neither does
submitit: ``submitit.AutoExecutor(folder=…)`` is one.
"""

from __future__ import annotations

from typing import Any


class Ray:
    """Runs each part as a task of Ray. ``options`` are those of ``ray.remote``, such as ``num_cpus``."""

    def __init__(self, **options: Any):
        import ray

        self._ray: Any = ray
        self._options = options

    def submit(self, fn: Any, /, *args: Any) -> _RayFuture:
        """Begins ``fn(*args)`` somewhere."""
        task = self._ray.remote(fn)
        if self._options:
            task = task.options(**self._options)
        return _RayFuture(self._ray, task.remote(*args))


class _RayFuture:
    def __init__(self, ray: Any, reference: Any):
        self._ray = ray
        self._reference = reference

    def result(self) -> Any:
        """Waits for the value, or raises what the task raised."""
        return self._ray.get(self._reference)
