// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which loads need loads, in loops of assembly whose answer is known.

#[path = "dependences_arm.rs"]
mod arm;

use crate::common::{assembled, options, plugin, trailer};
use fresco_load::trace::ftrace::recorded::Trailer;
use std::path::Path;

const ROUNDS: u32 = 5000;

/// What a loop does, and the share of its loads that need a load, in percent: through registers alone, and through words stored too.
struct Case {
    name: &'static str,
    /// Before the loop: rbx is the address of a word that holds its own address, rsi that of 4,096 zero bytes.
    setup: &'static str,
    body: &'static str,
    shares: [f64; 2],
}

const fn case(name: &'static str, setup: &'static str, body: &'static str, shares: [f64; 2]) -> Case {
    Case {
        name,
        setup,
        body,
        shares,
    }
}

const CASES: &[Case] = &[
    case("a list", "", "mov rbx, [rbx]", [100.0, 100.0]),
    case("a stream", "", "mov rax, [rsi + rcx*8 - 8]", [0.0, 0.0]),
    case(
        "an index that was loaded",
        "",
        "mov rax, [rsi]\nmov rdx, [rsi + rax]",
        [50.0, 50.0],
    ),
    case(
        "moves",
        "",
        "mov rax, [rbx]\nmov rdx, rax\nmov rbx, rdx",
        [100.0, 100.0],
    ),
    case(
        "lea",
        "",
        "mov rax, [rbx]\nlea rdx, [rax + rcx]\nsub rdx, rcx\nlea rbx, [rdx]",
        [100.0, 100.0],
    ),
    case(
        "a sum",
        "",
        "mov rax, [rbx]\nadd rax, 8\nsub rax, 8\nmov rbx, rax",
        [100.0, 100.0],
    ),
    case(
        "an operand in memory",
        "xor edx, edx",
        "mov rax, rbx\nadd rdx, [rsi]\nadd rax, rdx\nmov rbx, [rax]",
        [50.0, 50.0],
    ),
    case("the lowest byte", "mov [rbx], bl", "mov bl, [rbx]", [100.0, 100.0]),
    case(
        "the second byte",
        "mov rax, rbx\nmov [rbx], ah",
        "mov ah, [rax]",
        [100.0, 100.0],
    ),
    case("two bytes", "", "mov bx, [rbx]", [100.0, 100.0]),
    case(
        "four bytes replace eight",
        "",
        "mov rdx, [rbx]\nmov edx, ecx\nmov rax, [rsi + rdx]",
        [0.0, 0.0],
    ),
    case(
        "a zeroed register",
        "",
        "mov rax, [rbx]\nxor eax, eax\nmov rdx, [rsi + rax*8]",
        [0.0, 0.0],
    ),
    case(
        "a difference with itself",
        "",
        "mov rax, [rbx]\nsub rax, rax\nmov rdx, [rsi + rax*8]",
        [0.0, 0.0],
    ),
    case(
        "a zeroed vector",
        "",
        "movq xmm0, [rbx]\npxor xmm0, xmm0\nmovq rax, xmm0\nmov rdx, [rsi + rax]",
        [0.0, 0.0],
    ),
    case(
        "a vector register",
        "",
        "movq xmm0, [rbx]\nmovdqa xmm1, xmm0\nmovq rbx, xmm1",
        [100.0, 100.0],
    ),
    case(
        "x87",
        "",
        "fild qword ptr [rsi]\nfistp qword ptr [rsi + 64]\nmov rax, [rsi + 64]\nmov rdx, [rsi + rax]",
        [
            // The last load needs the one before; that one the word stored.
            33.33, 66.67,
        ],
    ),
    case(
        "a call",
        "",
        "call 2f\njmp 3f\n2: mov rbx, [rbx]\nret\n3:",
        [50.0, 50.0],
    ),
    case("an address that is pushed", "", "push [rbx]\npop rbx", [50.0, 100.0]),
    case(
        "a spill",
        "",
        "mov rbx, [rbx]\nmov [rsp - 8], rbx\nxor ebx, ebx\nmov rbx, [rsp - 8]",
        [50.0, 100.0],
    ),
    case(
        "push and pop",
        "",
        "mov rbx, [rbx]\npush rbx\nxor ebx, ebx\npop rbx",
        [50.0, 100.0],
    ),
    case(
        "leave",
        "",
        "push rbp\nmov rbp, rsp\nmov rbx, [rbx]\nleave",
        [
            // What is popped was pushed, and popped the round before.
            50.0, 100.0,
        ],
    ),
    case(
        "a conditional move",
        "",
        "mov rax, [rbx]\ncmp ecx, 1\ncmovne rbx, rax",
        [100.0, 100.0],
    ),
    case(
        "a condition that was loaded",
        "",
        "cmp qword ptr [rbx], 5\nmov rax, rsi\ncmove rax, rdx\nmov rdx, [rax]",
        [50.0, 50.0],
    ),
    case(
        "a set flag",
        "",
        "cmp qword ptr [rbx], 5\nsete al\nmovzx eax, al\nmov rdx, [rsi + rax]",
        [50.0, 50.0],
    ),
    case(
        "a flag that an instruction leaves alone",
        "",
        "mov rax, [rsi]\nadd rax, rax\ninc rdi\nmov r8d, 0\nadc r8, 0\nmov rdx, [rsi + r8]",
        [50.0, 50.0],
    ),
    case(
        "registers exchanged",
        "",
        "mov rax, [rsi]\nmov edi, 0\nxchg rax, rdi\nmov rdx, [rsi + rax]",
        [0.0, 0.0],
    ),
    case(
        "a byte that is zeroed",
        "",
        "movzx eax, byte ptr [rsi]\nxor al, al\nsetz dl\nmovzx edx, dl\nmov rdi, [rsi + rdx*8]",
        [0.0, 0.0],
    ),
    case(
        "a branch is no dependence",
        "",
        "cmp qword ptr [rbx], 5\nje 2f\n2: mov rdx, [rsi]",
        [0.0, 0.0],
    ),
    case(
        "an exchange and an addition, locked",
        "",
        "xor eax, eax\nlock xadd [rbx], rax\nmov rbx, rax",
        [100.0, 100.0],
    ),
    case(
        "an exchange",
        "mov rdx, rbx",
        "xchg [rbx], rdx\nmov rbx, rdx",
        [100.0, 100.0],
    ),
    case(
        "compare and exchange",
        "",
        "mov rax, rbx\nmov rdx, rbx\nlock cmpxchg [rbx], rdx\nmov rbx, rax",
        [100.0, 100.0],
    ),
    case(
        "a string is loaded",
        "",
        "mov rsi, rbx\nlodsq\nmov rbx, rax",
        [100.0, 100.0],
    ),
    case(
        "a string is moved",
        "mov r8, rsi\nmov r9d, ecx",
        "mov ecx, 3\nmov rsi, r8\nlea rdi, [r8 + 512]\nrep movsq\nmov ecx, r9d\ndec r9d",
        [0.0, 0.0],
    ),
    case(
        "a length that was loaded",
        "mov r8, rsi\nmov r9d, ecx",
        "mov rcx, [r8]\nadd rcx, 2\nmov rsi, r8\nlea rdi, [r8 + 512]\nrep movsq\nmov ecx, r9d\ndec r9d",
        [0.0, 0.0],
    ),
    case(
        "a product",
        "mov edx, 0",
        "mov rax, [rsi]\nmul rcx\nmov rdx, [rsi + rdx]",
        [50.0, 50.0],
    ),
    case(
        "the result of a system call",
        "",
        "mov r8d, ecx\nmov rdi, [rsi]\nmov eax, 39\nsyscall\nxor edx, edx\ncmp rax, 0\nsetl dl\nmov rdx, [rsi + rdx]\nmov ecx, r8d",
        [0.0, 0.0],
    ),
];

