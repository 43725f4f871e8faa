# SPDX-License-Identifier: MIT OR Apache-2.0
"""The memory step by step and by arrays, and maps."""

import copy
import json
import pathlib
import pickle
import signal
import subprocess
import sys
import time

import numpy
import pytest

import fresco_dram as fresco

BENCH = "ddr4-2400-bench"
MACHINES = pathlib.Path(__file__).resolve().parents[3] / "machines"


def zeros(count, kind=numpy.uint64):
    return numpy.zeros(count, kind)


def random_lines(machine, count, seed=1):
    lines = numpy.random.default_rng(seed).integers(0, machine.memory_bytes // 64, count, dtype=numpy.uint64)
    return lines * numpy.uint64(64)


@pytest.fixture(scope="module")
def machine():
    return fresco.Machine(BENCH)


def test_one_read_of_an_idle_bank(machine):
    """One cycle of pipeline, the activation and the read (16 each) and four cycles of data."""
    memory = fresco.Memory(machine, check=True)
    assert memory.send(0x4000, tag=7)
    assert memory.outstanding == 1 and memory.tick_to(36) == []
    (done,) = memory.tick_to(37)
    assert (done.tag, done.address, done.write, done.arrived, done.at) == (7, 0x4000, False, 0, 37)
    assert memory.now == 37 and memory.outstanding == 0 and memory.verdict() is None
    assert memory.clock_ns == pytest.approx(0.8333, abs=1e-3) and memory.line_bytes == 64


def test_next_done_stops_where_something_is_done(machine):
    memory = fresco.Memory(machine)
    memory.send(0, tag=1)
    memory.send(1 << 20, tag=2)
    assert memory.next_done(10) is None and memory.now == 10
    first = memory.next_done(1000)
    assert first.at == memory.now < 1000
    assert [first.tag, *(done.tag for done in memory.tick_to(1000))] == [1, 2]


def test_what_has_no_room_is_not_taken(machine):
    memory = fresco.Memory(machine, limit=2)
    assert [memory.send(line * 64) for line in range(3)] == [True, True, False]
    memory.tick_to(200)
    assert memory.send(64)


def test_arrays_are_what_the_program_does_with_a_trace(machine, program, tmp_path):
    count = 2000
    addresses, writes = random_lines(machine, count), numpy.random.default_rng(2).random(count) < 0.3
    lines = (f"{address:#x} {'W' if write else 'R'}\n" for address, write in zip(addresses, writes))
    trace = tmp_path / "random.trace"
    trace.write_text("".join(lines))
    command = [program, "memory", trace, "--machine", BENCH, "--outstanding", "16", "--json"]
    told = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["data"]
    memory = fresco.Memory(machine, check=True)
    ends = memory.run(zeros(count), addresses, writes, outstanding=16)
    assert memory.now == told["cycles"] and len(ends) == count and memory.verdict() is None
    (stats,) = memory.stats()
    assert stats["reads"] + stats["forwarded"] + stats["writes"] + stats["merged"] == count
    assert (stats["commands"]["RD"], stats["commands"]["WR"]) == (stats["reads"], stats["writes"])
    # And the arrays of the trace are those that it was written from.
    cycles, read_back, written = fresco.trace_requests(str(trace))
    assert (read_back == addresses).all() and (written == writes).all() and not cycles.any()


def test_steps_and_arrays_agree(machine):
    count = 500
    addresses = random_lines(machine, count)
    cycles = numpy.arange(count, dtype=numpy.uint64) * numpy.uint64(50)
    by_arrays = fresco.Memory(machine).run(cycles, addresses, zeros(count, bool))
    memory, ends = fresco.Memory(machine), {}
    for tag, (cycle, address) in enumerate(zip(cycles.tolist(), addresses.tolist())):
        ends.update((done.tag, done.at) for done in memory.tick_to(cycle))
        assert memory.send(address, tag=tag)
    ends.update((done.tag, done.at) for done in memory.drain())
    assert [ends[tag] for tag in range(count)] == by_arrays.tolist()


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda memory: memory.send(1 << 60), "no memory"),
        (lambda memory: memory.tick_to(1 << 61), "allowed: up to"),
        (lambda memory: memory.run(zeros(2), zeros(3), zeros(2, bool)), "arrays of one length"),
        (lambda memory: memory.run(zeros(1), zeros(1), zeros(1, bool), outstanding=0), "1 or more"),
        (lambda memory: memory.run(numpy.array([0, 10**15], numpy.uint64), zeros(2), zeros(2, bool)), "request 1: .*from one request to the next"),
        (lambda memory: memory.verdict(), "check=True"),
    ],
)
def test_wrong_use(machine, call, text):
    memory = fresco.Memory(machine)
    with pytest.raises(fresco.FrescoError, match=text):
        call(memory)
    # It goes on as before.
    assert memory.send(0, tag=3) and memory.drain()[0].tag == 3


