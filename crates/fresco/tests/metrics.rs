// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco ps --openmetrics` and `fresco verify --openmetrics` as Prometheus reads them.

use crate::common::{directory_with, fresco, refused_with};
use fresco_testing::{Need, skip};
use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A map of two bank functions, and colors of it by which any process can be judged.
const MAP: &str = "13 16\n14 17\n";

/// Runs until it is dropped.
struct Running(Child);

impl Running {
    fn start(arguments: &[&str], directory: &Path) -> Self {
        let child = Command::new(env!("CARGO_BIN_EXE_fresco"))
            .args(arguments)
            .current_dir(directory)
            .env("XDG_STATE_HOME", directory.join("state"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        Self(child)
    }

    /// Asks it to end, and returns its status.
    fn end(mut self) -> Option<i32> {
        let pid = self.0.id().to_string();
        let asked = Command::new("kill").arg(&pid).status().expect("kill is there");
        assert!(asked.success());
        self.0.wait().expect("it ends").code()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The names of the samples of OpenMetrics text, in order; what is no such text is told.
fn samples(text: &str) -> Vec<&str> {
    assert!(text.ends_with("# EOF\n"), "{text}");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| line.split(['{', ' ']).next().expect("a line has a name"))
        .collect()
}

/// Has the parser of Prometheus' own Python library read the text, strictly.
fn parsed(text: &str) {
    let program = "import sys\n\
                   from prometheus_client.openmetrics.parser import text_string_to_metric_families\n\
                   print(len(list(text_string_to_metric_families(sys.stdin.read()))))";
    let library = ["-c", "import prometheus_client.openmetrics.parser"];
    let there = Command::new("python3").args(library).stderr(Stdio::null()).status();
    if !there.is_ok_and(|status| status.success()) {
        return skip(Need::Programs, "python3 has no prometheus_client");
    }
    let mut child = Command::new("python3")
        .args(["-c", program])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("python3 starts");
    let written = child.stdin.take().expect("a pipe").write_all(text.as_bytes());
    written.expect("it reads");
    let done = child.wait_with_output().expect("it ends");
    assert!(
        done.status.success(),
        "{}\n{text}",
        String::from_utf8_lossy(&done.stderr)
    );
    let families: usize = String::from_utf8_lossy(&done.stdout).trim().parse().expect("a number");
    assert!(families >= 1, "{text}");
}

#[test]
fn a_file_has_the_whole_of_one_look() {
    let directory = directory_with(&[]);
    let done = fresco(&["ps", "--openmetrics", "fresco.prom"], directory.path());
    assert_eq!((done.status.code(), done.stdout.as_slice()), (Some(0), &b""[..]));
    let text = fs::read_to_string(directory.path().join("fresco.prom")).expect("is there");
    assert!(samples(&text).contains(&"fresco_hidden_processes"), "{text}");
    parsed(&text);
    // Nothing else is left in the directory.
    let names = fs::read_dir(directory.path())
        .expect("is there")
        .flatten()
        .map(|entry| entry.file_name());
    assert_eq!(names.filter(|name| name.to_string_lossy().contains("prom")).count(), 1);
}

/// What GET says, once somebody listens.
fn got(socket: &Path) -> String {
    let begun = Instant::now();
    let mut stream = loop {
        match UnixStream::connect(socket) {
            Ok(stream) => break stream,
            Err(error) if begun.elapsed() > Duration::from_secs(9) => panic!("{error}"),
            Err(_) => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    stream
        .write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .expect("is read");
    let mut reply = String::new();
    stream.read_to_string(&mut reply).expect("is answered");
    let (head, body) = reply.split_once("\r\n\r\n").expect("a reply has a head");
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    assert!(head.contains("application/openmetrics-text; version=1.0.0"), "{head}");
    assert!(head.contains(&format!("Content-Length: {}", body.len())), "{head}");
    body.to_owned()
}

#[test]
fn a_socket_answers_until_it_is_ended_and_is_gone_then() {
    let directory = directory_with(&[]);
    let socket = directory.path().join("fresco.sock");
    let running = Running::start(&["ps", "--openmetrics", "unix:fresco.sock"], directory.path());
    for _ in 0..2 {
        let text = got(&socket);
        assert!(samples(&text).contains(&"fresco_hidden_processes"), "{text}");
    }
    // A second program does not take it away.
    let told = refused_with(2, &["ps", "--openmetrics", "unix:fresco.sock"], directory.path());
    assert!(told.contains("cannot listen at fresco.sock"), "{told}");
    assert_eq!(running.end(), Some(0));
    assert!(!socket.exists());
    // What a program left that was killed is in nobody's way.
    let killed = Running::start(&["ps", "--openmetrics", "unix:fresco.sock"], directory.path());
    got(&socket);
    drop(killed);
    assert!(socket.exists());
    let again = Running::start(&["ps", "--openmetrics", "unix:fresco.sock"], directory.path());
    got(&socket);
    assert_eq!(again.end(), Some(0));
}

#[test]
fn a_process_is_verified_for_whoever_asks() {
    let directory = directory_with(&[("map.txt", MAP)]);
    let path = directory.path();
    let own = std::process::id().to_string();
    let look = [
        "verify",
        &own,
        "--map",
        "map.txt",
        "--colors",
        "banks=0-1",
        "--least",
        "0",
        "--openmetrics",
        "one.prom",
    ];
    let done = fresco(&look, path);
    if !done.status.success() {
        let told = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(told.contains("frame numbers") || told.contains("pagemap"), "{told}");
        return skip(Need::Coloring, told.lines().next().unwrap_or_default());
    }
    let text = fs::read_to_string(path.join("one.prom")).expect("is there");
    for name in [
        "fresco_verified_pages",
        "fresco_verified_inside_ratio",
        "fresco_verified_color_pages",
        "fresco_verified_holds",
    ] {
        assert!(samples(&text).contains(&name), "{name}: {text}");
    }
    assert!(
        text.contains(&format!("fresco_verified_holds{{pid=\"{own}\",program=")),
        "{text}"
    );
    parsed(&text);
    let watched = [
        "verify",
        &own,
        "--map",
        "map.txt",
        "--colors",
        "banks=0-1",
        "--least",
        "0",
        "--watch",
        "1",
        "--openmetrics",
        "unix:v.sock",
    ];
    let running = Running::start(&watched, path);
    let text = got(&path.join("v.sock"));
    assert!(samples(&text).contains(&"fresco_verified_holds"), "{text}");
    assert_eq!(running.end(), Some(130));
    assert!(!path.join("v.sock").exists());
}

#[test]
fn what_cannot_be_published_is_told() {
    let directory = directory_with(&[]);
    for (words, wrong) in [
        (&["ps", "--openmetrics", "tcp:9101"][..], "write address and port"),
        (&["ps", "--openmetrics", "none/fresco.prom"], "none"),
        (
            &["ps", "--openmetrics", "tcp:127.0.0.1:0", "--watch", "5"],
            "found it with a socket",
        ),
        (&["ps", "--watch", "5"], "--openmetrics"),
        (
            &["ps", "--openmetrics", "unix:none/fresco.sock"],
            "cannot listen at none/fresco.sock",
        ),
    ] {
        let told = refused_with(2, words, directory.path());
        assert!(told.contains(wrong), "{words:?}: {told}");
    }
}
