// SPDX-License-Identifier: MIT OR Apache-2.0
//! The theory knows nothing of devices, so it has a table of tRFC of its own: held to that of the simulator.

use fresco_dram::Generation;
use fresco_dram::density::{RefreshScope, RefreshTable, trfc};
use fresco_rt::refresh::Density;

#[test]
fn theory_and_simulator_refresh_for_the_same_time() {
    for density in Density::ALL {
        let gbit = density.gigabits();
        let simulated = trfc(RefreshTable::ColoredRefresh, Generation::Ddr3, gbit, RefreshScope::X1);
        let simulated = simulated.expect("a density of table 4.1").time;
        assert_eq!(simulated, density.trfc() * 1000, "{gbit} Gb");
    }
}
