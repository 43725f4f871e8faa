// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs in C and C++ that have a memory: what they see is what the core does alone; under valgrind and the address sanitizer without a report.

use crate::built::{C, CPP, crate_dir, output, program, run, shared_library, static_library, succeeded};
use crate::replayed::{lines, machine, printed, traffic};
use fresco_memory::embedded::{Memory, Options};
use fresco_memory::{Access, TraceRequest};
use fresco_testing::{Need, skip};
use std::path::Path;
use std::process::Command;

const HOST: &str = "tests/programs/host.c";
const MODES: [&str; 5] = ["tick", "leap", "callback", "pieces", "replay"];

#[test]
fn a_host_sees_what_the_core_does_alone() {
    let Some(host) = program(&C, HOST, &[]) else { return };
    for name in [
        "ddr4-2400-bench",
        "opteron-6128",
        "raspberry-pi-5",
        "xeon-5218",
        "xeon-8460y",
    ] {
        let machine = machine(name);
        let requests = traffic(&machine, 21, 1_500);
        for outstanding in [3, 40] {
            let expected = printed(&machine, &requests, outstanding);
            for mode in MODES {
                let seen = run(&host, &[name, mode, &outstanding.to_string()], &lines(&requests));
                assert!(seen == expected, "{name}, {mode}, {outstanding} outstanding");
            }
        }
    }
}

/// The static library, linked as `fresco.pc` says, from C++.
#[test]
fn a_host_may_have_the_static_library_in_it() {
    let Some(directory) = shared_library() else { return };
    let program = directory.join("static-host");
    let pc = std::fs::read_to_string(crate_dir().join("fresco.pc.in")).expect("it is there");
    let private = pc
        .lines()
        .find_map(|line| line.strip_prefix("Libs.private: "))
        .expect("it has them");
    let mut compiler = Command::new(CPP[0]);
    compiler
        .args(&CPP[1..])
        .args(["-x", "c++", "-o"])
        .arg(&program)
        .arg(crate_dir().join(HOST))
        .arg("-I")
        .arg(crate_dir().join("include"))
        .args(["-x", "none"])
        .arg(static_library())
        .args(private.split_whitespace());
    let Ok(done) = compiler.output() else {
        return skip(Need::Compiler, "there is no c++");
    };
    succeeded("static", done);
    let machine = machine("ddr4-2400-bench");
    let requests = traffic(&machine, 2, 300);
    let seen = run(&program, &["ddr4-2400-bench", "leap", "9"], &lines(&requests));
    assert_eq!(seen, printed(&machine, &requests, 9));
}

/// Each read of a chase arrives in the cycle in which the one before is done, though time was moved all the way at once.
#[test]
fn callbacks_send_in_their_cycle() {
    let Some(chase) = program(&CPP, "tests/programs/chase.cpp", &[]) else {
        return;
    };
    let machine = machine("ddr4-2400-bench");
    let seen = run(&chase, &["ddr4-2400-bench"], "");
    let mut memory = Memory::new(&machine, Options::default());
    let mut next = 0u64;
    let expected: String = (0..2_000)
        .map(|_| {
            memory.send(next, Access::Read, 0).expect("it is taken");
            next = (next * 5 + (1 << 20)) % (1 << 30);
            let done = memory.next_done(Memory::LAST).expect("it is done");
            format!("{}\n", done.at)
        })
        .collect();
    assert_eq!(seen, expected);
    // The first has its row opened: 37 cycles, as the latency of a lone read has it.
    assert!(seen.starts_with("37\n"));
}

/// Few requests, but all kinds of calls.
fn some() -> Vec<TraceRequest> {
    traffic(&machine("ddr4-2400-bench"), 4, 200)
}

