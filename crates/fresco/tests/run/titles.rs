// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs that show a title of their own overwrite their environment: what they were asked to run with is known all the
//! same, to `ps` and to `verify`.

use crate::common::{directory_with, json};
use crate::run::{COLORING, MAP, cannot_color, compiled, program, ready};
use fresco_testing::{Need, skip};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Overwrites its arguments and environment, all of both, and does what its first argument says: closes descriptors, gives
/// up root after a change of root, or goes on in a child. As whom it is then, it makes a request of its own, in the
/// environment and as a record.
const WIPES: &str = r#"
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
static void forge(const char *text) {
    int file = memfd_create("fresco-request", MFD_ALLOW_SEALING);
    if (write(file, text, strlen(text)) < 0 || fcntl(file, F_ADD_SEALS, 15)) exit(3);
    mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
}
int main(int count, char **words) {
    char *start = words[0], *end = start, how = *words[1], *request = strdup(getenv("FRESCO_REQUEST"));
    for (char **variable = environ; *variable; variable++) end = *variable + strlen(*variable) + 1;
    char *filled = malloc(8 << 20);
    memset(filled, 1, 8 << 20);
    memset(start, 'x', end - start);
    if (how == 'c') for (int file = 3; file < 1024; file++) close(file);
    if (how == 'f' && fork()) return wait(NULL), 0;
    if (how == 'f') memset(malloc(1 << 20), 1, 1 << 20);
    if (how == 'r' && (chroot("/tmp") || chdir("/") || setgid(65534) || setuid(65534))) return 2;
    char *asked = strstr(request, "\"banks\":[0,1,2,3]");
    if (how == 'r' && asked) {
        asked[9] = '9', memset(asked + 10, ' ', 6), asked[16] = ']';
        forge(request);
        strcpy(start, "FRESCO_REQUEST=");
        strcpy(start + 15, request);
    }
    printf("ready\n");
    fflush(stdout);
    while (getchar() != EOF) {}
    return 0;
}
"#;

/// What `ps` and `verify` say of a process: both know it, and what it was asked to run with.
fn is_known(pid: u32, directory: &Path) {
    let listed = json(&["ps", "--json"], directory);
    let listed = listed["data"]["processes"].as_array().expect("a list");
    let view = listed.iter().find(|view| view["pid"] == pid);
    let view = view.unwrap_or_else(|| panic!("{pid} is not listed"));
    assert_eq!(view["asked"], "banks=0-3,llc=0", "{view}");
    assert_eq!(view["state"], "covered", "{view}");
    let found = json(&["verify", &pid.to_string(), "--json", "--least", "0"], directory);
    assert_eq!(found["data"]["asked"], "banks=0-3,llc=0");
    assert!(found["data"]["total"]["pages"].as_u64() > Some(0), "{found}");
}

#[test]
fn a_program_that_overwrites_arguments_and_environment_is_known() {
    if cannot_color() {
        return;
    }
    let directory = directory_with(&[("map.txt", MAP), ("wipes.c", WIPES)]);
    if !compiled("wipes", directory.path()) {
        return;
    }
    for how in ["nothing", "closes", "forks", "root is given up"] {
        let mut command = Command::new(program());
        command.args(COLORING).args(["--", "./wipes", how]);
        let (mut child, output) = ready(command.current_dir(directory.path()));
        let said = fs::read(format!("/proc/{}/environ", child.id())).expect("root reads all");
        let whole = String::from_utf8_lossy(&said).contains("\"banks\":[0,1,2,3]");
        assert!(!whole, "{how}: the environment is still there");
        for pid in family(child.id()) {
            is_known(pid, directory.path());
        }
        drop(child.stdin.take());
        assert!(child.wait().expect("it ends").success(), "{how}");
        drop(output);
    }
}

/// A process and its children.
fn family(pid: u32) -> Vec<u32> {
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).expect("readable");
    let children = children.split_whitespace().filter_map(|pid| pid.parse().ok());
    std::iter::once(pid).chain(children).collect()
}

/// A program of the system that rewrites its title.
struct Titled {
    name: &'static str,
    /// Its Debian package.
    package: &'static str,
    arguments: Vec<String>,
    /// What its title says then, and those of its children.
    title: &'static str,
    children: &'static [&'static str],
    /// It refuses to run as root.
    as_nobody: bool,
}

impl Titled {
    fn path(&self) -> Option<PathBuf> {
        let mut places: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
        places.extend(["/usr/sbin".into(), "/sbin".into()]);
        // Debian keeps those of its versions apart.
        let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
        places.extend(versions.map(|version| version.path().join("bin")));
        let found = places.into_iter().map(|place| place.join(self.name));
        found.into_iter().find(|path| path.is_file())
    }

