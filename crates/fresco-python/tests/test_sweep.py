# SPDX-License-Identifier: MIT OR Apache-2.0
"""Sweeps: the same points and the same tables wherever they are run."""

import concurrent.futures
import multiprocessing
import pickle
import subprocess

import pytest

import fresco_dram as fresco

pandas = pytest.importorskip("pandas")
parquet = pytest.importorskip("pyarrow.parquet")

SWEEP = {
    "name": "small",
    "scenario": "first",
    "set": {
        "repetitions": 1,
        "measure": {"operations": 100},
        "warm_up": {"operations": 0},
        "task": {"victim": {"parameters": {"bytes": "64 KiB"}}},
    },
    "grid": {"seed": [1, 2, 3], "memory": {"controller": {"page": ["open", "closed"]}}},
}


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """The tables of a run on this process's threads."""
    out = tmp_path_factory.mktemp("here")
    result = fresco.Sweep(SWEEP).run(out, progress=False)
    assert (result.points, result.done, result.failed, result.missing) == (6, 6, 0, 0)
    return result


def same(result, here):
    for table in ("observations", "points"):
        assert result.path(table).read_bytes() == here.path(table).read_bytes()


def test_the_points():
    sweep = fresco.Sweep(SWEEP)
    assert len(sweep) == 6 and sweep.axes == {"seed": "", "memory.controller.page": ""}
    assert sweep[0] == {"seed": "1", "memory.controller.page": "open"}
    assert sweep[-1] == {"seed": "3", "memory.controller.page": "closed"} == list(sweep)[5]
    assert sweep.settings(1)[-1].replace(" ", "") == 'memory.controller.page="closed"'
    assert len(fresco.Sweep(SWEEP, grid={"seed": [7]})) == 2
    assert sweep[1:3] == [sweep[1], sweep[2]] and sweep[::-4] == [sweep[5], sweep[1]]
    with pytest.raises(IndexError):
        sweep[6]
    again = pickle.loads(pickle.dumps(sweep))
    assert again == sweep and list(again) == list(sweep)


def test_axes_keep_their_order(tmp_path):
    whole = {"seed": {"from": 1, "to": 1000, "step": 1}, "memory": {"controller": {"page": ["open", "closed"]}}, "measure.operations": [1, 2]}
    toml = "seed = { from = 1, to = 1000, step = 1 }\nmemory.controller.page = ['open', 'closed']\n\"measure.operations\" = [1, 2]\n"
    for heading, sweep in (("grid", {"grid": whole}), ("random]\nsamples = 3\n[random.over", {"random": {"over": whole, "samples": 3}})):
        path = tmp_path / "s.toml"
        path.write_text(f"scenario = 'first'\n[{heading}]\n{toml}")
        made, read = fresco.Sweep({"scenario": "first", **sweep}), fresco.Sweep(path)
        assert list(made.axes) == list(read.axes) == ["seed", "memory.controller.page", "measure.operations"]
        assert len(made) == len(read) and all(made[number] == read[number] for number in range(min(len(read), 9)))


@pytest.mark.parametrize("seeds", [range(3), {"from": 0, "to": 2, "step": 1}, (0, 1, 2)])
def test_values_of_an_axis(seeds):
    sweep = fresco.Sweep({"scenario": "first", "grid": {"seed": seeds}})
    assert [sweep[number] for number in range(len(sweep))] == [{"seed": "0"}, {"seed": "1"}, {"seed": "2"}]


def test_lists_are_no_longer_than_sweeps():
    with pytest.raises(fresco.FrescoError, match="found a list of 1000000000 values") as raised:
        fresco.Sweep({"scenario": "first", "grid": {"seed": range(10**9)}})
    assert raised.value.field == "grid.seed" and "random" in raised.value.help


def test_tables(here):
    frame = here.to_pandas()
    assert frame["axis.seed"].dtype == "int64" and set(frame["axis.seed"]) == {1, 2, 3}
    assert set(frame["axis.memory.controller.page"]) == {"open", "closed"}
    polars = pytest.importorskip("polars")
    assert here.to_polars("points").height == 6
    assert here.to_polars().filter(polars.col("metric") == "slowdown").height > 0


def test_it_is_the_programs(here, program, tmp_path):
    from fresco_dram._values import document

    file = tmp_path / "small.toml"
    file.write_text(document(SWEEP))
    subprocess.run([program, "sweep", file, "--out", tmp_path / "out"], check=True, capture_output=True)
    assert parquet.read_table(tmp_path / "out/observations.parquet").equals(parquet.read_table(here.path()))
    # What is there is not run again, whoever ran it.
    again = fresco.Sweep(file)._native.run_shard(str(tmp_path / "out"))
    assert again == (6, 6, 0, 0)


def test_processes(here, tmp_path):
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        same(fresco.Sweep(SWEEP).run(tmp_path, executor=pool), here)


def test_threads(here, tmp_path):
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        same(fresco.Sweep(SWEEP).run(tmp_path, executor=pool, shards=3), here)


def test_dask(here, tmp_path):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            same(fresco.Sweep(SWEEP).run(tmp_path, executor=client.get_executor()), here)


def test_submitit(here, tmp_path):
    submitit = pytest.importorskip("submitit")
    executor = submitit.AutoExecutor(folder=tmp_path / "jobs", cluster="local")
    executor.update_parameters(timeout_min=5)
    same(fresco.Sweep(SWEEP).run(tmp_path / "out", executor=executor, shards=2), here)


