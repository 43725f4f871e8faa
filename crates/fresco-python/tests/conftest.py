# SPDX-License-Identifier: MIT OR Apache-2.0
import os
import pathlib
import shutil

import pytest

SHORT = {"repetitions": 1, "warm_up.operations": 100, "measure.operations": 300}


@pytest.fixture(scope="session")
def program() -> str:
    """The program `fresco`, whose results are to be the same."""
    found = os.environ.get("FRESCO") or shutil.which("fresco")
    if not found:
        pytest.fail("FRESCO does not name the program")
    return found


@pytest.fixture(scope="session")
def repository() -> pathlib.Path:
    return pathlib.Path(__file__).resolve().parents[3]
