# SPDX-License-Identifier: MIT OR Apache-2.0
"""What the documentation shows works: the Python of its pages, and its notebooks, cell by cell."""

import os
import re

import pytest


@pytest.mark.parametrize("page", ["docs/python.md", "crates/fresco-python/README.md"])
def test_the_python_of_a_page(page, repository, monkeypatch):
    monkeypatch.chdir(repository)
    text = (repository / page).read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert blocks
    names = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)


def outputs(notebook):
    """What each cell shows as text, but for the revision of who shows it; pictures are other bytes with each version of what draws them."""
    def shown(output):
        text = output.get("text") or output.get("data", {}).get("text/plain")
        return text and re.sub(r"(fresco \d+\.\d+\.\d+) \([0-9a-f]+\)", r"\1", text)

    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    texts = [[shown(output) for output in cell.outputs] for cell in cells]
    return list(zip([cell.source for cell in cells], texts))


@pytest.mark.parametrize("name", ["workload", "policies", "maps"])
def test_a_notebook(name, repository, tmp_path):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("matplotlib")
    file = repository / f"docs/notebooks/{name}.ipynb"
    wanted = nbformat.read(file, as_version=4)
    again = nbformat.read(file, as_version=4)
    nbclient.NotebookClient(again, timeout=300, resources={"metadata": {"path": str(repository)}}).execute()
    if os.environ.get("FRESCO_BLESS"):
        nbformat.write(again, file)
    assert outputs(again) == outputs(wanted)