/// The shares that are found.
fn shares(plugin: &Path, case: &Case) -> [f64; 2] {
    let Case { setup, body, .. } = case;
    let (directory, program) = assembled(&format!(
        "lea rbx, area[rip]\nlea rsi, area[rip + 8192]\nmov [rbx], rbx\nmov ecx, 400\n{setup}\nmov r15d, {ROUNDS}\n\
         1: {body}\nmov ecx, 400\ndec r15d\njnz 1b\nxor edi, edi\nmov eax, 60\nsyscall\n\
         .bss\n.align 4096\narea: .skip 16384"
    ));
    let trailer = trailer(&options(plugin, directory.path(), &program, &[]));
    shares_of(&trailer, case)
}

fn shares_of(trailer: &Trailer, case: &Case) -> [f64; 2] {
    let (counts, depend) = (trailer.counts(), trailer.dependences());
    assert!(counts.loads >= u64::from(ROUNDS), "{}: {counts:?}", case.name);
    assert_eq!(depend.loads, counts.loads, "{}: all are looked at", case.name);
    depend.near.map(|near| near as f64 * 100.0 / depend.loads as f64)
}

/// What is wrong with the cases.
fn wrong(cases: &[Case], shares: impl Fn(&Case) -> [f64; 2]) -> String {
    let judge = |case: &Case| {
        let found = shares(case);
        let right = found
            .iter()
            .zip(case.shares)
            .all(|(found, wanted)| (found - wanted).abs() < 0.1);
        (!right).then(|| format!("{}: {found:.1?} where {:?} is right", case.name, case.shares))
    };
    cases.iter().filter_map(judge).collect::<Vec<_>>().join("\n")
}

#[test]
fn loops_of_assembly_depend_as_they_should() {
    let Some(plugin) = plugin() else { return };
    assert_eq!(wrong(CASES, |case| shares(&plugin, case)), "");
}
