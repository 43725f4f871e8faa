// SPDX-License-Identifier: MIT OR Apache-2.0
//! All tests of the crate through its public interface, in one program.

mod combinations;
mod common;
mod determinism;
mod dynamic;
mod experiment_basic;
mod experiment_budgets;
mod experiment_exact;
mod experiment_refresh;
mod experiment_support;
mod experiment_work;
mod fabric;
mod fair;
mod features_together;
mod fetches;
mod figures;
mod fill;
mod frame_policies;
mod guaranteed;
mod interference;
mod kept;
mod live;
mod memguard;
mod memguard_mixes;
mod memguard_periodic;
mod memguard_scenarios;
mod mixes;
mod names;
mod periodic;
mod phases;
mod recorded_threads;
mod scenarios;
mod shared_cache;
mod teams;
mod timelines;
mod wrong;
