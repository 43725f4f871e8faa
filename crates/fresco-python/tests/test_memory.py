# SPDX-License-Identifier: MIT OR Apache-2.0
"""The memory step by step and by arrays, and maps."""

import copy
import json
import pathlib
import pickle
import re
import signal
import subprocess
import sys
import threading
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
        (lambda memory: memory.tick_to(1 << 61), "allowed: an integer from 0 to"),
        (lambda memory: memory.run(zeros(2), zeros(3), zeros(2, bool)), "arrays of one length"),
        (lambda memory: memory.run(zeros(1), zeros(1), zeros(1, bool), outstanding=0), "an integer from 1 to"),
        (lambda memory: memory.run(numpy.array([0, 10**15], numpy.uint64), zeros(2), zeros(2, bool)), r"request 1: cycle: found 10{15}, .*\n.*from one request to the next"),
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


@pytest.mark.parametrize(
    ("call", "field", "allowed"),
    [
        (lambda f, m: f.Memory(m, limit=0), "limit", "an integer from 1 to 4294967295"),
        (lambda f, m: f.Memory(m, limit=-1), "limit", "an integer from 1 to 4294967295"),
        (lambda f, m: f.Memory(m).send(-1), "address", "an integer from 0 to 2^64 - 1"),
        (lambda f, m: f.Memory(m).send(0, tag=-1), "tag", "an integer from 0 to 2^64 - 1"),
        (lambda f, m: f.Memory(m).send(1 << 60), "address", ""),
        (lambda f, m: f.Memory(m).tick_to(1 << 63), "cycle", "an integer from 0 to"),
        (lambda f, m: f.Memory(m).next_done(1 << 65), "until", "an integer from 0 to"),
        (lambda f, m: f.Memory(m).run([], [], [], outstanding=-1), "outstanding", "an integer from 1 to 2^64 - 1"),
        (lambda f, m: f.Memory(m).run([0], [1 << 60], [False]), "request 0: address", ""),
        (lambda f, m: f.Memory(m).run([1 << 63], [0], [False]), "request 0: cycle", "up to"),
        (lambda f, m: f.Memory(m).verdict(), "check", ""),
        (lambda f, m: m.map.encode(row=-1), "row", "an integer from 0 to"),
        (lambda f, m: m.map.encode(row=10**9), "row", "an integer from 0 to"),
        (lambda f, m: m.map.banks(-1), "bank_color", "an integer from 0 to"),
        (lambda f, m: m.map.decode([1 << 60]), "addresses", ""),
        (lambda f, m: f.trace_requests("x", limit=-1), "limit", "an integer from 0 to 2^64 - 1"),
        (lambda f, m: f.sim("first", threads=-1), "threads", "an integer from 0 to 1024"),
        (lambda f, m: f.sim("first", threads=9999), "threads", "an integer from 0 to 1024"),
        (lambda f, m: f.sim("first", horizon_ns=3), "horizon_ns", "with a plan"),
        (lambda f, m: f.sim("first", progress="x"), "progress", "True, False"),
        (lambda f, m: f.sim("first", {"measure.operations": float("nan")}), "measure.operations", "a finite number"),
        (lambda f, m: f.Scenario({"measure": {"operations": float("nan")}}), "measure.operations", "a finite number"),
    ],
)
def test_errors_have_their_parts(machine, call, field, allowed):
    with pytest.raises(fresco.FrescoError) as raised:
        call(fresco, machine)
    error = raised.value
    assert (error.file, error.line, error.field) == ("", None, field) and error.allowed.startswith(allowed)
    assert error.found and str(error).startswith(f"{field}: {error.found}") and ("allowed:" in str(error)) == bool(allowed)


def test_what_is_no_number_is_named(machine):
    with pytest.raises(TypeError, match="'str' object.*(?s:.)*'tag'"):
        fresco.Memory(machine).send(0, tag="x")


def test_a_memory_is_for_one_thread(machine):
    memory = fresco.Memory(machine)
    begun = threading.Event()

    def run():
        begun.set()
        memory.run(zeros(200_000), random_lines(machine, 200_000), zeros(200_000, bool))

    thread = threading.Thread(target=run)
    thread.start()
    begun.wait()
    refused = None
    while thread.is_alive() and refused is None:
        try:
            memory.now
        except fresco.FrescoError as error:
            refused = error
    thread.join()
    assert refused.found == "this memory is running in another thread" and memory.now > 0


