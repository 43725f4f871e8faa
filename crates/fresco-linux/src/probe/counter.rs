// SPDX-License-Identifier: MIT OR Apache-2.0
//! The counter of a processor, and what keeps loads from each other.

use super::ProbeRefusal;
use std::time::{Duration, Instant};

/// How long the counter is compared with the clock.
const CALIBRATION: Duration = Duration::from_millis(50);

/// A counter that ticks evenly, whatever the processor's clock does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counter {
    /// Nanoseconds of a tick.
    pub tick_ns: f64,
}

impl Counter {
    /// The counter of this machine.
    ///
    /// # Errors
    /// It has none that ticks evenly and can be read here.
    pub fn find() -> Result<Self, ProbeRefusal> {
        processor::check()?;
        if let Some(tick_ns) = processor::tick_ns() {
            return Ok(Self { tick_ns });
        }
        let (clock, first) = (Instant::now(), processor::ticks());
        std::thread::sleep(CALIBRATION);
        let (passed, ticks) = (clock.elapsed(), processor::ticks().wrapping_sub(first));
        match ticks {
            0 => Err(ProbeRefusal::Counter("the processor's counter stands still")),
            _ => Ok(Self {
                tick_ns: passed.as_nanos() as f64 / ticks as f64,
            }),
        }
    }

    /// Nanoseconds of a difference of counts.
    pub fn ns(&self, ticks: u64) -> f64 {
        ticks as f64 * self.tick_ns
    }
}

pub(super) use processor::{fence, flush, ticks};

#[cfg(target_arch = "x86_64")]
mod processor {
    use super::ProbeRefusal;
    use std::arch::x86_64::{__cpuid, _mm_clflush, _mm_lfence, _mm_mfence, _rdtsc};

    /// The counter is invariant if bit 8 of EDX of leaf 8000_0007 says so (both vendors' manuals).
    pub fn check() -> Result<(), ProbeRefusal> {
        let most = __cpuid(0x8000_0000).eax;
        match most >= 0x8000_0007 && __cpuid(0x8000_0007).edx >> 8 & 1 == 1 {
            true => Ok(()),
            false => Err(ProbeRefusal::Counter(
                "the time-stamp counter of this processor does not tick evenly (no invariant TSC)",
            )),
        }
    }

    pub fn tick_ns() -> Option<f64> {
        None
    }

    /// The count, read after all loads before it are done and before any after it begins.
    pub fn ticks() -> u64 {
        // SAFETY: these instructions are in every processor of this architecture and touch no memory.
        unsafe {
            _mm_lfence();
            let count = _rdtsc();
            _mm_lfence();
            count
        }
    }

    /// Waits until everything before it is done.
    pub fn fence() {
        // SAFETY: as above.
        unsafe {
            _mm_mfence();
            _mm_lfence();
        }
    }

    /// Puts a line out of all caches.
    ///
    /// # Safety
    /// The address is mapped.
    pub unsafe fn flush(address: *const u8) {
        // SAFETY: the instruction is in every processor of this architecture and changes no contents.
        unsafe { _mm_clflush(address) };
    }
}

#[cfg(target_arch = "aarch64")]
mod processor {
    use super::ProbeRefusal;
    use std::arch::asm;

    /// The generic timer is in every processor of this architecture, and Linux lets programs read it.
    pub fn check() -> Result<(), ProbeRefusal> {
        Ok(())
    }

    /// CNTFRQ_EL0 says how often it ticks in a second.
    pub fn tick_ns() -> Option<f64> {
        let frequency: u64;
        // SAFETY: Linux lets programs read this register.
        unsafe { asm!("mrs {}, cntfrq_el0", out(reg) frequency, options(nomem, nostack)) };
        (frequency > 0).then(|| 1e9 / frequency as f64)
    }

    /// The count, read after all loads before it are done and before any after it begins.
    pub fn ticks() -> u64 {
        let count: u64;
        // SAFETY: Linux lets programs read this register; barriers touch no memory.
        unsafe { asm!("dsb sy", "isb", "mrs {}, cntvct_el0", "isb", out(reg) count, options(nostack)) };
        count
    }

    /// Waits until everything before it is done.
    pub fn fence() {
        // SAFETY: barriers touch no memory.
        unsafe { asm!("dsb sy", "isb", options(nostack)) };
    }

    /// Puts a line out of all caches, to the point of coherency.
    ///
    /// # Safety
    /// The address is mapped.
    pub unsafe fn flush(address: *const u8) {
        // SAFETY: Linux lets programs clean and invalidate lines of their own; contents do not change.
        unsafe { asm!("dc civac, {}", in(reg) address, options(nostack)) };
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod processor {
    use super::ProbeRefusal;

    pub fn check() -> Result<(), ProbeRefusal> {
        Err(ProbeRefusal::Counter(
            "this processor has no instructions that are known to flush lines and to count time",
        ))
    }

    pub fn tick_ns() -> Option<f64> {
        None
    }

    pub fn ticks() -> u64 {
        0
    }

    pub fn fence() {}

    /// # Safety
    /// None is needed: nothing is done.
    pub unsafe fn flush(_: *const u8) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counter_agrees_with_the_clock() {
        let counter = match Counter::find() {
            Ok(counter) => counter,
            Err(reason) => return fresco_testing::skip(fresco_testing::Need::Timing, reason),
        };
        let (clock, first) = (Instant::now(), ticks());
        std::thread::sleep(Duration::from_millis(30));
        let (counted, passed) = (counter.ns(ticks() - first), clock.elapsed().as_nanos() as f64);
        assert!(
            (counted / passed - 1.0).abs() < 0.05,
            "{counted} ns counted, {passed} passed"
        );
    }
}
