# SPDX-License-Identifier: MIT OR Apache-2.0
"""Tables by pandas, polars and pyarrow, and the files of the program read back by them."""

import subprocess

import pytest
from conftest import SHORT

import fresco_dram as fresco

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(scope="module")
def result():
    return fresco.sim("first", SHORT, timelines=True)


@pytest.fixture(scope="module")
def files(program, tmp_path_factory):
    """What the program writes of the same runs."""
    directory = tmp_path_factory.mktemp("tables")
    command = [program, "sim", "first", "--csv", directory, "--parquet", directory]
    for key, value in SHORT.items():
        command += ["--set", f"{key}={value}"]
    subprocess.run(command, check=True, capture_output=True)
    return directory


NAMES = ["observations", "latencies", "spans"]


@pytest.mark.parametrize("name", NAMES)
def test_all_readers_have_the_same_rows(result, files, name):
    table = getattr(result, name)
    wanted = table.to_arrow()
    assert wanted.num_rows == len(table) and wanted.column_names == table.columns
    assert parquet.read_table(files / f"{name}.parquet").equals(wanted)
    frame = table.to_polars()
    assert frame.equals(polars.read_parquet(files / f"{name}.parquet"))
    pandas.testing.assert_frame_equal(table.to_pandas(), pandas.read_parquet(files / f"{name}.parquet"))
    # CSV has no types: those of the other file stand for them.
    of_csv = polars.read_csv(files / f"{name}.csv", schema=frame.schema)
    assert of_csv.equals(frame)
    by_pandas = pandas.read_csv(files / f"{name}.csv")
    assert len(by_pandas) == len(table) and list(by_pandas.columns) == table.columns
    last = frame.columns[-1]
    pandas.testing.assert_series_equal(by_pandas[last], table.to_pandas()[last], check_dtype=False)


def test_units_stand_in_the_metadata_of_columns(result, files):
    for schema in (result.latencies.to_arrow().schema, parquet.read_schema(files / "latencies.parquet")):
        assert schema.field("up_to_ns").metadata == {b"unit": b"ns"}
        assert not schema.field("count").metadata
    units = result.observations.to_pandas().groupby("metric")["unit"].unique()
    assert units["run_time"].tolist() == ["ns"] and units["reads"].tolist() == ["count"]


def test_arrow_is_handed_over_without_copying(result):
    table = result.observations
    first, second = (pyarrow.table(table)["value"].chunk(0).buffers()[1].address for _ in range(2))
    assert first == second


def test_a_mean_as_the_documentation_computes_it():
    result = fresco.sim("palloc-fig4", {**SHORT, "sweep.corunners": [0, 3]})
    frame = result.observations.to_pandas()
    reads = frame[(frame.metric == "read_latency_mean") & (frame.task == "foreground")]
    table = reads.pivot_table(index="axis.corunners", columns="axis.policy", values="value")
    assert list(table.index) == [0, 3] and (table.loc[3] >= table.loc[0]).all()
