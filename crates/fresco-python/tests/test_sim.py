# SPDX-License-Identifier: MIT OR Apache-2.0
"""Scenarios and results: the same as the program's."""

import concurrent.futures
import copy
import json
import multiprocessing
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading
import time

import pytest
from conftest import SHORT

import fresco_dram as fresco


def test_the_result_is_the_programs(program):
    command = [program, "sim", "first", "--json"]
    for key, value in SHORT.items():
        command += ["--set", f"{key}={value}"]
    wanted = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    found = json.loads(fresco.sim("first", SHORT).to_json())
    assert found["schema"] == wanted["schema"]
    assert found["data"] == wanted["data"]
    assert found["provenance"]["machine_files"] == wanted["provenance"]["machine_files"]
    assert found["provenance"]["scenario"] == wanted["provenance"]["scenario"]


def test_data_is_what_the_json_has():
    result = fresco.sim("first", SHORT)
    assert result.data == json.loads(result.to_json())["data"]["scenarios"][0]


def test_threads_change_nothing():
    one, two = (fresco.sim("first", SHORT, threads=threads).to_json() for threads in (1, 2))
    assert one == two


def test_keywords_dicts_and_keys_with_dots_set_the_same():
    by_keys = fresco.Scenario("first", {"measure.operations": 300, "repetitions": 1})
    by_tables = fresco.Scenario("first", measure={"operations": 300}, repetitions=1)
    assert by_keys.to_toml() == by_tables.to_toml() == fresco.Scenario("first").set(by_keys_of()).to_toml()


def by_keys_of():
    return {"measure": {"operations": 300}, "repetitions": 1}


def test_a_scenario_made_in_python():
    made = {
        "name": "banks",
        "machine": "xeon-w3530",
        "repetitions": 2,
        "seed": 7,
        "measure": {"operations": 200},
        "sweep": {"corunners": [0, 1]},
        "task": [
            {"name": "chase", "program": "latency", "core": 0, "parameters": {"bytes": "1 MiB"}},
            {"name": "noise", "program": "random", "core": 1, "role": "background"},
        ],
    }
    scenario = fresco.Scenario(made)
    assert (scenario.name, scenario.points, scenario.runs, scenario.seed) == ("banks", 2, 4, 7)
    assert scenario.axes == {"corunners": ["0", "1"]} and scenario.machines == ["xeon-w3530"]
    # Its text is a scenario by itself.
    again = fresco.Scenario.from_toml(scenario.to_toml())
    assert fresco.sim(again).data == fresco.sim(scenario).data


def test_paths_are_files(tmp_path):
    file = tmp_path / "own.toml"
    file.write_text(fresco.Scenario("first", SHORT).to_toml())
    assert fresco.sim(file).data["scenario"] == "first"
    with pytest.raises(fresco.FrescoError, match="missing.toml"):
        fresco.Scenario(pathlib.Path(tmp_path) / "missing.toml")


@pytest.mark.parametrize(
    ("scenario", "overrides", "parts"),
    [
        ("firsst", {}, {"help": 'did you mean "first"?'}),
        ("first", {"task.victim.core": 99}, {"field": "task.victim.core", "allowed": "an integer from 0 to 3"}),
        ("first", {"measure.operationz": 3}, {"field": "measure.operationz"}),
        ("first", {"no key": 3}, {}),
        ({"name": "x"}, {}, {"found": "missing"}),
        ({}, {}, {}),
    ],
)
def test_wrong_input_has_the_programs_text(scenario, overrides, parts):
    with pytest.raises(fresco.FrescoError) as raised:
        fresco.Scenario(scenario, overrides)
    for name, text in parts.items():
        assert text in getattr(raised.value, name), raised.value
        assert text in str(raised.value)


def test_a_line_of_a_text_is_told():
    text = fresco.Scenario("first").to_toml().replace("xeon-w3530", "xeon-w3531")
    with pytest.raises(fresco.FrescoError) as raised:
        fresco.Scenario.from_toml(text, name="mine.toml")
    assert (raised.value.file, raised.value.field) == ("mine.toml", "machine")
    assert text.splitlines()[raised.value.line - 1].startswith("machine")


@pytest.mark.parametrize("value", [object(), float("nan"), {1, 2}, 1j])
def test_values_that_are_no_toml(value):
    with pytest.raises((TypeError, ValueError)):
        fresco.Scenario("first", measure={"operations": value})