#[test]
fn the_address_sanitizer_has_nothing_to_report() {
    let sanitize = ["-fsanitize=address,undefined", "-fno-sanitize-recover"];
    for (compiler, source) in [
        (&C, HOST),
        (&CPP, "tests/programs/chase.cpp"),
        (&C, "tests/programs/wrong.c"),
    ] {
        let Some(program) = program(compiler, source, &sanitize) else {
            return;
        };
        let arguments: &[&[&str]] = match source {
            HOST => &[
                &["ddr4-2400-bench", "tick", "7"],
                &["ddr4-2400-bench", "callback", "7"],
                &["ddr4-2400-bench", "pieces", "7"],
                &["ddr4-2400-bench", "replay", "7"],
            ],
            "tests/programs/wrong.c" => &[&["none.toml"]],
            _ => &[&["ddr4-2400-bench"]],
        };
        for arguments in arguments {
            run(&program, arguments, &lines(&some()));
        }
    }
}

#[test]
fn valgrind_has_nothing_to_report() {
    if Command::new("valgrind").arg("--version").output().is_err() {
        return skip(Need::Valgrind, "there is no valgrind");
    }
    for (compiler, source, arguments) in [
        (&C, HOST, &["ddr4-2400-bench", "callback", "7"][..]),
        (&C, HOST, &["ddr4-2400-bench", "replay", "7"]),
        (&CPP, "tests/programs/chase.cpp", &["ddr4-2400-bench"]),
        (&C, "tests/programs/wrong.c", &["none.toml"]),
    ] {
        let Some(program) = program(compiler, source, &[]) else {
            return;
        };
        let mut valgrind = Command::new("valgrind");
        // Tables of standards are read once and stay.
        valgrind.args(["--quiet", "--error-exitcode=99", "--leak-check=full"]);
        let done = output(valgrind.arg(program).args(arguments), &lines(&some()));
        let report = crate::built::text(&done.stderr);
        assert!(done.status.success() && report.is_empty(), "{source}: {report}");
    }
}

/// Who looks for races in a host finds none in the library, though its tables are read by the thread that comes first.
#[test]
fn thread_checkers_have_nothing_to_report() {
    const THREADS: &str = "tests/programs/threads.c";
    let Some(sanitized) = program(&C, THREADS, &["-fsanitize=thread"]) else {
        return;
    };
    let done = output(&mut Command::new(sanitized), "");
    let report = crate::built::text(&done.stderr);
    assert_eq!(crate::built::text(&done.stdout), "1\n", "{report}");
    assert!(done.status.success() && report.is_empty(), "{report}");
    if Command::new("valgrind").arg("--version").output().is_err() {
        return skip(Need::Valgrind, "there is no valgrind");
    }
    let Some(threads) = program(&C, THREADS, &[]) else {
        return;
    };
    let mut helgrind = Command::new("valgrind");
    helgrind.args(["--tool=helgrind", "--quiet", "--error-exitcode=99"]);
    let done = output(helgrind.arg(threads), "");
    let report = crate::built::text(&done.stderr);
    assert!(done.status.success() && report.is_empty(), "{report}");
}

