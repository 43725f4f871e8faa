// SPDX-License-Identifier: MIT OR Apache-2.0
//! No result over what it is made from.

use crate::{InputError, file_name, is_standard_input};
use std::fs;
use std::path::Path;

/// Returns true if both are names of one file, through whatever links; false if either does not exist.
pub fn same_file(one: &Path, other: &Path) -> bool {
    identity(one).is_some_and(|file| identity(other) == Some(file))
}

/// Device and number of the file.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).ok().map(|file| (file.dev(), file.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<std::path::PathBuf> {
    fs::canonicalize(path).ok()
}

/// Checks that `output`, which `option` named, is none of the files that are read.
///
/// # Errors
/// It is one of them, under this or another name.
pub fn refuse_overwriting<'p>(
    option: &str,
    output: &Path,
    inputs: impl IntoIterator<Item = &'p Path>,
) -> Result<(), InputError> {
    let is_same = |input: &&Path| match is_standard_input(input) {
        // What is no file, such as a terminal, can be read and written at once.
        true => output.is_file() && same_file(output, Path::new("/dev/stdin")),
        false => same_file(output, input),
    };
    let Some(input) = inputs.into_iter().find(is_same) else {
        return Ok(());
    };
    let found = format!("found the file that is read as {}", file_name(input));
    Err(InputError::new(output.display().to_string(), found)
        .in_field(option)
        .allowed("a file that is not read by the same run")
        .help("name another file to write"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_under_all_its_names() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = |name: &str| directory.path().join(name);
        fs::write(path("input"), "x").expect("writable");
        fs::write(path("twin"), "x").expect("writable");
        fs::hard_link(path("input"), path("hard")).expect("a link");
        let mut names = vec![path("input"), path("./input")];
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("input", path("soft")).expect("a link");
            names.extend([path("soft"), path("hard")]);
        }
        let input = path("input");
        for name in &names {
            let error = refuse_overwriting("--out", name, [path("twin").as_path(), &input]).expect_err("is the input");
            assert!(error.found.contains("input") && error.field == "--out", "{error}");
        }
        for other in ["twin", "absent"] {
            assert_eq!(refuse_overwriting("--out", &path(other), [input.as_path()]), Ok(()));
        }
    }
}
