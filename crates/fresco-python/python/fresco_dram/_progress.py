# SPDX-License-Identifier: MIT OR Apache-2.0
"""How far a run is, told where somebody watches."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator

from . import _native

# What is over sooner needs no line.
PATIENCE_S = 2.0
# Lines are not written more often.
EVERY_S = 0.5


def _is_watched() -> bool:
    return sys.stderr is not None and (sys.stderr.isatty() or "ipykernel" in sys.modules)


@contextlib.contextmanager
def shown(progress: Callable[[int, int], None] | bool) -> Iterator[Callable[[int, int], None] | None]:
    """What is told how many runs are made: ``progress`` itself, or a line on standard error after two seconds."""
    if callable(progress):
        yield progress
        return
    if not isinstance(progress, bool):
        raise _native.fault("progress", f"found {progress!r}", "True, False, or a function of two numbers: runs made, and all")
    if not progress or not _is_watched():
        yield None
        return
    begun = time.monotonic()
    last = begun
    width = 0

    def tell(made: int, total: int) -> None:
        nonlocal last, width
        now = time.monotonic()
        if now - begun < PATIENCE_S or now - last < EVERY_S:
            return
        last = now
        line = f"fresco: {made} of {total} runs, {now - begun:.0f} s"
        width = max(width, len(line))
        print(f"\r{line.ljust(width)}", end="", file=sys.stderr, flush=True)

    try:
        yield tell
    finally:
        if width:
            print("\r" + " " * width + "\r", end="", file=sys.stderr, flush=True)