    /// Colors it, and looks at it once it shows its title.
    fn is_known(&self, directory: &Path) {
        let Some(path) = self.path() else {
            let reason = format!("{} is not installed (Debian: {})", self.name, self.package);
            return skip(Need::Programs, reason);
        };
        let mut command = match self.as_nobody {
            // Seeing frames and watching pages takes these; the rest of root is not needed.
            true => {
                let mut command = Command::new("setpriv");
                let abilities = "+sys_admin,+sys_ptrace";
                command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
                command.args(["--inh-caps", abilities, "--ambient-caps", abilities]);
                command.arg(program_for_all(directory));
                command
            }
            false => Command::new(program()),
        };
        command.args(COLORING).arg("--").arg(path).args(&self.arguments);
        let log = fs::File::create(directory.join("log")).expect("writable");
        command
            .stdin(Stdio::piped())
            .stdout(log.try_clone().expect("open"))
            .stderr(log);
        let child = Ended(command.current_dir(directory).spawn().expect("it starts"));
        let start = Instant::now();
        let shows = |pid: u32, title: &str| {
            let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).contains(title)
        };
        let children = loop {
            let found: Vec<u32> = family(child.0.id())
                .into_iter()
                .filter(|&pid| self.children.iter().any(|title| shows(pid, title)))
                .collect();
            if shows(child.0.id(), self.title) && found.len() >= self.children.len() {
                break found;
            }
            let log = || fs::read_to_string(directory.join("log")).unwrap_or_default();
            assert!(start.elapsed() < Duration::from_secs(60), "{}: {}", self.name, log());
            std::thread::sleep(Duration::from_millis(50));
        };
        for pid in std::iter::once(child.0.id()).chain(children) {
            is_known(pid, directory);
        }
    }
}

/// The program and its library where another user may read them: what is built may be in a folder of root's own.
fn program_for_all(directory: &Path) -> PathBuf {
    let built = program();
    for name in ["fresco", "libfresco_preload.so"] {
        fs::copy(Path::new(&built).with_file_name(name), directory.join(name)).expect("built, and writable");
    }
    directory.join("fresco")
}

/// A process that is told to end, and waited for, whatever comes of the test.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let pid = self.0.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &pid]).status();
        let start = Instant::now();
        while matches!(self.0.try_wait(), Ok(None)) && start.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Two blanks have an empty word between them.
fn words(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}

/// A directory for one of them, which another user may work in.
fn workplace() -> tempfile::TempDir {
    let directory = directory_with(&[("map.txt", MAP)]);
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o777)).expect("ours");
    directory
}

#[test]
fn perl_is_known_by_any_title() {
    if cannot_color() {
        return;
    }
    let directory = workplace();
    let code = "$0 = 'a title ' . 'x' x 4000; print \"ready\\n\"; <STDIN>;";
    let perl = Titled {
        name: "perl",
        package: "perl",
        arguments: vec!["-e".to_owned(), format!("$| = 1; {code}")],
        title: "a title xxx",
        children: &[],
        as_nobody: false,
    };
    perl.is_known(directory.path());
}

#[test]
fn redis_is_known() {
    if cannot_color() {
        return;
    }
    let directory = workplace();
    let redis = Titled {
        name: "redis-server",
        package: "redis-server",
        arguments: words("--port 0 --unixsocket redis.sock --appendonly no --save  --daemonize no --dir ."),
        title: "redis-server unixsocket:",
        children: &[],
        as_nobody: false,
    };
    redis.is_known(directory.path());
}

#[test]
fn nginx_and_its_workers_are_known() {
    if cannot_color() {
        return;
    }
    let directory = workplace();
    let configuration = "daemon off; user nobody nogroup; worker_processes 2; pid nginx.pid; error_log stderr;\n\
        events {} http { access_log off; server { listen unix:web.sock; } }\n";
    fs::write(directory.path().join("nginx.conf"), configuration).expect("writable");
    let place = directory.path().display();
    let nginx = Titled {
        name: "nginx",
        package: "nginx-light",
        arguments: words(&format!("-p {place} -c nginx.conf")),
        title: "nginx: master process",
        children: &["nginx: worker process"; 2],
        as_nobody: false,
    };
    nginx.is_known(directory.path());
}

#[test]
fn postgres_and_its_children_are_known() {
    if cannot_color() {
        return;
    }
    let directory = workplace();
    let postgres = Titled {
        name: "postgres",
        package: "postgresql",
        arguments: words("-D data -k . -h  -c shared_buffers=1MB -c update_process_title=on"),
        // The first process keeps its command line, as Debian has it; its children have titles.
        title: "postgres",
        children: &["postgres: checkpointer", "postgres: background writer"],
        as_nobody: true,
    };
    let Some(path) = postgres.path() else {
        return skip(Need::Programs, "postgres is not installed (Debian: postgresql)");
    };
    let made = Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
        .arg(fs::canonicalize(path).expect("it is there").with_file_name("initdb"))
        .args(["-D", "data", "-A", "trust", "--no-sync", "--locale=C"])
        .current_dir(directory.path())
        .output();
    match made {
        Ok(made) if made.status.success() => {}
        made => return skip(Need::Programs, format!("initdb: {made:?}")),
    }
    postgres.is_known(directory.path());
}
