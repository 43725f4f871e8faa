// SPDX-License-Identifier: MIT OR Apache-2.0
//! All tests of the crate through its public interface, in one program.

mod criticality;
mod crs_budget;
mod crs_oracle;
mod crs_search;
mod crs_simulation;
mod crs_supply;
mod crs_toplevel;
mod donation;
mod executive_check;
mod executive_co_assignment;
mod executive_oracle;
mod executive_plan;
mod executive_properties;
mod executive_sets;
mod generated_sets;
mod listed_jobs;
mod search_plainly;
mod soundness;
mod soundness_aligned;
mod soundness_dispatches;
mod soundness_global;
mod soundness_real;
mod soundness_servers;
mod worked_copies;
mod worked_crs;
mod worked_crs_aligned;
mod worked_executive;
mod worked_global;
mod worked_oracle_file;
