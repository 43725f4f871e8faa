// SPDX-License-Identifier: MIT OR Apache-2.0
//! From the data file, the refresh choice and the user's values to cycles.

use super::{Device, FineRefresh, TimingError, TimingOverrides, grade::Grade, grade::PracData};
use crate::density::{self, DENSITIES_GBIT, NoTrfc, RefreshScope};
use crate::{Clock, Cycle, Generation, Management, Ps, Timing};

struct Resolver<'a> {
    grade: &'a Grade,
    clock: Clock,
    device: &'a Device,
    width: u32,
    page_bytes: u32,
    overrides: &'a TimingOverrides,
}

pub(super) fn resolve(grade: &Grade, device: &Device, overrides: &TimingOverrides) -> Result<Timing, TimingError> {
    overrides.check_names()?;
    let width = device.width.unwrap_or(grade.width);
    let widths = grade.widths();
    if !widths.iter().any(|(known, _)| *known == width) {
        let known: Vec<String> = widths.iter().map(|(known, _)| format!("x{known}")).collect();
        let found = format!("{} of x{width} devices, whose timing is not known", grade.name);
        return Err(TimingError::new("width", found, known.join(", ")));
    }
    check_management(grade, device)?;
    Resolver {
        grade,
        clock: grade.clock(),
        device,
        width,
        page_bytes: device.page_bytes.unwrap_or(grade.page_bytes(width)),
        overrides,
    }
    .timing()
}

/// Refresh management and activation counting are those of DDR5, with values that its mode registers have.
fn check_management(grade: &Grade, device: &Device) -> Result<(), TimingError> {
    for (name, asked) in [("rfm", device.rfm.is_some()), ("prac", device.prac.is_some())] {
        if asked && (grade.generation != Generation::Ddr5 || grade.prac.is_none()) {
            let known: Vec<&str> = super::names().filter(|name| name.starts_with("ddr5")).collect();
            let found = format!("{} has none", grade.name);
            return Err(TimingError::new(name, found, known.join(", ")));
        }
    }
    Ok(())
}