def test_a_wrong_request_is_named(machine):
    addresses = zeros(5)
    addresses[3] = 1 << 60
    with pytest.raises(fresco.FrescoError, match="request 3: "):
        fresco.Memory(machine).run(zeros(5), addresses, zeros(5, bool))


def test_limits(machine):
    with pytest.raises(fresco.FrescoError, match="limit"):
        fresco.Memory(machine, limit=0)
    with pytest.raises(OverflowError):
        fresco.Memory(machine, limit=-1)


def test_numbers_of_any_width_are_taken(machine):
    cycles, addresses, writes = [0, 700, 800], [64, 0, 4096], [False, True, False]
    ends = fresco.Memory(machine).run(*map(numpy.asarray, (cycles, addresses, writes))).tolist()
    assert ends == fresco.Memory(machine).run(cycles, addresses, writes).tolist()
    assert ends == fresco.Memory(machine).run(numpy.array(cycles, ">u2"), numpy.array(addresses, "i4"), writes).tolist()
    assert machine.map.bank_colors([0, 4096]).tolist() == machine.map.bank_colors(numpy.array([0, 4096])).tolist()


@pytest.mark.parametrize(
    ("arrays", "text"),
    [
        (([0.5], [0], [False]), "cycles: found an array of float64"),
        (([0], [-64], [False]), "addresses: found an array of int64 .*the least of which is -64"),
        (([0], [[0]], [False]), "addresses: found an array of int64 and shape .1, 1."),
        (([0], [0], [1]), "writes: found an array of int64"),
    ],
)
def test_wrong_arrays_are_named(machine, arrays, text):
    with pytest.raises(fresco.FrescoError, match=text) as raised:
        fresco.Memory(machine).run(*arrays)
    assert raised.value.field == "" and raised.value.line is None


def test_arrivals(machine):
    """Reads of one bank's rows, at most two under way: each waits for the one before the last, and not in the memory."""
    addresses = [row << 20 for row in range(6)]
    arrived, done = fresco.Memory(machine).run([0] * 6, addresses, [False] * 6, outstanding=2, arrivals=True)
    assert done.tolist() == fresco.Memory(machine).run([0] * 6, addresses, [False] * 6, outstanding=2).tolist()
    assert arrived[:2].tolist() == [0, 1] and (arrived[2:] == done[:-2]).all()


def test_long_gaps_change_nothing(machine):
    """Time is moved on in steps of 2^26 cycles."""
    memory = fresco.Memory(machine)
    ends = memory.run([0, 0, 10**8, 10**8 + 3], [0, 64, 128, 64], [False] * 4).tolist()
    stepped, known = fresco.Memory(machine), []
    for cycle, address in [(0, 0), (1, 64), (10**8, 128), (10**8 + 3, 64)]:
        known += [done.at for done in stepped.tick_to(cycle)]
        stepped.send(address)
    assert ends == known + [done.at for done in stepped.drain()]


