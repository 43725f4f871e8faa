# SPDX-License-Identifier: MIT OR Apache-2.0
"""What scripts/bench-python counts instructions of.

instructions.py sim SCENARIO OPERATIONS     a run as `fresco sim --json` makes it
instructions.py TRACE REQUESTS              a trace of fresco-memory's example core_instructions, by arrays
instructions.py draw TRACE REQUESTS         those arrays alone
"""

import sys

import fresco_dram
import numpy


def splitmix64(seed, draws):
    """The first `draws` numbers that SplitMix64 draws from a seed (Steele, Lea and Flood 2014)."""
    z = numpy.uint64(seed) + numpy.uint64(0x9E3779B97F4A7C15) * numpy.arange(1, draws + 1, dtype=numpy.uint64)
    z = (z ^ (z >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
    return z ^ (z >> numpy.uint64(31))


def trace(name, count):
    """Cycles, addresses and writes of a trace."""
    numbers = numpy.arange(count, dtype=numpy.uint64)
    cycles, writes = numpy.zeros(count, numpy.uint64), numpy.zeros(count, bool)
    if name == "stream":
        return cycles, numbers * numpy.uint64(64), writes
    if name == "random":
        lines = splitmix64(1, count)
    else:
        first, second = splitmix64(3, 2 * count).reshape(count, 2).T
        if name == "mixed":
            writes, lines = first % numpy.uint64(3) == 0, second
        else:
            lines, cycles = first, numpy.uint64(500) * numbers + second % numpy.uint64(100)
    return cycles, lines % numpy.uint64(1 << 26) * numpy.uint64(64), writes


match sys.argv[1:]:
    case ["sim", scenario, operations]:
        sys.stdout.write(fresco_dram.sim(scenario, {"measure.operations": int(operations)}, repetitions=1, threads=1).to_json())
    case ["draw", name, requests]:
        trace(name, int(requests))
    case [name, requests]:
        memory = fresco_dram.Memory(fresco_dram.Machine("ddr4-2400-bench"))
        memory.run(*trace(name, int(requests)), outstanding=32)
        print("cycles", memory.now)