impl Resolver<'_> {
    fn timing(&self) -> Result<Timing, TimingError> {
        let (rp, ras) = (self.required("rp")?, self.required("ras")?);
        let rrd_s = self.required("rrd_s")?;
        let ccd_s = self.required("ccd_s")?;
        let ccd_l = self.or("ccd_l", ccd_s);
        let wtr_s = self.required("wtr_s")?;
        let data = &self.grade.refresh;
        let heat = if self.device.hot { 2 } else { 1 };
        let fine = self.device.fine.factor();
        let bank = self.bank_refresh()?;
        let mut timing = Timing {
            standard: self.grade.name.clone(),
            clock: self.clock,
            line_bytes: self.grade.line_bytes,
            paired_refresh: self.grade.paired_refresh,
            act_delay: self.grade.act_delay,
            column_bus: self.grade.column_bus,
            management: Management::default(),
            burst_length: self.required("burst_length")?,
            cl: self.required("cl")?,
            cwl: self.required("cwl")?,
            rcd: self.required("rcd")?,
            rp,
            rp_ab: self.or("rp_ab", rp),
            ras,
            rc: self.or("rc", ras.saturating_add(rp)),
            rrd_s,
            rrd_l: self.or("rrd_l", rrd_s),
            faw: self.required("faw")?,
            ccd_s,
            ccd_l,
            ccd_l_wr: self.or("ccd_l_wr", ccd_l),
            wtr_s,
            wtr_l: self.or("wtr_l", wtr_s),
            rtp: self.required("rtp")?,
            wr: self.required("wr")?,
            rtrs: self.required("rtrs")?,
            rtw_gap: self.required("rtw_gap")?,
            ppd: self.or("ppd", 1),
            rfc_ab: self.over("rfc_ab", self.cycles_of(self.device.fine.scope())?),
            rfc_ab4: self.over("rfc_ab4", self.quarter_refresh()),
            rfc_pb: self.over("rfc_pb", bank.rfc_pb),
            rfc_sb: self.over("rfc_sb", bank.rfc_sb),
            refresh_to_act_other: self.over("refresh_to_act_other", bank.to_act_other),
            refresh_to_refresh_other: self.over("refresh_to_refresh_other", bank.to_refresh_other),
            refi: self.over("refi", self.down(data.refi_ps / fine / heat)),
            refw: self.over("refw", self.down(data.refw_ps / heat)),
            refreshes: self.over("refreshes", data.commands * fine),
            bank_refreshes: self.over("bank_refreshes", bank.commands),
            postponable: self.over("postponable", data.postponable * fine),
            act_slots: self.or("act_slots", 1),
            column_slots: self.or("column_slots", 1),
            pre_slots: self.or("pre_slots", 1),
        };
        timing.management = self.management(&timing);
        Ok(timing)
    }

    /// Without activation counting an RFM takes as long as the refresh of the same banks.
    fn management(&self, timing: &Timing) -> Management {
        let Device { rfm, prac, .. } = *self.device;
        if rfm.is_none() && prac.is_none() {
            return Management::default();
        }
        match self.prac() {
            None => Management {
                rfm,
                rfm_ab: timing.rfc_ab,
                rfm_sb: timing.rfc_sb,
                ..Management::default()
            },
            Some(data) => Management {
                rfm,
                prac,
                rfm_ab: self.clock.cycles(data.rfm_ab_ps),
                rfm_sb: self.clock.cycles(data.rfm_sb_ps),
                window: self.down(data.window_ps),
            },
        }
    }

    /// The data of activation counting, if it is on.
    fn prac(&self) -> Option<&PracData> {
        self.device.prac.and(self.grade.prac.as_ref())
    }

    /// A parameter of the standard.
    fn given(&self, name: &str) -> Option<Cycle> {
        let minimum = match self.prac() {
            Some(_) if name == "rc" => None,
            Some(prac) if prac.parameters.contains_key(name) => prac.parameters.get(name).copied(),
            _ => self.grade.parameter(name, self.width, self.page_bytes),
        };
        minimum.map(|minimum| minimum.cycles(self.clock))
    }

    /// The user's value, else the standard's, else `default`.
    fn or(&self, name: &str, default: Cycle) -> Cycle {
        self.over(name, self.given(name).unwrap_or(default))
    }

    /// The user's value, else `default`.
    fn over(&self, name: &str, default: Cycle) -> Cycle {
        self.overrides.get(name).unwrap_or(default)
    }

    fn required(&self, name: &str) -> Result<Cycle, TimingError> {
        if !self.grade.parameters.contains_key(name) && self.overrides.get(name).is_none() {
            let found = format!("the data of {} lacks it", self.grade.name);
            return Err(TimingError::new(name, found, "a number of cycles"));
        }
        Ok(self.or(name, 0))
    }

    /// A maximum: rounded down to whole clocks.
    fn down(&self, time: Ps) -> Cycle {
        self.clock.whole_cycles(time)
    }

    fn cycles_of(&self, scope: RefreshScope) -> Result<Cycle, TimingError> {
        let choice = self.device;
        density::trfc(choice.table, self.grade.generation, choice.density_gbit, scope)
            .map(|t| self.clock.cycles(t.time))
            .map_err(|error| match error {
                NoTrfc::Density(_) => {
                    let allowed = format!("{} to {} Gb", DENSITIES_GBIT.start(), DENSITIES_GBIT.end());
                    TimingError::new("density_gbit", format!("{} Gb", choice.density_gbit), allowed)
                }
                NoTrfc::Scope(..) => TimingError::new("refresh", error.to_string(), self.modes()),
            })
    }

    /// The fine-granularity modes of the chosen table.
    fn modes(&self) -> String {
        let exists = |fine: &FineRefresh| {
            let choice = self.device;
            density::trfc(choice.table, self.grade.generation, choice.density_gbit, fine.scope()).is_ok()
        };
        let all = [FineRefresh::X1, FineRefresh::X2, FineRefresh::X4];
        let names: Vec<String> = all
            .iter()
            .filter(|f| exists(f))
            .map(|f| format!("{}x", f.factor()))
            .collect();
        names.join(", ")
    }

    /// REFab4: where the 1x mode may be left for single commands, and the table has the 4x mode.
    fn quarter_refresh(&self) -> Cycle {
        match self.device.fine {
            FineRefresh::X1 => self.cycles_of(FineRefresh::X4.scope()).unwrap_or(0),
            FineRefresh::X2 | FineRefresh::X4 => 0,
        }
    }

    /// REFpb or REFsb: what the table has for one bank, all zero where it has nothing.
    fn bank_refresh(&self) -> Result<BankRefresh, TimingError> {
        let has = density::trfc(
            self.device.table,
            self.grade.generation,
            self.device.density_gbit,
            RefreshScope::Bank,
        );
        if has.is_err() {
            return Ok(BankRefresh::default());
        }
        let rfc = self.cycles_of(RefreshScope::Bank)?;
        let data = &self.grade.refresh;
        let same_bank = self.grade.generation == crate::Generation::Ddr5;
        Ok(BankRefresh {
            rfc_pb: if same_bank { 0 } else { rfc },
            rfc_sb: if same_bank { rfc } else { 0 },
            // A paper that gives DDR3 per-bank refresh says nothing of the other banks: an activation is one like another.
            to_act_other: self.or("refresh_to_act_other", self.or("rrd_l", self.required("rrd_s")?)),
            to_refresh_other: self.cycles_of(RefreshScope::BankGap)?,
            commands: if data.bank_commands == 0 {
                data.commands
            } else {
                data.bank_commands
            },
        })
    }
}

#[derive(Default)]
struct BankRefresh {
    rfc_pb: Cycle,
    rfc_sb: Cycle,
    to_act_other: Cycle,
    to_refresh_other: Cycle,
    commands: u64,
}
