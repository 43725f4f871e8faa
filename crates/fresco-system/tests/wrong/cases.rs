// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is wrong with the scenarios of `wrong`.

/// A scenario without fault, with a marker for each place at which a case puts its own.
pub const GOOD: &str = r#"name = "good"
machine = "small.toml"
seed = 1
repetitions = 2

[policy]
frames = "palloc"

[warm_up]
passes = 1

[measure]
passes = 1

[sweep]
corunners = [0, 1]
policy = ["same", "diff"]

[[variant]]
name = "same"
set.task.fg.banks = 0

[[variant]]
name = "diff"
set.task.fg.banks = 1

[[task]]
name = "fg"
program = "latency"
core = 0
parameters.bytes = "256 KiB"

[[task]]
name = "bg"
program = "strides"
cores = [2]
role = "background"
banks = 0
parameters = { bytes = "1 MiB" }
"#;

/// What a case changes in the scenario: a text and what takes its place.
pub struct Case(pub &'static str, pub &'static [(&'static str, &'static str)]);

/// The cases, in the order of the golden file.
pub const CASES: &[Case] = &[
    Case("not TOML", &[("seed = 1", "seed = one")]),
    Case("no name", &[("name = \"good\"\n", "")]),
    Case("a name that is no file's", &[("\"good\"", "\"../good\"")]),
    Case("unknown key", &[("seed = 1", "seeds = 1")]),
    Case("unknown key of a task", &[("core = 0", "core = 0\npriority = 5")]),
    Case("unknown machine", &[("small.toml", "xeon-w3350")]),
    Case("missing machine file", &[("small.toml", "large.toml")]),
    Case(
        "machine key that does not exist",
        &[("[policy]", "[memory.controller]\nhit_kap = 3\n\n[policy]")],
    ),
    Case(
        "machine value out of range",
        &[("[policy]", "[memory.controller]\nhit_cap = -1\n\n[policy]")],
    ),
    Case("wrong unit", &[("\"256 KiB\"", "\"256 kB\"")]),
    Case("unknown program", &[("\"latency\"", "\"latancy\"")]),
    Case(
        "unknown parameter",
        &[("parameters = { bytes", "parameters = { sise = 3, bytes")],
    ),
    Case("parameter out of range", &[("\"256 KiB\"", "\"1 TiB\"")]),
    Case(
        "length of the program's own",
        &[("parameters = { bytes", "parameters = { passes = 3, bytes")],
    ),
    Case(
        "no task",
        &[
            ("[[task]]\nname = \"fg\"", "[[job]]\nname = \"fg\""),
            ("[[task]]\nname = \"bg\"", "[[job]]\nname = \"bg\""),
        ],
    ),
    Case("no measured task", &[("core = 0", "core = 0\nrole = \"background\"")]),
    Case("unknown role", &[("role = \"background\"", "role = \"backgroud\"")]),
    Case("two tasks of one name", &[("name = \"bg\"", "name = \"fg\"")]),
    Case("a task named by a number", &[("name = \"bg\"", "name = \"7\"")]),
    Case("core that does not exist", &[("core = 0", "core = 8")]),
    Case(
        "core used twice",
        &[
            ("cores = [2]", "cores = [2, 0]"),
            ("corunners = [0, 1]", "corunners = [2]"),
        ],
    ),
    Case("neither core nor cores", &[("core = 0\n", "")]),
    Case("both core and cores", &[("core = 0", "core = 0\ncores = \"0-1\"")]),
    Case("more copies than cores", &[("cores = [2]", "cores = [2]\ncopies = 2")]),
    Case(
        "more co-runners than there are",
        &[("corunners = [0, 1]", "corunners = [0, 2]")],
    ),
    Case("no measured copy", &[("core = 0", "cores = [0]\ncopies = 0")]),
    Case(
        "more co-runners than any machine has",
        &[("corunners = [0, 1]", "corunners = [5000]")],
    ),
    Case(
        "variant that TintMalloc does not have",
        &[("frames = \"palloc\"", "frames = \"tintmalloc\"\nvariant = \"mem+lcc\"")],
    ),
    Case(
        "more threads than colors can be divided among",
        &[
            ("frames = \"palloc\"", "frames = \"tintmalloc\"\nvariant = \"llc\""),
            ("cores = [2]", "cores = \"2-7\""),
            ("banks = 0\nparameters", "parameters"),
        ],
    ),
    Case(
        "channels of a machine that has one",
        &[("frames = \"palloc\"", "frames = \"bpm+\"")],
    ),
    Case(
        "dynamic division of banks and cache",
        &[("frames = \"palloc\"", "frames = \"bpm\"\nllc = true\ndynamic = true")],
    ),
    Case(
        "interval without dynamic",
        &[("frames = \"palloc\"", "frames = \"bpm\"\ninterval = \"1 ms\"")],
    ),
    Case(
        "placement of a colored task",
        &[("core = 0", "core = 0\nplacement = \"interleave\"")],
    ),
    Case(
        "bound to no nodes",
        &[
            ("frames = \"palloc\"", "frames = \"camc\""),
            ("core = 0", "core = 0\ncolors = 0\nplacement = \"bind\""),
            ("set.task.fg.banks = 0", "set.task.fg.core = 0"),
            ("set.task.fg.banks = 1", "set.task.fg.core = 1"),
        ],
    ),
    Case(
        "occupied share that is no number",
        &[(
            "frames = \"palloc\"",
            "frames = \"palloc\"\nboot = \"aged\"\noccupied = nan",
        )],
    ),
    Case("missing value of a task", &[("name = \"bg\"\n", "")]),
    Case("node that does not exist", &[("core = 0", "core = 0\nnode = 4")]),
    Case(
        "color that does not exist",
        &[("set.task.fg.banks = 1", "set.task.fg.banks = \"63-64\"")],
    ),
    Case(
        "pattern of another machine",
        &[("banks = 0\nparameters", "banks = \"[00XX]\"\nparameters")],
    ),
    Case("way that does not exist", &[("core = 0", "core = 0\nways = \"0-8\"")]),
    Case(
        "ways that are no neighbors",
        &[("core = 0", "core = 0\nways = \"0-1,4\"")],
    ),
    Case("no way", &[("core = 0", "core = 0\nways = []")]),
    Case("row domains larger than a node", &[("core = 0", "core = 0\nrows = 0")]),
    Case(
        "row domain that does not exist",
        &[
            ("seed = 1", "rows.size = \"16 MiB\""),
            ("core = 0", "core = 0\nrows = \"7-8\""),
        ],
    ),
    Case(
        "no row domain",
        &[
            ("seed = 1", "rows.size = \"16 MiB\""),
            ("core = 0", "core = 0\nrows = []"),
        ],
    ),
    Case(
        "all row domains named",
        &[
            ("seed = 1", "rows.size = \"16 MiB\""),
            ("core = 0", "core = 0\nrows = \"0-7\""),
        ],
    ),
    Case(
        "row domains that are all guard",
        &[
            ("seed = 1", "rows.size = \"512 KiB\""),
            ("core = 0", "core = 0\nrows = 0"),
        ],
    ),
    Case(
        "row domains of a map that deals granules",
        &[("small.toml", "xeon-5218"), ("core = 0", "core = 0\nrows = 0")],
    ),
    Case("unknown key of row domains", &[("seed = 1", "rows.sice = \"16 MiB\"")]),
    Case("mirrored rows of DDR3", &[("seed = 1", "rows.mirrored = true")]),
    Case(
        "blocks of rows that are no power of two",
        &[("seed = 1", "rows.blocks = 3")],
    ),
    Case(
        "row domains beside banks that are divided anew",
        &[
            ("frames = \"palloc\"", "frames = \"bpm\"\ndynamic = true"),
            ("seed = 1", "rows.size = \"16 MiB\""),
            ("core = 0", "core = 0\nrows = 0"),
        ],
    ),
    Case(
        "more data than its row domains hold",
        &[
            ("seed = 1", "rows.size = \"2 MiB\""),
            (
                "parameters.bytes = \"256 KiB\"",
                "rows = 0\nparameters.bytes = \"3 MiB\"",
            ),
        ],
    ),
    Case(
        "banks that its row domains have no page of",
        &[
            ("seed = 1", "rows.size = \"16 MiB\""),
            ("core = 0", "core = 0\nrows = 2"),
        ],
    ),
    Case("LLC color that does not exist", &[("core = 0", "core = 0\nllc = 2")]),
    Case(
        "colors that no frame has together",
        &[
            ("core = 0", "core = 0\nllc = 1"),
            ("[policy]", "[memory.map]\nbank = [12, 14, 15]\n\n[policy]"),
        ],
    ),
    Case(
        "colors under the buddy allocator",
        &[("frames = \"palloc\"", "frames = \"buddy\"")],
    ),
    Case(
        "a count of colors under PALLOC",
        &[("banks = 0\nparameters", "colors = 2\nparameters")],
    ),
    Case(
        "banks for another number of copies",
        &[("banks = 0\nparameters", "banks_each = [0, 1]\nparameters")],
    ),
    Case(
        "option of another policy",
        &[("frames = \"palloc\"", "frames = \"palloc\"\nshortage = \"share\"")],
    ),
    Case(
        "a bank of two tasks in a hard partition",
        &[("frames = \"palloc\"", "frames = \"codesign\"\npartition = \"hard\"")],
    ),
    Case("unknown policy", &[("frames = \"palloc\"", "frames = \"pallock\"")]),
    Case(
        "more colors than a node has",
        &[
            ("frames = \"palloc\"", "frames = \"camc\""),
            ("banks = 0\nparameters", "colors = 17\nparameters"),
        ],
    ),
    Case("more data than its color holds", &[("\"256 KiB\"", "\"3 MiB\"")]),
    Case(
        "more data than the memory holds",
        &[
            ("frames = \"palloc\"", "frames = \"palloc\"\nexhaustion = \"spill\""),
            ("\"256 KiB\"", "\"200 MiB\""),
        ],
    ),
    Case(
        "limit below the data",
        &[("core = 0", "core = 0\nmemory_limit = \"64 KiB\"")],
    ),
    Case("huge repetitions", &[("repetitions = 2", "repetitions = 1000000")]),
    Case(
        "too many runs",
        &[
            ("repetitions = 2", "repetitions = 1000"),
            (
                "corunners = [0, 1]",
                "seed_of_fg = [\"same\", \"diff\"]\nx = [\"same\", \"diff\"]\ny = [\"same\", \"diff\"]\nz = [\"same\", \"diff\"]\nu = [\"same\", \"diff\"]\nv = [\"same\", \"diff\"]",
            ),
        ],
    ),
    Case(
        "phase in two units",
        &[("[measure]\npasses = 1", "[measure]\npasses = 1\ntime = \"1 ms\"")],
    ),
    Case(
        "phase of no length",
        &[("[measure]\npasses = 1", "[measure]\npasses = 0")],
    ),
    Case(
        "phase without unit",
        &[("[measure]\npasses = 1", "[measure]\ntime = 5")],
    ),
    Case("a timeline of no length", &[("seed = 1", "timeline = \"0 us\"")]),
    Case("empty phase", &[("[measure]\npasses = 1", "[measure]")]),
    Case("empty axis", &[("corunners = [0, 1]", "corunners = []")]),
    Case(
        "value twice on an axis",
        &[("corunners = [0, 1]", "corunners = [0, 0]")],
    ),
    Case("axis that is no list", &[("corunners = [0, 1]", "corunners = 1")]),
    Case("unknown variant", &[("[\"same\", \"diff\"]", "[\"same\", \"dif\"]")]),
    Case(
        "axis of neither variants nor a key",
        &[("corunners = [0, 1]", "neighbours = [0, 1]")],
    ),
    Case(
        "axis of a key that all points share",
        &[("corunners = [0, 1]", "corunners = [0, 1]\nseed = [1, 2]")],
    ),
    Case(
        "axis of another such key",
        &[("corunners = [0, 1]", "repetitions = [1, 2]")],
    ),
    Case("misspelt axis", &[("corunners = [0, 1]", "corunner = [0, 1]")]),
    Case("two variants of one name", &[("name = \"diff\"", "name = \"same\"")]),
    Case(
        "variant of a task that does not exist",
        &[("set.task.fg.banks = 1", "set.task.gf.banks = 1")],
    ),
    Case(
        "variant of a key that it cannot set",
        &[("set.task.fg.banks = 1", "set.repetitions = 1")],
    ),
    Case(
        "variant of an unknown key",
        &[("set.task.fg.banks = 1", "set.task.fg.bank = 1")],
    ),
    Case(
        "baseline on no axis",
        &[(
            "[[variant]]\nname = \"same\"",
            "[baseline]\ntasks = 0\n\n[[variant]]\nname = \"same\"",
        )],
    ),
    Case(
        "baseline of no value",
        &[(
            "[[variant]]\nname = \"same\"",
            "[baseline]\ncorunners = 7\n\n[[variant]]\nname = \"same\"",
        )],
    ),
    Case(
        "aged machine without free memory",
        &[(
            "frames = \"palloc\"",
            "frames = \"palloc\"\nboot = \"aged\"\noccupied = 1",
        )],
    ),
    Case(
        "missing trace",
        &[
            ("program = \"latency\"", "program = \"trace\""),
            ("bytes = \"256 KiB\"", "file = \"missing.gz\""),
        ],
    ),
    Case(
        "a bandwidth without unit",
        &[("core = 0\n", "core = 0\nreserve = 500\n")],
    ),
    Case(
        "a reservation of another kind",
        &[("core = 0\n", "core = 0\nreservation = \"firm\"\n")],
    ),
    Case("a weight of nothing", &[("core = 0\n", "core = 0\nweight = 0\n")]),
    Case(
        "an unknown regulation",
        &[(
            "frames = \"palloc\"\n",
            "frames = \"palloc\"\nbandwidth = \"memgard\"\n",
        )],
    ),
    Case(
        "an unknown way to share",
        &[("[warm_up]", "[bandwidth]\nshare = \"all\"\n[warm_up]")],
    ),
    Case(
        "an unknown key of the regulation",
        &[("[warm_up]", "[bandwidth]\nbudget = 5\n[warm_up]")],
    ),
    Case(
        "a total that is neither r_min nor a bandwidth",
        &[("[warm_up]", "[bandwidth]\ntotal = \"most\"\n[warm_up]")],
    ),
    Case(
        "a total above r_min",
        &[
            (
                "frames = \"palloc\"\n",
                "frames = \"palloc\"\nbandwidth = \"memguard\"\n",
            ),
            ("[warm_up]", "[bandwidth]\ntotal = \"6 GB/s\"\n[warm_up]"),
        ],
    ),
    Case(
        "interrupts that fill the period",
        &[(
            "[warm_up]",
            "[bandwidth]\nperiod = \"10 us\"\ninterrupt = 1000000\n[warm_up]",
        )],
    ),
    Case(
        "reservations above r_min",
        &[
            (
                "frames = \"palloc\"\n",
                "frames = \"palloc\"\nbandwidth = \"memguard\"\n",
            ),
            ("core = 0\n", "core = 0\nreserve = \"2 GB/s\"\n"),
        ],
    ),
    Case(
        "a reservation of less than a line",
        &[
            (
                "frames = \"palloc\"\n",
                "frames = \"palloc\"\nbandwidth = \"memguard\"\n",
            ),
            ("core = 0\n", "core = 0\nreserve = \"1 kB/s\"\n"),
        ],
    ),
    Case(
        "two budgets for a core",
        &[
            (
                "[warm_up]\npasses = 1\n\n[measure]\npasses = 1",
                "[warm_up]\njobs = 1\n\n[measure]\njobs = 1",
            ),
            (
                "frames = \"palloc\"\n",
                "frames = \"palloc\"\nbandwidth = \"memguard\"\n",
            ),
            ("core = 0\n", "core = 2\nperiod = \"1 ms\"\nreserve = \"10 MB/s\"\n"),
            ("cores = [2]\n", "cores = [2]\nreserve = \"20 MB/s\"\n"),
        ],
    ),
    Case(
        "a core whose tasks have memory of two controllers",
        &[
            (
                "[warm_up]\npasses = 1\n\n[measure]\npasses = 1",
                "[warm_up]\njobs = 1\n\n[measure]\njobs = 1",
            ),
            (
                "frames = \"palloc\"\n",
                "frames = \"palloc\"\nbandwidth = \"memguard\"\n",
            ),
            ("core = 0\n", "core = 2\nperiod = \"1 ms\"\nnode = 3\n"),
        ],
    ),
];
