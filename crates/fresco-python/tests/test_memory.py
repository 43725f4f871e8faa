# SPDX-License-Identifier: MIT OR Apache-2.0
"""The memory step by step and by arrays, and maps."""

import json
import subprocess

import numpy
import pytest

import fresco_dram as fresco

BENCH = "ddr4-2400-bench"


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
    with pytest.raises(TypeError):
        fresco.Memory(machine).run([0], [0], [False])


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
    assert fresco.Machine("ddr4-2400-bench", [("cores", "2")]).cores == 2
    with pytest.raises(fresco.FrescoError, match="xeon-w3530"):
        fresco.Machine("xeon-w353")
