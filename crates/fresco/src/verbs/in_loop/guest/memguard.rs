// SPDX-License-Identifier: MIT OR Apache-2.0
//! Within the virtual machine: MemGuard's module keeps budgets.

use super::SAYS;
use crate::failure::tell;
use fresco_linux::sys::guest::{load_module, mount};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

/// Where modules lie.
pub const MODULES: &str = "/loop/modules";
/// The module's settings.
const ROOT: &str = "/sys/kernel/config/memguard";
/// The kernel's tracing, if it has it.
const TRACING: &str = "/sys/kernel/tracing";

/// What is done for budgets.
#[derive(Debug, Serialize, Deserialize)]
pub struct Memguard {
    /// Files of modules, in the order in which they are loaded.
    pub modules: Vec<String>,
    /// Files of the module's settings and what is written to each, in this order; then it begins.
    pub settings: Vec<(String, String)>,
    /// Processors with budgets.
    pub cpus: Vec<u32>,
}

impl Memguard {
    /// Has the module keep the budgets, from here on.
    ///
    /// # Errors
    /// The kernel does not take a module, or a module a setting.
    pub fn begin(&self) -> io::Result<()> {
        for module in &self.modules {
            let refused = |error| io::Error::other(format!("this kernel does not load module {module}: {error}"));
            load_module(Path::new(module)).map_err(refused)?;
        }
        let none = |error: rustix::io::Errno| io::Error::other(format!("this kernel has no configfs: {error}"));
        mount(c"configfs", c"/sys/kernel/config").map_err(none)?;
        for (file, text) in &self.settings {
            self.set(file, text)?;
        }
        // Without it there are no periods to tell of.
        if mount(c"tracefs", c"/sys/kernel/tracing").is_ok() {
            fs::write(format!("{TRACING}/events/memguard/memguard_period/enable"), "1")?;
        }
        self.set("active", "1")?;
        // Budgets begin with the first whole period.
        await_period()
    }

    fn set(&self, file: &str, text: &str) -> io::Result<()> {
        let refused = |error| io::Error::other(format!("{ROOT}/{file} takes no {text}: {error}"));
        fs::write(format!("{ROOT}/{file}"), text).map_err(refused)
    }

    /// Says what came of it so far, the present period included: once it is over.
    ///
    /// # Errors
    /// The module has gone.
    pub fn tell(&self) -> io::Result<()> {
        await_period()?;
        let trace = fs::read_to_string(format!("{TRACING}/trace")).unwrap_or_default();
        for cpu in &self.cpus {
            let stat = fs::read_to_string(format!("{ROOT}/cpus/{cpu}/stat"))?;
            let stat: Vec<String> = stat.lines().map(|line| line.replace(' ', "=")).collect();
            tell(&format!("{SAYS}memguard {cpu} stat: {}", stat.join(" ")));
            tell(&format!(
                "{SAYS}memguard {cpu} periods: {}",
                periods(&trace, *cpu).join(" ")
            ));
        }
        Ok(())
    }
}

/// Until the present period is over.
fn await_period() -> io::Result<()> {
    let period = fs::read_to_string(format!("{ROOT}/period_us"))?;
    std::thread::sleep(Duration::from_micros(period.trim().parse().unwrap_or(0)));
    Ok(())
}

/// Of a trace, periods of a processor in which it has moved something: `NUMBER:USED:GIVEN`.
fn periods(trace: &str, cpu: u32) -> Vec<String> {
    let of_line = |line: &str| {
        let fields: BTreeMap<&str, &str> = line
            .split_once("memguard_period: ")?
            .1
            .split_whitespace()
            .filter_map(|field| field.split_once('='))
            .collect();
        let is_its = fields.get("cpu")?.parse() == Ok(cpu) && *fields.get("used")? != "0";
        let [number, used, given] = ["period", "used", "given"].map(|name| fields.get(name));
        is_its.then_some(format!("{}:{}:{}", number?, used?, given?))
    };
    trace.lines().filter_map(of_line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_are_those_of_the_trace() {
        let trace = "# tracer: nop\n\
            xz-1 [001] d.h.. 1.0: memguard_period: cpu=1 period=7 used=1003 given=1000 held=1\n\
            xz-1 [001] d.h.. 1.0: memguard_period: cpu=0 period=7 used=5 given=1000 held=0\n\
            xz-1 [001] d.h.. 1.1: memguard_period: cpu=1 period=8 used=0 given=1000 held=0\n\
            xz-1 [001] d.h.. 1.1: memguard_exhausted: cpu=1 period=9 used=7\n";
        assert_eq!(periods(trace, 1), ["7:1003:1000"]);
        assert_eq!(periods(trace, 0), ["7:5:1000"]);
    }
}
