// SPDX-License-Identifier: MIT OR Apache-2.0
//! The checker's verdict.

use crate::create::tell;
use crate::handle::{Handle, enter};
use crate::layout::give;
use crate::status::{FRESCO_ERROR_STATE, FRESCO_OK, Failure};
use crate::types::fresco_verdict;
use fresco_memory::checker::CheckerReport;
use std::ffi::{c_char, c_int};

fn c_verdict(report: &CheckerReport) -> fresco_verdict {
    fresco_verdict {
        size: size_of::<fresco_verdict>(),
        end: report.end,
        commands: report.commands_total(),
        violations: report.violations_total(),
        late_rows: report.retention.late_rows,
        short_banks: report.retention.shortfall_banks,
        clean: u64::from(report.is_clean()),
        long_pauses: report.retention.postponements,
        refresh_judged: u64::from(report.refresh_judged),
    }
}

/// See `fresco.h`.
///
/// # Safety
/// The handle is null or valid, and used by nobody else; `to` is null or points to a structure with its size; `text` is null or room for `text_size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fresco_memory_check(
    handle: *mut Handle,
    to: *mut fresco_verdict,
    text: *mut c_char,
    text_size: usize,
) -> c_int {
    let work = |handle: &mut Handle| {
        let Some(report) = handle.memory.verdict() else {
            return Err(Failure {
                status: FRESCO_ERROR_STATE,
                text: "the checker is off; create the memory with FRESCO_CHECK".to_owned(),
            });
        };
        // SAFETY: as the caller promises.
        unsafe {
            give(to, "fresco_verdict", &c_verdict(&report))?;
            tell(&report.to_string(), text, text_size);
        }
        Ok(FRESCO_OK)
    };
    // SAFETY: as the caller promises.
    unsafe { enter(handle, work) }
}
