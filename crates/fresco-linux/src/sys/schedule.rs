// SPDX-License-Identifier: MIT OR Apache-2.0
//! How the kernel schedules a thread: `sched_setattr` and `sched_getattr`, which the C library has no functions for before glibc 2.41.

use super::thread::last_error;
use rustix::io::Errno;

/// SCHED_EXT, of Linux 6.12, which the C library does not name.
const EXT: u32 = 7;
/// SCHED_FLAG_RESET_ON_FORK: what the thread starts is scheduled as others are. Without it a thread with a deadline can start nothing.
const RESET_ON_FORK: u64 = 1;

/// How a thread is scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// SCHED_FIFO with a priority from 1 to 99. What the thread starts has the same.
    Fifo(u32),
    /// SCHED_DEADLINE, times in ns. What the thread starts has none.
    Deadline {
        /// In each period.
        runtime_ns: u64,
        /// From the begin of a period.
        deadline_ns: u64,
        /// Of two activations.
        period_ns: u64,
    },
    /// SCHED_OTHER, SCHED_BATCH, SCHED_IDLE or SCHED_EXT: a scheduler of sched_ext has these, where one is loaded.
    Fair(u32),
    /// SCHED_RR, or one that is not known here.
    Unlike(u32),
}

impl Policy {
    /// In words.
    pub fn words(self) -> String {
        match self {
            Self::Fifo(priority) => format!("SCHED_FIFO, priority {priority}"),
            Self::Deadline {
                runtime_ns,
                deadline_ns,
                period_ns,
            } => format!("SCHED_DEADLINE, {runtime_ns} ns in {deadline_ns} of {period_ns} ns"),
            Self::Fair(number) => match number {
                0 => "SCHED_OTHER".to_owned(),
                3 => "SCHED_BATCH".to_owned(),
                5 => "SCHED_IDLE".to_owned(),
                _ => "SCHED_EXT".to_owned(),
            },
            Self::Unlike(2) => "SCHED_RR".to_owned(),
            Self::Unlike(number) => format!("policy {number}"),
        }
    }
}

/// `struct sched_attr` as Linux 3.14 has it, 48 bytes; later kernels take the shorter one.
#[repr(C)]
#[derive(Default)]
struct Attributes {
    size: u32,
    policy: u32,
    flags: u64,
    nice: i32,
    priority: u32,
    runtime_ns: u64,
    deadline_ns: u64,
    period_ns: u64,
}

const SIZE: u32 = size_of::<Attributes>() as u32;

/// Has the calling thread scheduled so. It makes one system call and allocates nothing.
///
/// # Errors
/// `EPERM` without privilege (CAP_SYS_NICE, RLIMIT_RTPRIO), or for a deadline of a thread that may not run on all processors of its root
/// domain; `EBUSY` if the kernel admits no more; `EINVAL` for what no thread can have.
pub fn set_policy(policy: Policy) -> Result<(), Errno> {
    let mut attributes = Attributes {
        size: SIZE,
        ..Attributes::default()
    };
    match policy {
        Policy::Fifo(priority) => {
            attributes.policy = libc::SCHED_FIFO.cast_unsigned();
            attributes.priority = priority;
        }
        Policy::Deadline {
            runtime_ns,
            deadline_ns,
            period_ns,
        } => {
            attributes.policy = libc::SCHED_DEADLINE.cast_unsigned();
            attributes.flags = RESET_ON_FORK;
            (attributes.runtime_ns, attributes.deadline_ns, attributes.period_ns) =
                (runtime_ns, deadline_ns, period_ns);
        }
        Policy::Fair(number) | Policy::Unlike(number) => attributes.policy = number,
    }
    // SAFETY: the kernel reads as many bytes as `size` says, which are the structure's.
    match unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) } {
        0 => Ok(()),
        _ => Err(last_error()),
    }
}

/// How a thread is scheduled.
///
/// # Errors
/// `ESRCH` if there is none of this number.
pub fn policy_of(thread: u32) -> Result<Policy, Errno> {
    let mut attributes = Attributes::default();
    // SAFETY: the kernel writes as many bytes as it is told, which are the structure's.
    let got = unsafe { libc::syscall(libc::SYS_sched_getattr, thread, &raw mut attributes, SIZE, 0) };
    if got != 0 {
        return Err(last_error());
    }
    let number = attributes.policy;
    Ok(match number.cast_signed() {
        libc::SCHED_FIFO => Policy::Fifo(attributes.priority),
        libc::SCHED_DEADLINE => Policy::Deadline {
            runtime_ns: attributes.runtime_ns,
            deadline_ns: attributes.deadline_ns,
            period_ns: attributes.period_ns,
        },
        libc::SCHED_OTHER | libc::SCHED_BATCH | libc::SCHED_IDLE => Policy::Fair(number),
        _ if number == EXT => Policy::Fair(number),
        _ => Policy::Unlike(number),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_is_read_again() {
        // In a thread of its own, which ends with it. A priority needs privilege, idleness none.
        std::thread::spawn(|| {
            assert_eq!(policy_of(0), Ok(Policy::Fair(0)));
            set_policy(Policy::Fair(libc::SCHED_IDLE.cast_unsigned())).expect("anybody may");
            assert_eq!(policy_of(0).map(Policy::words), Ok("SCHED_IDLE".to_owned()));
            match set_policy(Policy::Fifo(3)) {
                Ok(()) => assert_eq!(policy_of(0), Ok(Policy::Fifo(3))),
                Err(error) => assert_eq!(error, Errno::PERM),
            }
            assert_eq!(set_policy(Policy::Fifo(100)), Err(Errno::INVAL));
            // Longer than its period.
            let wrong = Policy::Deadline {
                runtime_ns: 2_000_000,
                deadline_ns: 1_000_000,
                period_ns: 1_000_000,
            };
            assert_eq!(set_policy(wrong), Err(Errno::INVAL));
        })
        .join()
        .expect("it holds");
        assert_eq!(policy_of(u32::MAX >> 1), Err(Errno::SRCH));
    }
}
