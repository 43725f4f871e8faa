// SPDX-License-Identifier: MIT OR Apache-2.0
//! The yardsticks: which program, with which parameters unless others are given.

use fresco_input::InputError;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yardstick {
    /// A pointer chase (BEN-2).
    Latency,
    /// An array, in order (BEN-3).
    Bandwidth,
    /// Writes from the middle outwards (BEN-1).
    Strides,
    /// Jobs with deadlines (BEN-5).
    Hrt,
    /// Latency beside traffic, by programs of its own.
    Curves,
}

/// The yardsticks by name.
pub const YARDSTICKS: [(&str, Yardstick); 5] = [
    ("latency", Yardstick::Latency),
    ("bandwidth", Yardstick::Bandwidth),
    ("strides", Yardstick::Strides),
    ("hrt", Yardstick::Hrt),
    ("curves", Yardstick::Curves),
];

/// A program with its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// Name in the table of programs.
    pub program: &'static str,
    /// Parameters in TOML, a line each.
    pub parameters: String,
}

impl Chosen {
    /// A fault of a line of the parameters, told of the `--set` that it comes from.
    pub fn as_given(&self, error: InputError, set: &[(String, String)]) -> InputError {
        let line = error
            .line
            .and_then(|line| self.parameters.lines().nth(line as usize - 1));
        let key = line.and_then(|line| line.split_once(" = ")).map(|(key, _)| key);
        // Of a key that is set twice the last is told: the first, too, is in the way.
        match set.iter().rev().find(|(given, _)| Some(given.as_str()) == key) {
            Some((key, value)) => InputError::new(format!("--set {key}={value}"), error.found.clone())
                .allowed(error.allowed.clone())
                .help(error.help.clone()),
            None => error,
        }
    }
}

impl Yardstick {
    /// Its name.
    pub fn name(self) -> &'static str {
        YARDSTICKS
            .iter()
            .find(|(_, one)| *one == self)
            .map_or("", |(name, _)| name)
    }

    /// The program with these parameters, and with its own where none are given. A number or a size stands as it is,
    /// anything else as text.
    pub fn chosen(self, set: &[(String, String)]) -> Result<Chosen, InputError> {
        // A job reads 2 MiB: it is over within its deadline on a quiet machine, and misses the smaller caches.
        let (program, own): (_, &[(&str, &str)]) = match self {
            Self::Latency | Self::Curves => ("latency", &[]),
            Self::Strides => ("strides", &[]),
            Self::Bandwidth => ("bandwidth", &[("access", "read")]),
            Self::Hrt => ("bandwidth", &[("access", "read"), ("bytes", "2 MiB")]),
        };
        if let Some((key, value)) = set.iter().find(|(key, _)| ["passes", "warmup"].contains(&key.as_str())) {
            return Err(
                InputError::new(format!("--set {key}={value}"), "found a number of passes")
                    .allowed("other parameters of the program: see fresco sim --programs")
                    .help("say how often to measure with --repetitions or --jobs"),
            );
        }
        let given = |name: &str| set.iter().any(|(key, _)| key == name);
        let own = own
            .iter()
            .filter(|(key, _)| !given(key))
            .map(|(key, value)| (*key, *value));
        let all = own.chain(set.iter().map(|(key, value)| (key.as_str(), value.as_str())));
        let mut parameters = String::new();
        for (key, value) in all {
            let plain = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
            let clean = |c: char| c.is_ascii_graphic() || c == ' ';
            if key.is_empty() || !key.chars().all(plain) || !value.chars().all(|c| clean(c) && c != '\'') {
                return Err(
                    InputError::new(format!("--set {key}={value}"), "found no parameter of a program")
                        .allowed("KEY=VALUE, such as bytes=64MiB")
                        .help("see fresco sim --programs for the parameters"),
                );
            }
            let number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
            let line = if number {
                format!("{key} = {value}\n")
            } else {
                format!("{key} = '{value}'\n")
            };
            parameters.push_str(&line);
        }
        Ok(Chosen { program, parameters })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_parameters_replace_own_ones() {
        let set = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        let chosen = Yardstick::Hrt
            .chosen(&[set("bytes", "1MiB"), set("stride", "128")])
            .expect("parameters");
        assert_eq!(chosen.parameters, "access = 'read'\nbytes = '1MiB'\nstride = 128\n");
        for (key, value) in [("passes", "3"), ("a b", "1"), ("bytes", "1'\nx=2")] {
            assert!(Yardstick::Latency.chosen(&[set(key, value)]).is_err(), "{key}={value}");
        }
    }
}