/// The program of the page, compiled and linked as the page says, with what `make install` installs.
#[test]
fn the_page_tells_the_truth_of_an_installed_library() {
    let Some(directory) = shared_library() else { return };
    if Command::new("pkg-config").arg("--version").output().is_err() {
        return skip(Need::Compiler, "there is no pkg-config");
    }
    let prefix = directory.join("installed");
    let prefix = prefix.display();
    let install = crate_dir().join("../../scripts/c-install");
    let done = Command::new(install)
        .arg(static_library())
        .arg(prefix.to_string())
        .env("STRIP", "strip")
        .output();
    succeeded("scripts/c-install", done.expect("it starts"));
    let flags = |arguments: &[&str]| -> Vec<String> {
        let mut command = Command::new("pkg-config");
        command.env("PKG_CONFIG_PATH", format!("{prefix}/lib/pkgconfig"));
        let done = command.args(arguments).arg("fresco").output().expect("it starts");
        let said = succeeded("pkg-config", done);
        said.split_whitespace().map(str::to_owned).collect()
    };
    assert_eq!(flags(&["--modversion"]), [env!("CARGO_PKG_VERSION")]);
    assert!(flags(&["--static", "--libs"]).ends_with(&["-lc".to_owned()]));

    let page = std::fs::read_to_string(crate_dir().join("../../docs/embed.md")).expect("it is there");
    let (_, block) = page.split_once("```c host.c\n").expect("the page has a program");
    let (program, _) = block.split_once("```").expect("it ends");
    let (_, promised) = program.split_once("/* Prints: ").expect("it says what it prints");
    let (promised, _) = promised.split_once(". */").expect("and ends that");
    let source = directory.join("page-host.c");
    std::fs::write(&source, program).expect("it is written");
    let host = directory.join("page-host");
    let mut compiler = Command::new(C[0]);
    compiler.args(&C[1..]).arg("-o").arg(&host).arg(&source);
    compiler.args(flags(&["--cflags", "--libs"]));
    let done = compiler.arg(format!("-Wl,-rpath,{prefix}/lib")).output();
    succeeded("the page's program", done.expect("a compiler"));
    let printed = |host: &Path| run(host, &[], "").lines().collect::<Vec<_>>().join(", ");
    assert_eq!(printed(&host), promised);

    // With the library in it: all of it static, or this library alone. Neither needs to be told where the shared one is.
    let archive = format!("{prefix}/lib/libfresco.a");
    let libraries = flags(&["--static", "--libs"]);
    let replaced = libraries.iter().map(|flag| match flag.as_str() {
        "-lfresco" => archive.clone(),
        _ => flag.clone(),
    });
    let all_static = [vec!["-static".to_owned()], libraries.clone()].concat();
    for (name, libraries) in [("all-static", all_static), ("page-static", replaced.collect())] {
        let host = directory.join(name);
        let mut compiler = Command::new(C[0]);
        compiler.args(&C[1..]).arg("-o").arg(&host).arg(&source);
        let done = compiler.args(flags(&["--cflags"])).args(libraries).output();
        succeeded(name, done.expect("a compiler"));
        assert_eq!(printed(&host), promised, "{name}");
    }

    // A shared library with this one in it exports what is its own.
    let own = directory.join("own.c");
    std::fs::write(
        &own,
        "#include <fresco.h>\nconst char *mine(void) { return fresco_version(); }\n",
    )
    .expect("it is written");
    let shared = directory.join("libown.so");
    let mut compiler = Command::new(C[0]);
    compiler.args(["-shared", "-fPIC", "-o"]).arg(&shared).arg(&own);
    let archive = archive.as_str();
    let libraries = libraries
        .iter()
        .map(|flag| if flag == "-lfresco" { archive } else { flag });
    let done = compiler.args(flags(&["--cflags"])).args(libraries).output();
    succeeded("own", done.expect("a compiler"));
    let done = Command::new("nm")
        .args(["--dynamic", "--defined-only"])
        .arg(&shared)
        .output();
    let exported = succeeded("nm", done.expect("it comes with the compiler"));
    assert!(
        exported.lines().count() == 1 && exported.ends_with(" T mine\n"),
        "{exported}"
    );

    // Moved, with all that was installed.
    let moved = directory.join("moved");
    let _ = std::fs::remove_dir_all(&moved);
    std::fs::rename(directory.join("installed"), &moved).expect("it is moved");
    let mut command = Command::new("pkg-config");
    command.env("PKG_CONFIG_PATH", moved.join("lib/pkgconfig"));
    let done = command.args(["--cflags", "fresco"]).output().expect("it starts");
    let said = succeeded("pkg-config", done);
    let include = said.trim().strip_prefix("-I").expect("a directory");
    let found = std::fs::canonicalize(include).expect("it is there");
    assert_eq!(
        found,
        std::fs::canonicalize(moved.join("include")).expect("it is there")
    );
}
