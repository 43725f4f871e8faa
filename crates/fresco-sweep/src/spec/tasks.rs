// SPDX-License-Identifier: MIT OR Apache-2.0
//! Keys of tasks, which go by name and by number.

use fresco_input::{InputError, Table, quoted};
use std::borrow::Cow;

/// Names of the tasks of a scenario, by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tasks(Vec<Option<String>>);

impl Tasks {
    /// Of the root of a scenario.
    ///
    /// # Errors
    /// `task` is no list of tables, or a name no text.
    pub(crate) fn of(root: &Table<'_>) -> Result<Self, InputError> {
        let name = |table: &Table<'_>| Ok(table.opt_text("name")?.map(str::to_owned));
        let names: Result<Vec<_>, InputError> = root.array_of_tables("task")?.iter().map(name).collect();
        Ok(Self(names?))
    }

    /// A key with the name of its task, if it has the number.
    pub(crate) fn plain<'k>(&self, key: &'k str) -> Cow<'k, str> {
        let named = || {
            let rest = key.strip_prefix("task.")?;
            let (number, below) = rest.split_at(rest.find('.').unwrap_or(rest.len()));
            let is_name = |name: &Option<String>| name.as_deref() == Some(number);
            let at = number.parse::<usize>().ok().filter(|_| !self.0.iter().any(is_name))?;
            let name = self.0.get(at)?.as_deref()?;
            let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
            Some(match !name.is_empty() && name.bytes().all(is_bare) {
                true => format!("task.{name}{below}"),
                false => format!("task.{}{below}", quoted(name)),
            })
        };
        named().map_or(Cow::Borrowed(key), Cow::Owned)
    }
}

/// Returns true if one of two plain keys is the other one, or in it.
pub(crate) fn meet(a: &str, b: &str) -> bool {
    a == b || is_below(a, b) || is_below(b, a)
}

/// Returns true if `outer` is a table that has the key.
pub(crate) fn is_below(key: &str, outer: &str) -> bool {
    key.strip_prefix(outer).is_some_and(|rest| rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_tasks_are_their_names() {
        let names = [Some("a"), Some("b c"), None, Some("4")];
        let tasks = Tasks(names.map(|name| name.map(str::to_owned)).to_vec());
        for (key, plain) in [
            ("task.0.core", "task.a.core"),
            ("task.0", "task.a"),
            ("task.1.core", "task.\"b c\".core"),
            ("task.a.core", "task.a.core"),
            ("task.2.core", "task.2.core"),
            ("task.4.core", "task.4.core"),
            ("tasks.0", "tasks.0"),
            ("server.0.period", "server.0.period"),
        ] {
            assert_eq!(tasks.plain(key), plain);
        }
        assert!(meet("task.a", "task.a.core") && meet("seed", "seed") && !meet("task.a", "task.ab"));
    }
}
