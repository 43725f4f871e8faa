// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is counted, beside what others count.

use crate::common::{ToFile, assembled, built, options, plugin, recorded, trailer};
use fresco_load::trace::ftrace::recorded::Kind;
use fresco_load::trace::ftrace::{TraceReader, What};
use std::path::Path;
use std::process::Command;

/// Loops whose instructions, loads and stores can be counted by hand: per round, and once.
#[test]
fn instructions_loads_and_stores_by_hand() {
    let Some(plugin) = plugin() else { return };
    let cases: [(&str, [u64; 3]); 8] = [
        ("mov rax, [rsp]", [1, 1, 0]),
        ("push rax\npop rdx", [2, 1, 1]),
        ("add qword ptr [rsp], 1", [1, 1, 1]),
        ("lock xadd [rsp], rax", [1, 1, 1]),
        ("movdqu xmm0, [rsp - 40]\nmovdqu [rsp - 61], xmm0", [2, 1, 1]),
        // QEMU loads 16 bytes for these.
        ("vfmadd231sd xmm0, xmm1, [rsp - 40]", [1, 1, 0]),
        ("vfmadd132ss xmm0, xmm1, [rsp - 40]\nvmovsd [rsp - 32], xmm0", [2, 1, 1]),
        ("call 2f\njmp 3f\n2: ret\n3: lea rdi, [rsp - 64]\ncld\nstosb", [6, 1, 2]),
    ];
    for (body, each) in cases {
        let (directory, program) = assembled(&format!(
            "mov r15d, 1000\n1: {body}\ndec r15d\njnz 1b\nxor edi, edi\nmov eax, 60\nsyscall"
        ));
        let counts = trailer(&options(&plugin, directory.path(), &program, &[])).counts();
        let found = [counts.instructions, counts.loads, counts.stores];
        assert_eq!(
            found,
            [(each[0] + 2) * 1000 + 4, each[1] * 1000, each[2] * 1000],
            "{body}"
        );
    }
}

/// A count of `valgrind --tool=lackey`.
fn of_lackey(text: &str, line: &str) -> Option<u64> {
    let line = text.lines().find(|found| found.contains(line))?;
    let number = line.rsplit(':').next()?.trim().replace(',', "");
    number.parse().ok()
}

#[test]
fn instructions_as_valgrind_counts_them() {
    let Some(plugin) = plugin() else { return };
    // What differs between the two is how the C library starts: only an assembly program is the same.
    let sort = "
        mov ecx, 300
        lea rsi, area[rip]
    1:  imul eax, ecx, 40503
        and eax, 0xffff
        mov [rsi + rcx*4 - 4], eax
        dec ecx
        jnz 1b
        mov r8d, 299
    2:  xor ecx, ecx
    3:  mov eax, [rsi + rcx*4]
        cmp eax, [rsi + rcx*4 + 4]
        jbe 4f
        mov edx, [rsi + rcx*4 + 4]
        mov [rsi + rcx*4], edx
        mov [rsi + rcx*4 + 4], eax
    4:  inc ecx
        cmp ecx, r8d
        jb 3b
        dec r8d
        jnz 2b
        xor edi, edi
        mov eax, 60
        syscall
        .bss
    area: .skip 4096";
    let (directory, program) = assembled(sort);
    let lackey = Command::new("valgrind")
        .args(["--tool=lackey", "--detailed-counts=yes"])
        .arg(&program)
        .output();
    let Ok(lackey) = lackey else {
        fresco_testing::skip(fresco_testing::Need::Recording, "valgrind is not installed");
        return;
    };
    let text = String::from_utf8_lossy(&lackey.stderr).into_owned();
    let instructions = of_lackey(&text, "guest instrs").expect("lackey counts them");
    let words = text
        .lines()
        .find(|line| line.contains(" I32 "))
        .expect("lackey counts words")
        .to_owned();
    let numbers: Vec<u64> = words
        .split_whitespace()
        .filter_map(|word| word.replace(',', "").parse().ok())
        .collect();
    let counts = trailer(&options(&plugin, directory.path(), &program, &[])).counts();
    assert_eq!(
        [counts.instructions, counts.loads, counts.stores],
        [instructions, numbers[0], numbers[1]],
        "{text}"
    );
}

