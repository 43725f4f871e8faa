// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parts of programs: from one function to another, and regions that programs mark.

use crate::common::{built, built_by, can_build_for_arm, options, plugin, record, recorded, trailer};
use fresco_load::trace::ftrace::recorded::{Ending, Visits};
use fresco_record::{Ended, HEADER, Why};

/// `solve` stores 10,000 times and calls nothing; `report` is called after it.
const SOLVER: &str = "#include <stdlib.h>\n\
    volatile long area[64];\n\
    __attribute__((noinline)) void fill(int count) { for (int i = 0; i < count; i++) area[i % 64] = i; }\n\
    __attribute__((noinline)) void solve(void) { for (int i = 0; i < 10000; i++) area[i % 64] = i; }\n\
    __attribute__((noinline)) void report(void) { area[0] = 1; }\n\
    int main(void) { fill(300000); solve(); report(); fill(300000); return 5; }";

#[test]
fn from_one_function_to_another() {
    let Some(plugin) = plugin() else { return };
    for flags in [
        &["-O1", "-static"][..],
        &["-O1", "-pie", "-fPIE"],
        &["-O1", "-no-pie"],
        &["-O1", "-static-pie"],
    ] {
        let (directory, program) = built("program.c", SOLVER, flags);
        let mut options = options(&plugin, directory.path(), &program, &[]);
        options.from_symbol = Some("solve".into());
        options.to_symbol = Some("report".into());
        let recording = recorded(&options);
        assert_eq!(recording.ended, Ended::Enough, "{flags:?}");
        let counts = recording.trailer.counts();
        assert!((10_000..10_010).contains(&counts.stores), "{flags:?}: {counts:?}");
        options.to_symbol = None;
        let recording = recorded(&options);
        assert_eq!(recording.trailer.ending, Ending::Status(5));
        // And with what a C library does at the end; what it does at the begin depends on the environment.
        let stores = recording.trailer.counts().stores;
        assert!(stores >= 310_000, "{flags:?}: {stores}");
        (options.from_symbol, options.to_symbol) = (None, Some("solve".into()));
        let before = recorded(&options).trailer.counts().stores;
        assert!(before >= 300_000, "{flags:?}: {before}");
        options.to_symbol = None;
        let whole = recorded(&options).trailer.counts().stores;
        assert_eq!(before + stores, whole, "{flags:?}");
        // What is left out is counted from there.
        options.from_symbol = Some("solve".into());
        (options.to_symbol, options.skip) = (Some("report".into()), 20_000);
        let rest = recorded(&options).trailer.counts().stores;
        assert!(rest > 1000 && rest < 9_000, "{flags:?}: {rest}");
    }
}

#[test]
fn functions_that_are_not_there_are_told_with_those_that_are() {
    let Some(plugin) = plugin() else { return };
    let (directory, program) = built("program.c", SOLVER, &["-O1"]);
    let mut options = options(&plugin, directory.path(), &program, &[]);
    let mut refused = |name: &str| {
        options.from_symbol = Some(name.into());
        let failure = record(&options, &mut |_| {}, &|| false).expect_err("is refused");
        assert_eq!(failure.why, Why::Symbol);
        failure.what
    };
    assert!(refused("slove").ends_with("program: no function slove; near: solve"));
    assert!(refused("epor").ends_with("near: report"));
    assert!(refused("area").contains("no function area"));
    let (directory, program) = built("program.c", SOLVER, &["-O1", "-s", "-static"]);
    let mut options = crate::common::options(&plugin, directory.path(), &program, &[]);
    options.to_symbol = Some("solve".into());
    let failure = record(&options, &mut |_| {}, &|| false).expect_err("is refused");
    assert!(failure.what.contains("it has no symbols"), "{failure}");
}

/// Five frames of 1000 stores in a region, within another region, beside a hundred thousand others.
const FRAMES: &str = "static volatile long area[64];\n\
    static inline void fill(int count) { for (int i = 0; i < count; i++) area[i & 63] = i; }\n\
    static int frames(void) { FRESCO_BEGIN(all_of_them); for (int i = 0; i < 5; i++) { fill(10000); FRESCO_BEGIN(frame); fill(1000); \
    FRESCO_END(frame); fill(10000); } FRESCO_END(all_of_them); return 0; }\n";

fn check(visits: &[(String, Vec<Visits>)]) {
    let [(all, whole), (frame, frames)] = visits else {
        panic!("{visits:?}")
    };
    assert_eq!((all.as_str(), frame.as_str()), ("all_of_them", "frame"));
    let ([whole], [frames]) = (&whole[..], &frames[..]) else {
        panic!("{visits:?}")
    };
    assert_eq!((whole.times, frames.times), (1, 5));
    // A volatile store each, and no other access; nothing is rounded to blocks.
    assert_eq!((whole.accesses, frames.accesses), (5 * 21_000, 5 * 1000));
    assert!(
        frames.instructions > 3 * 5000 && frames.instructions < 8 * 5000,
        "{frames:?}"
    );
}

#[test]
fn regions_that_a_program_marks() {
    let Some(plugin) = plugin() else { return };
    for flags in [&["-O2", "-static"][..], &["-O1", "-pie", "-fPIE"]] {
        let source = format!("{HEADER}{FRAMES}int main(void) {{ return frames(); }}\n");
        let (directory, program) = built("program.c", &source, flags);
        let trailer = trailer(&options(&plugin, directory.path(), &program, &[]));
        let regions = trailer.regions.into_iter().map(|region| (region.name, region.visits));
        check(&regions.collect::<Vec<_>>());
    }
}

#[test]
fn regions_that_a_program_for_arm_marks() {
    let Some(plugin) = plugin() else { return };
    let Some(compiler) = can_build_for_arm() else { return };
    let source = format!(
        "{HEADER}{FRAMES}void _start(void) {{ register long status __asm__(\"x0\") = frames(); register long call __asm__(\"x8\") = 93; \
         __asm__ volatile(\"svc 0\" :: \"r\"(status), \"r\"(call)); }}\n"
    );
    let (directory, program) = built_by(
        compiler,
        "program.c",
        &source,
        &["-O2", "-static", "-nostdlib", "-ffreestanding"],
    );
    let trailer = trailer(&options(&plugin, directory.path(), &program, &[]));
    let regions = trailer.regions.into_iter().map(|region| (region.name, region.visits));
    check(&regions.collect::<Vec<_>>());
}

#[test]
fn marks_do_nothing_elsewhere() {
    let Some(_) = plugin() else { return };
    let source = format!("{HEADER}{FRAMES}int main(void) {{ return frames(); }}\n");
    let (_directory, program) = built("program.c", &source, &["-O2"]);
    let status = std::process::Command::new(program).status().expect("it runs");
    assert!(status.success());
}