@pytest.mark.parametrize(("value", "text"), [(float("inf"), "found inf"), (None, "found None"), (b"x", "found b'x'")])
def test_wrong_values_have_their_key(value, text):
    for call in (lambda: fresco.Scenario("first", {"measure.operations": value}), lambda: fresco.Scenario({"measure": {"operations": value}})):
        with pytest.raises((TypeError, fresco.FrescoError), match=f"measure.operations|operations: {text}"):
            call()
    with pytest.raises(TypeError, match="a list of"):
        fresco.sim("first", "repetitions=1")


def test_what_was_run_can_be_run_again():
    result = fresco.sim("first", SHORT, seed=3)
    command = result.provenance["command"]
    assert command.startswith("fresco_dram.sim('first', [") and result.provenance["revision"]
    again = eval(command, {"fresco_dram": fresco})
    assert (again.data, again.provenance) == (result.data, result.provenance)


def test_scenarios_are_pickled(repository):
    for scenario in (fresco.Scenario("first", seed=2), fresco.Scenario(repository / "scenarios/first.toml")):
        again = pickle.loads(pickle.dumps(scenario))
        assert again == scenario and hash(again) == hash(scenario) and again.to_toml() == scenario.to_toml()
        assert fresco.sim(copy.deepcopy(scenario), SHORT).data == fresco.sim(scenario, SHORT).data
    assert fresco.Scenario("first", seed=2) != fresco.Scenario("first")


def test_results_are_pickled():
    recorded = fresco.sim("first", SHORT, timelines=True)
    planned = fresco.sim(fresco.plan("table-5.2", method="aligned"), horizon_ns=64_000_000)
    for result in (recorded, planned):
        again = pickle.loads(pickle.dumps(result))
        assert again.to_json() == result.to_json() and str(again) == str(result)
        assert again.promises_kept == result.promises_kept
        assert len(again.observations) == len(result.observations)
    with pytest.raises(fresco.FrescoError, match="(?s)the pickled result: cannot be read: .*simulate it again"):
        fresco.Result._of("[]")


def test_processes_simulate():
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        good, bad = (pool.submit(fresco.sim, name, SHORT) for name in ("first", "fisrt"))
        assert good.result().data == fresco.sim("first", SHORT).data
        with pytest.raises(fresco.FrescoError, match="found no built-in scenario") as raised:
            bad.result()
        assert raised.value.help


def test_scenarios_are_equal_if_they_say_the_same(tmp_path, monkeypatch):
    scenario = fresco.Scenario("first").set(SHORT)
    again = fresco.Scenario.from_toml(scenario.to_toml())
    assert again == scenario and hash(again) == hash(scenario) and again != fresco.Scenario("first")
    assert fresco.Scenario.from_toml("# a remark\n" + scenario.to_toml()) == scenario
    assert fresco.Scenario("first").set({"seed": 1, "repetitions": 2}) == fresco.Scenario("first", seed=1).set(["repetitions = 2"])


def test_plans_are_equal_if_they_say_the_same(repository):
    plan = fresco.plan("table-5.2", method="aligned")
    other = fresco.plan(repository / "tasks/table-5.2.toml", method="aligned")
    assert plan == other == pickle.loads(pickle.dumps(plan)) and hash(plan) == hash(other)
    assert plan != fresco.plan("table-5.2", {"name": "other"}, method="aligned") and plan != 3


def test_a_machine_is_what_the_object_is(repository, tmp_path, monkeypatch):
    text = (repository / "machines/xeon-w3530.toml").read_text()
    monkeypatch.chdir(tmp_path)
    pathlib.Path("mine.toml").write_text(text)
    closed = {"memory.controller.page": "closed", "memory.controller.hit_cap": 7}
    machines = [
        fresco.Machine("mine.toml"),
        fresco.Machine("mine.toml", closed),
        fresco.Machine("mine", text=text),
        fresco.Machine("xeon-w3530", closed),
        fresco.Machine("xeon-w3530"),
    ]
    assert machines[0] == machines[2] == machines[4] and machines[1] == machines[3]
    pathlib.Path("mine.toml").write_text(text.replace("cores = ", "cores = 1 # "))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    for machine in machines:
        wanted = fresco.sim("first", {**SHORT, **(closed if machine in machines[1::2] else {})}).data["points"]
        for scenario in (
            fresco.Scenario("first", SHORT, machine=machine),
            fresco.Scenario("first", machine=fresco.Machine("xeon-w3530", {"memory.controller.hit_cap": 3})).set({"machine": machine, **SHORT}),
        ):
            for same in (scenario, pickle.loads(pickle.dumps(scenario)), fresco.Scenario.from_toml(scenario.to_toml())):
                result = fresco.sim(same)
                assert same == scenario and same.machines == ["xeon-w3530"]
                (used,) = result.provenance["machine_files"]
                assert used == {"name": "xeon-w3530", "digest": machine.digest}
                found = result.data["points"]
                assert [point["runs"] for point in found] == [point["runs"] for point in wanted]
        given = fresco.sim({"name": "given", "machine": machine, **tables(), "task": [{"name": "chase", "program": "latency", "core": 0}]})
        assert given.provenance["machine_files"][0]["digest"] == machine.digest
    with pytest.raises(fresco.FrescoError, match="sweep.machine: found .*in a list"):
        fresco.Scenario("first", sweep={"machine": machines[:2]})


