// SPDX-License-Identifier: MIT OR Apache-2.0
//! Text of C: the types of the tables, and names as strings.

use std::fmt::Write as _;

/// The types of the tables of a plan.
pub const TYPES: &str = "\
struct fresco_task {
\tconst char *name;
\tuint64_t phase_ns;    /* first release */
\tuint64_t period_ns;   /* 0: a batch task */
\tuint64_t wcet_ns;
\tuint64_t deadline_ns; /* from a release */
\tuint32_t core;        /* FRESCO_NONE: the windows say so, or any (FRESCO_MIGRATES) */
\tuint32_t color;       /* of its first instance; FRESCO_NONE: of all */
};

/* Memory that is refreshed together. */
struct fresco_color {
\tconst char *ranks;       /* as 0-3,8, in every channel */
\tuint32_t bank;           /* FRESCO_NONE: all */
\tconst char *bank_colors; /* page colors, as 0-3,8 */
};

/* Time of a core, by start; repeats after FRESCO_FRAME_NS. */
struct fresco_window {
\tuint64_t start_ns;
\tuint64_t length_ns;
\tuint32_t core;
\tuint32_t task;     /* FRESCO_NONE: the first ready task of the color */
\tuint32_t job;      /* number of the task's job in the frame */
\tuint32_t instance; /* of the task's memory */
\tuint32_t color;    /* FRESCO_NONE: the task says so */
};

/* Set to its budget at multiples of its period; of a core the first has the highest priority. */
struct fresco_server {
\tuint32_t core;
\tuint32_t color;
\tuint64_t period_ns;
\tuint64_t budget_ns;
};

/* No task with memory of the color runs meanwhile; repeats after FRESCO_LOCK_PERIOD_NS. */
struct fresco_lock {
\tuint64_t start_ns;
\tuint64_t length_ns;
\tuint32_t color;
};

/* REFab for each rank of the color, back to back; repeats after FRESCO_REFRESH_PERIOD_NS. */
struct fresco_refresh {
\tuint64_t start_ns;
\tuint64_t commands;
\tuint32_t color;
};
";

/// A string of C, whatever a name holds.
pub fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' | b'?' => {
                out.push('\\');
                out.push(byte as char);
            }
            b' '..=b'~' => out.push(byte as char),
            // Three digits: no digit that follows is taken for a part of it.
            _ => _ = write!(out, "\\{byte:03o}"),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::string;

    #[test]
    fn names_are_strings_of_c() {
        assert_eq!(string("a\"b\\c??=1"), "\"a\\\"b\\\\c\\?\\?=1\"");
        assert_eq!(string("\n7é"), "\"\\0127\\303\\251\"");
    }
}