@pytest.mark.parametrize(
    "call", ["tick_to(1 << 59)", "next_done(1 << 59)", "run([0, 1 << 59], [0, 64], [False] * 2)"], ids=lambda call: call[:4]
)
def test_ctrl_c_ends_what_waits(call):
    code = f"""import fresco_dram as fresco
memory = fresco.Memory(fresco.Machine({BENCH!r}))
print("begun", flush=True)
try:
    memory.{call}
except KeyboardInterrupt:
    # It goes on.
    memory.drain()
    print(memory.send(0))"""
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "begun\n"
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    told, _ = child.communicate(timeout=20)
    assert told == "True\n" and child.returncode == 0


def test_no_requests(machine):
    memory = fresco.Memory(machine)
    assert len(memory.run(zeros(0), zeros(0), zeros(0, bool))) == 0 and memory.drain() == []


@pytest.mark.parametrize("name", fresco.machines())
def test_places_lead_back_to_their_addresses(name):
    machine = fresco.Machine(name)
    places = None
    addresses = numpy.array([region["base"] for region in machine.map.regions], dtype=numpy.uint64)
    places = machine.map.decode(addresses)
    for number, address in enumerate(addresses.tolist()):
        place = {field: int(numbers[number]) for field, numbers in places.items()}
        assert machine.map.encode(**place) == address
    colors = machine.map.bank_colors(addresses)
    assert (colors < machine.map.bank_color_count).all()
    assert all(machine.map.banks(int(color)) for color in colors)


def test_colors_of_the_machine_of_palloc():
    colors = fresco.Machine("xeon-w3530").map
    assert colors.bank_color_count == 16
    pages = numpy.arange(0, 1 << 22, 4096, dtype=numpy.uint64)
    assert set(colors.bank_colors(pages).tolist()) <= set(range(16))
    with pytest.raises(fresco.FrescoError, match="allowed: 0 to 15"):
        colors.banks(16)
    with pytest.raises(fresco.FrescoError, match="no memory"):
        colors.decode(numpy.array([1 << 60], dtype=numpy.uint64))
    with pytest.raises(fresco.FrescoError, match="row: found"):
        colors.encode(row=1 << 30)


def test_a_changed_machine():
    assert fresco.Machine(BENCH, {"cores": 2}).cores == 2
    assert fresco.Machine(BENCH, ["cores=2"]) == fresco.Machine(BENCH, {"cores": 2}) != fresco.Machine(BENCH)
    with pytest.raises(fresco.FrescoError, match="xeon-w3530"):
        fresco.Machine("xeon-w353")


def test_a_machine_of_a_text(program, tmp_path):
    text = subprocess.run([program, "machine", "show", BENCH, "--toml"], check=True, capture_output=True, text=True).stdout
    machine = fresco.Machine("mine", {"cores": 2}, text=text)
    path = tmp_path / "mine.toml"
    path.write_text(text)
    assert machine.cores == 2 and machine == fresco.Machine(path, {"cores": 2})
    with pytest.raises(fresco.FrescoError, match="nonsense") as raised:
        fresco.Machine("mine", text=text + "\n[nonsense]\na = 1\n")
    assert raised.value.file == "mine"
    with pytest.raises(fresco.FrescoError, match="(?s)machine: found .*write its text to a file"):
        fresco.Scenario("first", machine=machine)
    assert fresco.Scenario("first", machine=fresco.Machine("xeon-w3530")).machines == ["xeon-w3530"]


def test_machines_and_maps_are_pickled(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(MACHINES.joinpath(f"{BENCH}.toml").read_text())
    for machine in (fresco.Machine(BENCH, {"cores": 2}), fresco.Machine(path)):
        again = pickle.loads(pickle.dumps(machine))
        assert again == machine and hash(again) == hash(machine) and copy.deepcopy(machine) == machine
        assert pickle.loads(pickle.dumps(machine.map)) == machine.map
        path.unlink(missing_ok=True)
    assert machine.map != fresco.Machine("xeon-w3530").map