def tables():
    return {"repetitions": 1, "warm_up": {"operations": 100}, "measure": {"operations": 300}}


def test_the_program_takes_a_scenario_with_a_machine(program, tmp_path):
    scenario = fresco.Scenario("first", SHORT, machine=fresco.Machine("xeon-w3530", {"memory.controller.page": "closed"}))
    file = tmp_path / "own.toml"
    file.write_text(scenario.to_toml())
    told = json.loads(subprocess.run([program, "sim", file, "--json"], check=True, capture_output=True).stdout)
    assert told["data"]["scenarios"][0] == fresco.sim(scenario).data


def test_plans_of_machines_as_they_are(repository):
    """The plan has the machine, too."""
    text = (repository / "machines/ss-rtmc.toml").read_text()
    plan = fresco.plan("table-5.2", method="aligned", machine=fresco.Machine("mine", text=text))
    again = fresco.Plan.from_json(plan.to_json())
    again.check()
    assert again == plan


def test_relative_paths_stay_where_they_were(tmp_path, monkeypatch):
    (tmp_path / "there").mkdir()
    (tmp_path / "there/own.trace").write_text("".join(f"3 {number * 64}\n" for number in range(400)))
    made = {
        "name": "replayed",
        "machine": "xeon-w3530",
        **tables(),
        "task": [{"name": "replays", "program": "trace", "core": 0, "parameters": {"file": "own.trace"}}],
    }
    file = tmp_path / "there/own.toml"
    monkeypatch.chdir(tmp_path / "there")
    scenario = fresco.Scenario(made)
    file.write_text(scenario.to_toml().replace(str(tmp_path / "there"), "."))
    monkeypatch.chdir(tmp_path)
    read = fresco.Scenario("there/own.toml")
    monkeypatch.chdir("/")
    wanted = fresco.sim(scenario).data
    for one in (scenario, read, read.set(seed=1), pickle.loads(pickle.dumps(read)), fresco.Scenario.from_toml(read.to_toml())):
        assert fresco.sim(one).data["points"][0]["runs"] == wanted["points"][0]["runs"]
    assert fresco.Scenario.from_toml(read.to_toml()) == read


def test_what_asks_for_a_plan_is_planned(program, repository):
    result = fresco.sim("table-5.2", {"plan.method": "aligned"}, horizon_ns=64_000_000, seed=3)
    assert result.promises_kept and result.provenance["seed"] == 3
    command = [program, "sim", "table-5.2", "--set", "plan.method=aligned", "--horizon", "64 ms", "--seed", "3", "--json"]
    told = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    assert told["data"]["scenarios"][0] == result.data
    assert fresco.sim("table-5.2", {"plan.method": "aligned"}, from_switch_on=True, horizon_ns=64_000_000).data != result.data
    with pytest.raises(fresco.FrescoError, match="^seed=-1: seed: found the integer -1"):
        fresco.sim("table-5.2", seed=-1)
    with pytest.raises(fresco.FrescoError, match="omit mode_change_ns"):
        fresco.sim(fresco.plan("table-5.2", method="aligned"), mode_change_ns=1)
    with pytest.raises(fresco.FrescoError, match="from_switch_on: found with a scenario"):
        fresco.sim("first", from_switch_on=True)


def test_memory_grows_with_the_points_of_a_sweep():
    """Not with their square: 3,000 points took 650 MB."""
    # VmHWM: ru_maxrss counts what the process was before it was Python, a copy of this one.
    code = """import fresco_dram as fresco
fresco.Scenario({"name": "long", "machine": "xeon-w3530", "sweep": {"measure.operations": list(range(1, 3001))},
                 "task": [{"name": "chase", "program": "latency", "core": 0}]})
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))"""
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert int(told) < 250 << 10, told


def test_keys_are_texts():
    for call in (lambda: fresco.Scenario({"task": {1: 2}}), lambda: fresco.Scenario("first", {"task": {1: 2}}), lambda: fresco.Scenario({"task": [{"parameters": {1: 2}}]})):
        with pytest.raises(TypeError, match="^task.*found the key 1 of type int; allowed: str"):
            call()


