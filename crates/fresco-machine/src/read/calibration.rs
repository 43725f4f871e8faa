// SPDX-License-Identifier: MIT OR Apache-2.0
//! `[calibration]`: values that were fitted, which replace those of the rest of the file.

use super::OF_CALIBRATION;
use crate::Calibration;
use fresco_input::{Document, InputError, Table};

/// Key of the section. An override with `false` takes all fitted values back: the machine is what the rest of its file says.
pub(super) const KEY: &str = "calibration";

/// Puts the fitted values in place of the file's, and returns them.
///
/// # Errors
/// A key that may not be fitted, or a value that TOML cannot have there.
pub(super) fn apply(document: &mut Document) -> Result<Vec<(String, String)>, InputError> {
    let mut fitted = Vec::new();
    if let Some(calibration) = section(&document.root())?
        && let Some(table) = calibration.opt_table("fitted")?
    {
        for (key, item) in table.leaves("")? {
            if !OF_CALIBRATION.contains(&key.as_str()) {
                return Err(item
                    .error(format!("found {key:?}, which is not fitted"))
                    .allowed(OF_CALIBRATION.join(", "))
                    .help("write what is known of a machine into its own table"));
            }
            fitted.push((key, item.to_toml()));
        }
    }
    for (key, value) in &fitted {
        document.set_value(key, value)?;
    }
    Ok(fitted)
}

/// An error that came of a fitted value, at the place where it stands instead of under the name of an override.
pub(super) fn relocate(error: InputError, file_name: &str, fitted: &[(String, String)]) -> InputError {
    let is_its = |key: &&(String, String)| error.file.starts_with(&format!("--set {}=", key.0));
    match fitted.iter().find(is_its) {
        Some((key, _)) => InputError::new(file_name, error.found.clone())
            .in_field(format!("calibration.fitted.{key}"))
            .allowed(error.allowed.clone())
            .help(error.help.clone()),
        None => error,
    }
}

/// The section, if there is one and it is not switched off by [`KEY`]` = false`.
fn section<'d>(root: &Table<'d>) -> Result<Option<Table<'d>>, InputError> {
    match root.opt_item(KEY) {
        Some(item) if matches!(item.boolean(), Ok(false)) => Ok(None),
        _ => root.opt_table(KEY),
    }
}

/// What a file says of its calibration.
pub(super) fn read(root: &Table<'_>) -> Result<Option<Calibration>, InputError> {
    let Some(table) = section(root)? else {
        return Ok(None);
    };
    let mut fitted = Vec::new();
    if let Some(values) = table.opt_table("fitted")? {
        for (key, item) in values.leaves("")? {
            fitted.push((key, item.to_toml()));
        }
        values.finish()?;
    }
    let calibration = Calibration {
        data: table.text("data")?.to_owned(),
        digest: table.text("digest")?.to_owned(),
        held_out: match table.opt_item("held_out") {
            Some(item) => item.numbers(0..=100)?,
            None => Vec::new(),
        },
        fitted,
        residuals: table.texts("residuals")?,
    };
    table.finish()?;
    Ok(Some(calibration))
}