#[test]
fn two_recordings_are_alike_and_every_access_is_in_a_page_of_the_footprint() {
    let Some(plugin) = plugin() else { return };
    let source = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\nint global[5000];\n\
        int main(int argc, char **argv) { char *small = malloc(100), *large = calloc(1, 1 << 20); \
        strcpy(small, argv[1]); for (int i = 0; i < 1 << 20; i += 64) large[i] = small[i % 3]; \
        for (int i = 0; i < 5000; i++) global[i] = i; printf(\"%d %s\\n\", global[77], small); return 7; }";
    for flags in [&["-O1"][..], &["-O1", "-static"]] {
        let (directory, program) = built("program.c", source, flags);
        let options = options(&plugin, directory.path(), &program, &["hello"]);
        let first = recorded(&options);
        let bytes = std::fs::read(&options.output).expect("written");
        recorded(&options);
        assert!(
            std::fs::read(&options.output).expect("written") == bytes,
            "two recordings differ"
        );
        let totals = first.trailer.thread(0).expect("one thread");
        let reader = TraceReader::open(&options.output).expect("a trace");
        let mut count = 0;
        for record in reader {
            let What::Access { addr, size, .. } = record.expect("sound").what else {
                continue;
            };
            for page in [addr >> 12, (addr + u64::from(size) - 1) >> 12] {
                let holds = |range: &fresco_load::trace::ftrace::recorded::Range| {
                    (range.first..range.first + range.pages).contains(&page)
                };
                assert!(totals.ranges.iter().any(holds), "page {page:#x}");
            }
            count += 1;
        }
        assert_eq!(count, totals.counts.accesses());
        let pages = first.trailer.pages_by_kind();
        let of = |kind: Kind| pages[kind as usize];
        // 20,000 bytes of `global`, a heap of little, a mapping of a megabyte.
        assert!(
            of(Kind::Data) >= 5 && of(Kind::Heap) >= 1 && of(Kind::Stack) >= 1,
            "{pages:?}"
        );
        assert!((256..300).contains(&of(Kind::Mapping)), "{pages:?}");
        assert_eq!(of(Kind::Library) > 0, flags.len() == 1, "{pages:?}");
    }
}

/// Whatever is stored first, and wherever the recording begins: a mapping is no stack.
#[test]
fn a_large_mapping_is_no_stack() {
    let Some(plugin) = plugin() else { return };
    let pages = |options: &ToFile| {
        let pages = trailer(options).pages_by_kind();
        (pages[Kind::Mapping as usize], pages[Kind::Stack as usize])
    };
    // 16 MiB, and the stack at last; then it is filled by a loop that uses no stack.
    let walk = "mov eax, 9\nxor edi, edi\nmov esi, 0x1000000\nmov edx, 3\nmov r10d, 0x22\nmov r8, -1\nxor r9d, r9d\nsyscall\n\
        mov rcx, rax\nlea rdx, [rax + 0x1000000]\n1: mov [rcx], rcx\nadd rcx, 64\ncmp rcx, rdx\njb 1b\n\
        push rax\nxor edi, edi\nmov eax, 60\nsyscall";
    let (directory, program) = assembled(walk);
    let mut whole = options(&plugin, directory.path(), &program, &[]);
    assert_eq!(pages(&whole), (4096, 1));
    whole.skip = 500_000;
    let (mapping, stack) = pages(&whole);
    assert!((2100..2200).contains(&mapping) && stack == 1, "{mapping} {stack}");
    // As a C library does it, from a place where it has long been mapped.
    let source = "#include <stdlib.h>\nint main(void) { volatile char *area = malloc(1 << 24); \
        for (int round = 0; round < 4; round++) for (int i = 0; i < 1 << 24; i += 64) area[i] = i; return 0; }";
    for flags in [&["-O1"][..], &["-O1", "-static"]] {
        let (directory, program) = built("program.c", source, flags);
        let mut part = options(&plugin, directory.path(), &program, &[]);
        (part.skip, part.instructions) = (2_000_000, Some(1_500_000));
        let (mapping, stack) = pages(&part);
        assert!(mapping >= 4096 && stack <= 16, "{flags:?}: {mapping} {stack}");
    }
}

#[test]
fn a_window_records_what_was_asked_for() {
    let Some(plugin) = plugin() else { return };
    let (directory, program) =
        assembled("mov r15d, 100000\n1: mov rax, [rsp]\ndec r15d\njnz 1b\nxor edi, edi\nmov eax, 60\nsyscall");
    let mut options = options(&plugin, directory.path(), &program, &[]);
    (options.skip, options.instructions) = (30_000, Some(60_000));
    let recording = recorded(&options);
    assert_eq!(recording.ended, fresco_record::Ended::Enough);
    let counts = recording.trailer.counts();
    assert_eq!((counts.instructions, counts.loads), (60_000, 20_000));
    options.skip = 1_000_000;
    assert!(recorded(&options).nothing);
    assert!(Path::new(&options.output).exists());
}

/// What is left out at the begin of a program is not looked at access by access, if it is long; with a function to begin with it is.
#[test]
fn a_long_begin_is_left_out_to_the_block() {
    let Some(plugin) = plugin() else { return };
    let source = "#include <stdlib.h>\n#include <string.h>\n#include <sys/mman.h>\nint main(void) {\n\
         \x20 char *late = 0; unsigned sum = 0;\n\
         \x20 for (int round = 0; round < 60; round++) {\n\
         \x20   char *area = mmap(0, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);\n\
         \x20   for (int i = 0; i < 1 << 16; i++) { area[i] = i * round; sum += area[i / 2]; }\n\
         \x20   if (round == 20) late = area; else munmap(area, 1 << 16);\n\
         \x20   if (late) sum += late[round];\n\
         \x20 }\n  return sum & 1; }";
    let (directory, program) = built("program.c", source, &["-O1", "-static"]);
    let mut options = options(&plugin, directory.path(), &program, &[]);
    options.instructions = Some(2_000_000);
    for skip in [9_000_000, 20_000_001] {
        options.skip = skip;
        options.from_symbol = None;
        let quick = trailer(&options);
        let quick_bytes = std::fs::read(&options.output).expect("readable");
        options.from_symbol = Some("_start".into());
        let slow = trailer(&options);
        assert_eq!(quick, slow, "{skip}");
        assert!(
            quick_bytes == std::fs::read(&options.output).expect("readable"),
            "{skip}"
        );
        assert!((2_000_000..2_000_600).contains(&quick.counts().instructions), "{skip}");
    }
    // It ends before that.
    (options.skip, options.from_symbol) = (900_000_000, None);
    let recording = recorded(&options);
    assert!(recording.nothing && matches!(recording.ended, fresco_record::Ended::Program(_)));
}