def test_ray(here, tmp_path):
    ray = pytest.importorskip("ray")
    from fresco_dram.executors import Ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        same(fresco.Sweep(SWEEP).run(tmp_path, executor=Ray(num_cpus=1), shards=2), here)
    finally:
        ray.shutdown()


def test_each_sweep_gets_its_own_tables(here, tmp_path):
    """The tables of a directory are those of the sweep that was run there last."""
    first, second = fresco.Sweep(SWEEP), fresco.Sweep(SWEEP, grid={"seed": [7]})
    result = first.run(tmp_path, progress=False)
    other = second.run(tmp_path, progress=False)
    assert set(other.to_pandas()["axis.seed"]) == {7} and other.path().parent == tmp_path
    for found in (result, first.status(tmp_path), pickle.loads(pickle.dumps(result))):
        assert found == result and found.done == 6
        same(found, here)
        assert set(found.to_pandas()["axis.seed"]) == {1, 2, 3}
        assert set(found.to_polars("points")["axis.seed"]) == {1, 2, 3}
    assert set(other.to_pandas()["axis.seed"]) == {7} and other.path().parent == tmp_path
    first.run(tmp_path, progress=False)
    assert set(second.status(tmp_path).to_pandas()["axis.seed"]) == {7} and result.path().parent == tmp_path
    # What somebody else wrote in their place is none of it.
    result.path().write_bytes(other.path().read_bytes())
    assert set(result.to_pandas()["axis.seed"]) == {1, 2, 3}
    with pytest.raises(fresco.FrescoError, match="table: found \"jobs\"") as raised:
        result.path("jobs")
    assert raised.value.allowed == "observations, points"


def test_tables_are_of_what_there_is(tmp_path):
    sweep = fresco.Sweep(SWEEP)
    sweep._native.run_shard(str(tmp_path), 0, 2)
    some = sweep.status(tmp_path)
    assert 0 < some.done < 6 and (some.to_pandas("points")["status"] == "done").sum() == some.done
    sweep._native.run_shard(str(tmp_path), 1, 2)
    assert (some.to_pandas("points")["status"] == "done").sum() == 6
    with pytest.raises(fresco.FrescoError, match="found no sweep"):
        sweep.status(tmp_path / "none")


def test_a_directory_is_where_it_was(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sweep = fresco.Sweep(SWEEP)
    sweep.run("out", progress=False)
    found = sweep.status("out")
    monkeypatch.chdir("/")
    assert found.directory == tmp_path / "out" and len(found.to_pandas("points")) == 6


def test_progress_is_a_function_or_whether(tmp_path):
    told = []
    fresco.Sweep(SWEEP, grid={"seed": [1]}, set={"measure": {"operations": 20000}}).run(tmp_path, progress=lambda *both: told.append(both))
    assert told and told == sorted(told) and all(total == 2 for _, total in told)
    with pytest.raises(fresco.FrescoError, match="progress: found 'x'"):
        fresco.Sweep(SWEEP).run(tmp_path, progress="x")


def test_a_machine_as_it_is(tmp_path, repository):
    file = tmp_path / "mine.toml"
    file.write_text((repository / "machines/xeon-w3530.toml").read_text())
    machine = fresco.Machine(file, {"memory.controller.hit_cap": 7})
    file.unlink()
    sweep = fresco.Sweep({**SWEEP, "grid": {"seed": [1]}, "set": {**SWEEP["set"], "machine": machine}})
    result = pickle.loads(pickle.dumps(sweep)).run(tmp_path / "out", progress=False)
    assert (result.done, result.failed) == (1, 0)


def test_a_part_that_is_lost_is_run_by_the_next_call(here, tmp_path):
    class Loses:
        """An executor whose first part fails."""

        def __init__(self):
            self.calls = 0

        def submit(self, fn, *args):
            self.calls += 1
            future = concurrent.futures.Future()
            if self.calls == 1:
                future.set_exception(OSError("the node is gone"))
            else:
                future.set_result(fn(*args))
            return future

    sweep = fresco.Sweep(SWEEP)
    with pytest.raises(OSError, match="the node is gone"):
        sweep.run(tmp_path, executor=Loses(), shards=3)
    assert sweep.status(tmp_path).missing == 2
    same(sweep.run(tmp_path, progress=False), here)


def test_points_that_fail_are_results(tmp_path):
    fails = {**SWEEP, "grid": {"task": {"victim": {"parameters": {"bytes": ["64 KiB", "900 GiB"]}}}}}
    del (made := {**fails, "set": {"repetitions": 1, "measure": {"operations": 100}, "warm_up": {"operations": 0}}})["name"]
    result = fresco.Sweep(made).run(tmp_path, progress=False)
    assert (result.done, result.failed, result.missing) == (1, 1, 0)
    points = result.to_pandas("points")
    assert points["error"].notna().sum() == 1


@pytest.mark.parametrize("wrong", [{}, {"scenario": "firsst"}, {"scenario": "first", "grid": {"seed": []}}])
def test_wrong_input(wrong, tmp_path):
    with pytest.raises(fresco.FrescoError):
        fresco.Sweep(wrong).run(tmp_path / "out", progress=False)


def test_wrong_parts(tmp_path):
    sweep = fresco.Sweep(SWEEP)._native
    with pytest.raises(fresco.FrescoError, match="part 3 of 3"):
        sweep.run_shard(str(tmp_path), 3, 3)
    with pytest.raises(fresco.FrescoError, match="shards: found 0"):
        fresco.Sweep(SWEEP).run(tmp_path, shards=0)
    with pytest.raises(fresco.FrescoError, match="from 0 to 5"):
        sweep.point(6)
