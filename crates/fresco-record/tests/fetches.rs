// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines of code that programs fetch, counted by hand and beside valgrind.

use crate::common::{assembled, assembled_for_arm, built, options, plugin, recorded, trailer};
use fresco_load::trace::ftrace::recorded::{Kind, RecordedFile};
use std::path::Path;
use std::process::Command;

/// Lines that the only thread of a program fetches, and how many the trace says.
fn fetched(plugin: &Path, directory: &Path, program: &Path) -> (Vec<u64>, u64) {
    let mut options = options(plugin, directory, program, &[]);
    options.fetches = true;
    let said = trailer(&options).counts().fetches;
    let mut file = RecordedFile::open(&options.output).expect("sound");
    let mut lines = Vec::new();
    file.each_fetch(0, |line| lines.push(line)).expect("sound");
    (lines, said)
}

/// Code of known length, a loop of 100 rounds, calls; and how many fetches that makes, if the program begins a line.
struct Case {
    what: &'static str,
    x86: &'static str,
    arm: &'static str,
    fetches: u64,
}

const CASES: &[Case] = &[
    Case {
        what: "a loop within a line",
        x86: "mov r15d, 100\n1: dec r15d\njnz 1b",
        arm: "mov x15, #100\n1: subs x15, x15, #1\nb.ne 1b",
        fetches: 1,
    },
    Case {
        what: "straight code: 960 bytes, and the end in the sixteenth line",
        x86: ".skip 960, 0x90",
        arm: ".rept 240\nnop\n.endr",
        fetches: 16,
    },
    Case {
        what: "a loop over two lines",
        x86: "mov r15d, 100\n1: .skip 80, 0x90\ndec r15d\njnz 1b",
        arm: "mov x15, #100\n1: .rept 20\nnop\n.endr\nsubs x15, x15, #1\nb.ne 1b",
        fetches: 200,
    },
    Case {
        what: "a call of another line and back",
        x86: "mov r15d, 100\n1: call 2f\ndec r15d\njnz 1b\njmp 3f\n.balign 64\n2: ret\n.balign 64\n3:",
        arm: "mov x15, #100\n1: bl 2f\nsubs x15, x15, #1\nb.ne 1b\nb 3f\n.balign 64\n2: ret\n.balign 64\n3:",
        // The first, then what is called and the first again, and at last the end.
        fetches: 1 + 200 + 1,
    },
];

#[test]
fn lines_by_hand_on_both_architectures() {
    let Some(plugin) = plugin() else { return };
    for case in CASES {
        let (directory, program) = assembled(&format!(
            ".balign 64\n_begin: {}\nxor edi, edi\nmov eax, 60\nsyscall",
            case.x86
        ));
        let (lines, said) = fetched(&plugin, directory.path(), &program);
        assert_eq!(
            (lines.len() as u64, said),
            (case.fetches, case.fetches),
            "{}: {lines:x?}",
            case.what
        );
        assert!(lines.iter().all(|line| line % 64 == 0));
    }
    for case in CASES {
        let body = format!(".balign 64\n_begin: {}\nmov x0, #0\nmov x8, #93\nsvc #0", case.arm);
        let Some((directory, program)) = assembled_for_arm(&body) else {
            return;
        };
        let (lines, said) = fetched(&plugin, directory.path(), &program);
        assert_eq!(
            (lines.len() as u64, said),
            (case.fetches, case.fetches),
            "{}: {lines:x?}",
            case.what
        );
    }
}

/// An instruction of seven bytes over the border of two lines belongs to both.
#[test]
fn an_instruction_over_the_border() {
    let Some(plugin) = plugin() else { return };
    let (directory, program) = assembled(
        ".balign 64\n_begin: .skip 57, 0x90\njmp 1f\n.balign 64\n.skip 60, 0x90\n1: mov rax, 1\nxor edi, edi\nmov eax, 60\nsyscall",
    );
    let (lines, _) = fetched(&plugin, directory.path(), &program);
    let steps: Vec<u64> = lines.iter().map(|line| line - lines[0]).collect();
    // The jump goes to byte 60 of the second line, the seven bytes of what is there end in the third.
    assert_eq!(steps, [0, 64, 128]);
}

