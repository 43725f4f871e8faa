// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was run: version, command line, seed, machine files. Stands in everything the program prints as a result.

pub use fresco_show::inputs::{digest, machine_file, named_machine};

use fresco_report::Provenance;

/// The provenance of this invocation; `seed` is `None` if nothing in it is random.
pub fn of_this_run(seed: impl Into<Option<u64>>) -> Provenance {
    let words = std::env::args_os()
        .skip(1)
        .map(|word| word.to_string_lossy().into_owned());
    let mut command = vec!["fresco".to_owned()];
    command.extend(without_threads(words).map(|word| quoted(&word)));
    let mut provenance = Provenance::new(env!("CARGO_PKG_VERSION"), command.join(" "), seed);
    provenance.revision = option_env!("FRESCO_REVISION").map(str::to_owned);
    provenance
}

/// The words of a command line less `--threads N`: it changes no result, and so no byte of the output either.
fn without_threads(words: impl Iterator<Item = String>) -> impl Iterator<Item = String> {
    let mut value_follows = false;
    words.filter(move |word| {
        let is_value = std::mem::replace(&mut value_follows, word == "--threads");
        !is_value && word != "--threads" && !word.starts_with("--threads=")
    })
}

/// A word as a shell would have to be given it.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::without_threads;

    #[test]
    fn the_number_of_threads_leaves_no_trace() {
        let words = ["sim", "a.toml", "--threads", "2", "--json", "--threads=1", "b.toml"];
        let left: Vec<String> = without_threads(words.iter().map(|word| (*word).to_owned())).collect();
        assert_eq!(left, ["sim", "a.toml", "--json", "b.toml"]);
    }
}