def test_arrays_are_those_of_the_beginning(machine):
    """Another thread resizes and overwrites them while they are run."""
    code = f"""import threading
import numpy
import fresco_dram as fresco
count = 300_000
cycles, writes = numpy.zeros(count, numpy.uint64), numpy.zeros(count, bool)
addresses = numpy.random.default_rng(1).integers(0, 1 << 20, count, dtype=numpy.uint64) * numpy.uint64(64)
machine = fresco.Machine({BENCH!r})
wanted = fresco.Memory(machine).run(cycles.copy(), addresses.copy(), writes.copy())
memory = fresco.Memory(machine)
found = []
thread = threading.Thread(target=lambda: found.append(memory.run(cycles, addresses, writes)))
thread.start()
while thread.is_alive():
    try:
        memory.now
    except fresco.FrescoError:
        break
addresses[count // 2:] = 0
for array in (cycles, addresses, writes):
    array.resize(1, refcheck=False)
others = [numpy.full(count, 7, numpy.uint64) for _ in range(8)]
thread.join()
print((found[0] == wanted).all())"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (told.returncode, told.stdout) == (0, "True\n"), told.stderr


def test_draining_is_an_end_of_its_own(machine):
    """Buffered writes are written at once, before reads that wait: a read behind them is done later than by next_done()."""
    def sent():
        memory = fresco.Memory(machine)
        for number in range(8):
            memory.send(number << 20, write=True, tag=number)
        memory.send(64 << 20, tag=100)
        return memory

    drained = sent()
    by_drain = {done.tag: done.at for done in drained.drain()}
    waited, by_waiting = sent(), {}
    while (done := waited.next_done(10**6)) is not None:
        by_waiting[done.tag] = done.at
    assert by_drain.keys() == by_waiting.keys() and by_drain[100] > by_waiting[100]
    assert drained.stats()[0]["writes"] == 8


def test_numbers_of_any_width_are_taken(machine):
    cycles, addresses, writes = [0, 700, 800], [64, 0, 4096], [False, True, False]
    ends = fresco.Memory(machine).run(*map(numpy.asarray, (cycles, addresses, writes))).tolist()
    assert ends == fresco.Memory(machine).run(cycles, addresses, writes).tolist()
    assert ends == fresco.Memory(machine).run(numpy.array(cycles, ">u2"), numpy.array(addresses, "i4"), writes).tolist()
    assert machine.map.bank_colors([0, 4096]).tolist() == machine.map.bank_colors(numpy.array([0, 4096])).tolist()


@pytest.mark.parametrize(
    ("arrays", "text", "help"),
    [
        (([0.5], [0], [False]), "cycles: found an array of float64 .*with fractions", "round"),
        (([float("nan")], [0], [False]), "cycles: found .*not finite", "numpy.isfinite"),
        (([-1.0], [0], [False]), "cycles: found .*the least of which is -1.0", "negative"),
        (([2.0], [0], [False]), "cycles: found an array of float64", "loses nothing"),
        (([2.0**60], [0], [False]), "cycles: found an array of float64", "2.53"),
        (([0], [-64], [False]), "addresses: found an array of int64 .*the least of which is -64", "negative"),
        (([0], [[0]], [False]), "addresses: found an array of int64 and shape .1, 1.", "x.ravel"),
        (([0], 0, [False]), "addresses: found an array of int64 and shape ..", "give .x."),
        (([0], [[0], [0, 1]], [False]), "addresses: found what is no array", "one length"),
        (([0], ["0x40"], [False]), "addresses: found an array of <U4", "int.one, 0."),
        (([0], [1 << 70], [False]), "addresses: found an array of object", "too large"),
        (([0], [True], [False]), "addresses: found an array of bool", "numbers"),
        (([0], numpy.ma.array([64], mask=[True]), [False]), "addresses: found a masked array", "compressed"),
        (([0], [0], numpy.ma.array([True], mask=[True])), "writes: found a masked array", "compressed"),
        (([0], [0], [1]), "writes: found an array of int64", "x != 0"),
        (([0], [0], [float("nan")]), "writes: found an array of float64", "NaN"),
        (([0], [0], ["W"]), "writes: found an array of <U1", 'x == "W"'),
    ],
)
def test_wrong_arrays_are_named(machine, arrays, text, help):
    with pytest.raises(fresco.FrescoError, match=text) as raised:
        fresco.Memory(machine).run(*arrays)
    error = raised.value
    assert error.field == text.split(":")[0] and error.line is None and error.found and error.allowed
    assert re.search(help, error.help)


def test_flags_of_any_byte(machine):
    """A view of bytes as bool is true where they are not 0."""
    writes = numpy.array([0, 2, 0], numpy.uint8).view(bool)
    memory = fresco.Memory(machine)
    memory.run([0] * 3, [0, 64, 128], writes)
    assert (memory.stats()[0]["reads"], memory.stats()[0]["writes"]) == (2, 1)


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
    "call", ["tick_to(1 << 59)", "next_done(1 << 59)", "run([n << 33 for n in range(1000)], [0] * 1000, [False] * 1000)"], ids=lambda call: call[:4]
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
    with pytest.raises(fresco.FrescoError, match="from 0 to 15"):
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


def test_spelling_makes_no_other_machine(program):
    """Neither quotes, nor blanks, nor the order, nor what the file says anyway."""
    ways = [
        ["memory.controller.page=closed", "memory.controller.hit_cap=7"],
        ['memory.controller.page="closed"', "memory.controller.hit_cap=0x7"],
        ["memory.controller.hit_cap = 7", "memory.controller.page = 'closed'", "cores=2", "cores=1"],
        {"memory": {"controller": {"page": "closed", "hit_cap": 7}}},
    ]
    machines = [fresco.Machine(BENCH, way) for way in ways]
    assert fresco.Machine(BENCH).cores == 1
    assert len({machine.digest for machine in machines}) == 1 and len(set(machines)) == 1
    assert len({machine.map for machine in machines}) == 1
    assert eval(repr(machines[0]), {"fresco_dram": fresco}) == machines[0] != fresco.Machine(BENCH)
    trace = "0x40 R\n"
    told = [
        json.loads(subprocess.run([program, "memory", "-", "--machine", BENCH, *(f"--set={one}" for one in way), "--json"], check=True, capture_output=True, input=trace.encode()).stdout)
        for way in ways[:3]
    ]
    assert {one["provenance"]["machine_files"][0]["digest"] for one in told} == {machines[0].digest}


def test_a_machine_of_a_text(program, tmp_path):
    text = subprocess.run([program, "machine", "show", BENCH, "--toml"], check=True, capture_output=True, text=True).stdout
    machine = fresco.Machine("mine", {"cores": 2}, text=text)
    path = tmp_path / "mine.toml"
    path.write_text(text)
    assert machine.cores == 2 and machine == fresco.Machine(path, {"cores": 2})
    with pytest.raises(fresco.FrescoError, match="nonsense") as raised:
        fresco.Machine("mine", text=text + "\n[nonsense]\na = 1\n")
    assert raised.value.file == "mine"
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