def test_spans_are_recorded_where_they_are_asked_for():
    with pytest.raises(fresco.FrescoError, match="timelines=True"):
        fresco.sim("first", SHORT).spans
    assert len(fresco.sim("first", SHORT, timelines=True).spans) > 0


def test_so_many_threads_are_refused():
    with pytest.raises(fresco.FrescoError, match="threads: found 30000"):
        fresco.sim("first", threads=30000)


def test_figures_and_pages():
    result = fresco.sim("first", SHORT)
    assert {"first-time-victim", "first-latency-victim"} <= {figure.name for figure in result.figures}
    for figure in result.figures:
        assert figure.svg == figure._repr_svg_() and figure.svg.startswith("<svg")
    page = result.to_html()
    assert page.startswith("<!DOCTYPE html>") and "first" in page
    assert result._repr_html_().count("<iframe") == 1
    assert "slowdown" in str(result) and "seed     " in str(result)


def test_a_plan_and_its_run(repository):
    plan = fresco.plan(repository / "tasks/table-5.2.toml", {"memory.density": 8, "memory.density_scales_refresh_only": True}, method="crs")
    assert plan.method == "crs" and plan.reasons
    plan.check()
    result = fresco.sim(plan, horizon_ns=128_000_000)
    assert result.promises_kept and len(result.jobs) > 0
    assert result.data["scenario"] == plan.name


def test_a_plan_is_loaded_as_it_was_written(repository, tmp_path):
    plan = fresco.plan(repository / "tasks/table-5.2.toml", method="aligned")
    file = tmp_path / "plan.json"
    file.write_text(plan.to_json())
    again = fresco.Plan.load(str(file))
    assert again.data == plan.data and again.to_json() == plan.to_json()
    assert pickle.loads(pickle.dumps(plan)).to_json() == plan.to_json()
    with pytest.raises(fresco.FrescoError, match="change to a plan"):
        fresco.sim(again, repetitions=2)


def test_there_is_no_plan(repository):
    with pytest.raises(fresco.NoPlanError, match="there is no plan") as raised:
        fresco.plan(repository / "tasks/table-5.2.toml", {"task.0": {"wcet": "1 ms", "deadline": "1 ms"}}, method="crs")
    assert raised.value.file and raised.value.found.startswith("there is no plan: ")


def test_progress_is_told():
    told = []
    fresco.sim("first", repetitions=2, progress=lambda made, total: told.append((made, total)))
    assert told and told == sorted(told) and all(total == 16 for _, total in told)


def test_what_progress_raises_ends_the_run():
    def stop(made, total):
        raise RuntimeError("enough")

    begun = time.monotonic()
    with pytest.raises(RuntimeError, match="enough"):
        fresco.sim("first", {"measure.operations": 10_000_000}, progress=stop)
    assert time.monotonic() - begun < 20


def test_ctrl_c_ends_a_run():
    long = "import fresco_dram as f; f.sim('first', {'measure.operations': 100_000_000})"
    child = subprocess.Popen([sys.executable, "-c", long], stderr=subprocess.PIPE, text=True)
    time.sleep(1)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=30)
    assert "KeyboardInterrupt" in said and child.returncode != 0


def test_others_run_meanwhile():
    """The interpreter's lock is free: a thread counts while a run is made."""
    count, over = 0, threading.Event()

    def work():
        nonlocal count
        while not over.is_set():
            count += 1
            time.sleep(0.001)

    thread = threading.Thread(target=work)
    thread.start()
    fresco.sim("first", repetitions=2, threads=1)
    over.set()
    thread.join()
    assert count > 20


def test_runs_of_several_threads_do_not_meet():
    results = {}

    def work(seed):
        results[seed] = fresco.sim("first", SHORT, seed=seed, threads=1).data

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(1, 5)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    for seed in range(1, 5):
        assert results[seed] == fresco.sim("first", SHORT, seed=seed).data


def test_import_takes_less_than_100_ms():
    timed = "import time; t = time.perf_counter(); import fresco_dram; print(time.perf_counter() - t)"
    runs = [float(subprocess.run([sys.executable, "-c", timed], check=True, capture_output=True).stdout) for _ in range(5)]
    assert min(runs) < 0.1, runs


def test_no_data_frames_are_imported_unasked():
    names = "import sys, fresco_dram; print([n for n in ('numpy', 'pandas', 'polars', 'pyarrow') if n in sys.modules])"
    environment = {**os.environ, "PYTHONWARNINGS": "error"}
    found = subprocess.run([sys.executable, "-c", names], check=True, capture_output=True, text=True, env=environment)
    assert found.stdout.strip() == "[]"