/// Lines that change from one instruction to the next, of all bytes of each, as `valgrind --tool=lackey --trace-mem=yes` tells them.
fn of_lackey(program: &Path) -> Option<u64> {
    let lackey = Command::new("valgrind")
        .args(["--tool=lackey", "--trace-mem=yes"])
        .arg(program)
        .output();
    let Ok(lackey) = lackey else {
        fresco_testing::skip(fresco_testing::Need::Recording, "valgrind is not installed");
        return None;
    };
    let (mut count, mut last) = (0, u64::MAX);
    for line in String::from_utf8_lossy(&lackey.stderr).lines() {
        let Some((address, size)) = line.strip_prefix("I  ").and_then(|rest| rest.split_once(',')) else {
            continue;
        };
        let address = u64::from_str_radix(address, 16).expect("an address");
        let size: u64 = size.trim().parse().expect("a size");
        for line in address / 64..=(address + size - 1) / 64 {
            count += u64::from(line != last);
            last = line;
        }
    }
    Some(count)
}

#[test]
fn as_many_as_valgrind_tells_of() {
    let Some(plugin) = plugin() else { return };
    // A sort in C without its library: loops, calls, a recursion.
    let source = "static unsigned area[3000];\n\
        static void sort(unsigned *a, int n) {\n\
        \x20 if (n < 2) return;\n  unsigned pivot = a[n / 2]; int i = 0, j = n - 1;\n\
        \x20 while (i <= j) { while (a[i] < pivot) i++; while (a[j] > pivot) j--;\n\
        \x20   if (i <= j) { unsigned t = a[i]; a[i++] = a[j]; a[j--] = t; } }\n\
        \x20 sort(a, j + 1); sort(a + i, n - i);\n}\n\
        void _start(void) {\n  unsigned x = 1;\n\
        \x20 for (int i = 0; i < 3000; i++) { x = x * 1664525 + 1013904223; area[i] = x; }\n\
        \x20 sort(area, 3000);\n\
        \x20 __asm__ volatile(\"syscall\" :: \"a\"(60), \"D\"(0));\n}";
    let (directory, program) = built(
        "program.c",
        source,
        &["-O1", "-nostdlib", "-static", "-fno-stack-protector"],
    );
    let Some(expected) = of_lackey(&program) else { return };
    let (lines, _) = fetched(&plugin, directory.path(), &program);
    assert!(expected > 10_000, "{expected}");
    assert_eq!(lines.len() as u64, expected);
}

/// The rest of a recording is what it is without fetches, and pages of code are in the footprint.
#[test]
fn fetches_change_nothing_else() {
    let Some(plugin) = plugin() else { return };
    let source = "#include <stdio.h>\n#include <stdlib.h>\nint main(void) { char *a = calloc(1, 1 << 16); \
        for (int i = 0; i < 1 << 16; i++) a[i] = i; printf(\"%d\\n\", a[77]); return 0; }";
    let (directory, program) = built("program.c", source, &["-O1"]);
    let mut options = options(&plugin, directory.path(), &program, &[]);
    let without = recorded(&options);
    let bytes = std::fs::metadata(&options.output).expect("written").len();
    options.fetches = true;
    let with = recorded(&options);
    let (mut counts, plain) = (with.trailer.counts(), without.trailer.counts());
    assert!(counts.fetches > 1000 && plain.fetches == 0, "{counts:?}");
    counts.fetches = 0;
    assert_eq!(counts, plain);
    assert_eq!(with.trailer.dependences(), without.trailer.dependences());
    let of =
        |trailer: &fresco_load::trace::ftrace::recorded::Trailer, kind: Kind| trailer.pages_by_kind()[kind as usize];
    for kind in [Kind::Text, Kind::Library] {
        assert!(of(&with.trailer, kind) > of(&without.trailer, kind), "{kind:?}");
    }
    for kind in [Kind::Heap, Kind::Stack, Kind::Mapping] {
        assert_eq!(of(&with.trailer, kind), of(&without.trailer, kind), "{kind:?}");
    }
    // Descriptions alone are longer: a few bytes for each of some thousand blocks.
    assert!(with.bytes < bytes + bytes / 2, "{} {bytes}", with.bytes);
    let mut file = RecordedFile::open(&options.output).expect("sound");
    let ranges = file.trailer().threads[0].ranges.clone();
    let mut outside = 0;
    file.each_fetch(0, |line| {
        let page = line >> 12;
        outside += u64::from(
            !ranges
                .iter()
                .any(|range| (range.first..range.first + range.pages).contains(&page)),
        );
    })
    .expect("sound");
    assert_eq!(outside, 0);
}
