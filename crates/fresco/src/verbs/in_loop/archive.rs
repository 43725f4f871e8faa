// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the first file system of a virtual machine has: Fresco, the programs, and what they read.

use super::guest::{FRESCO, PROGRAMS};
use super::initramfs::Initramfs;
use super::memguard;
use super::points::{self, Guest};
use fresco_input::InputError;
use fresco_scenario::Setup;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The first file system of the virtual machine, in which these files lie where they lie here, and modules where they are loaded from.
pub fn archive(guest: &Guest, setup: &Setup, files: &[PathBuf], modules: &[PathBuf]) -> Result<Vec<u8>, InputError> {
    let unreadable = |path: &Path| {
        let path = path.display().to_string();
        move |error: std::io::Error| {
            InputError::new(path.clone(), error.to_string()).help("check the name and whether it may be read")
        }
    };
    let mut archive = Initramfs::new();
    // By its process: the file may have been replaced since.
    let own = PathBuf::from(format!("/proc/{}/exe", std::process::id()));
    archive.file(Path::new(FRESCO), 0o755, &stripped(&own).map_err(unreadable(&own))?);
    for program in guest.files.iter().chain([&own]) {
        archive.libraries(program).map_err(unreadable(program))?;
    }
    for file in guest.files.iter().chain(files) {
        let file = std::path::absolute(file).map_err(unreadable(file))?;
        archive.copy(&file).map_err(unreadable(&file))?;
    }
    for (place, path) in modules.iter().enumerate() {
        let module = fs::read(path).map_err(unreadable(path))?;
        archive.file(Path::new(&memguard::module(place)), 0o644, &module);
    }
    if let Some(machine) = points::machine_file(setup) {
        let text = fs::read(&machine).map_err(unreadable(&machine))?;
        archive.file(Path::new(points::MACHINE), 0o644, &text);
    }
    let programs =
        serde_json::to_vec(&guest.programs).map_err(|error| InputError::new(PROGRAMS, error.to_string()).internal())?;
    archive.file(Path::new(PROGRAMS), 0o644, &programs);
    Ok(archive.finish())
}

/// A program without what debuggers need, where there is a tool for that: it is most of a program.
fn stripped(program: &Path) -> std::io::Result<Vec<u8>> {
    let aside = std::env::temp_dir().join(format!("fresco-loop-{}", std::process::id()));
    let done = Command::new("strip").arg("-o").arg(&aside).arg(program).output();
    let content = match done {
        Ok(done) if done.status.success() => fs::read(&aside),
        _ => fs::read(program),
    };
    let _ = fs::remove_file(&aside);
    content
}
