// SPDX-License-Identifier: GPL-2.0-only
/*
 * Controllers with the registers of uMCTL2: software refresh instead of the controller's own, all ranks at once.
 *
 * That a rank is not busy says that another request has room, not that the last refresh is over: the executor leaves tRFC between two
 * of a rank, so no more than one is stored but where reads and writes keep the controller from sending it.
 */
#include <linux/bitfield.h>
#include <linux/bitops.h>
#include <linux/container_of.h>
#include <linux/printk.h>
#include "umctl2.h"

static struct umctl2 *of(struct refresh_controller *controller)
{
	return container_of(controller, struct umctl2, controller);
}

/* What software refresh cannot be beside, or what nobody would keep from being lost. */
static int allowed(struct umctl2 *u)
{
	u32 mstr = u->read(u, UMCTL2_MSTR), rfshctl3 = u->read(u, UMCTL2_RFSHCTL3);
	u32 mode = FIELD_GET(STAT_OPERATING_MODE, u->read(u, UMCTL2_STAT));

	if (!(mstr & (MSTR_DDR3 | MSTR_DDR4))) {
		pr_notice("MSTR: found %#x, no DDR3 and no DDR4, whose limits are those that schedules are judged by\n", mstr);
		return -EOPNOTSUPP;
	}
	if (mode != STAT_NORMAL && mode != STAT_POWER_DOWN) {
		pr_notice("STAT: found operating_mode %u, allowed: 1 (normal) and 2 (power-down)\n", mode);
		return -EAGAIN;
	}
	if (rfshctl3 & RFSHCTL3_DIS_AUTO_REFRESH) {
		pr_notice("RFSHCTL3: found dis_auto_refresh 1: somebody else refreshes, allowed: 0\n");
		return -EBUSY;
	}
	if (rfshctl3 & RFSHCTL3_REFRESH_MODE) {
		pr_notice("RFSHCTL3: found refresh_mode %lu, allowed with software refresh: 0 (1x)\n", FIELD_GET(RFSHCTL3_REFRESH_MODE, rfshctl3));
		return -EOPNOTSUPP;
	}
	if (mstr & MSTR_DDR4 && u->read(u, UMCTL2_CRCPARCTL1) & CRCPARCTL1_CRC_PARITY_RETRY_ENABLE) {
		pr_notice("CRCPARCTL1: found crc_parity_retry_enable 1, allowed with software refresh: 0\n");
		return -EOPNOTSUPP;
	}
	if (u->read(u, UMCTL2_PWRCTL) & PWRCTL_SELFREF_EN) {
		pr_notice("PWRCTL: found selfref_en 1: refreshes would wait until the DRAM leaves self-refresh, allowed: 0\n");
		return -EOPNOTSUPP;
	}
	return 0;
}

/* The bit, and then the level by which the controller sees that it was changed. */
static void set_auto(struct umctl2 *u, bool disabled)
{
	u32 value = u->read(u, UMCTL2_RFSHCTL3) & ~RFSHCTL3_DIS_AUTO_REFRESH;

	if (disabled)
		value |= RFSHCTL3_DIS_AUTO_REFRESH;
	u->write(u, UMCTL2_RFSHCTL3, value);
	/* Each read waits for the write before it. */
	u->read(u, UMCTL2_RFSHCTL3);
	u->write(u, UMCTL2_RFSHCTL3, value ^ RFSHCTL3_REFRESH_UPDATE_LEVEL);
	u->read(u, UMCTL2_RFSHCTL3);
}

int umctl2_take(struct refresh_controller *controller)
{
	struct umctl2 *u = of(controller);
	int error = allowed(u);

	if (error)
		return error;
	u->keep = u->read(u, UMCTL2_DBGCMD) & DBGCMD_HW_REF_ZQ_EN;
	set_auto(u, true);
	if (u->read(u, UMCTL2_RFSHCTL3) & RFSHCTL3_DIS_AUTO_REFRESH)
		return 0;
	pr_notice("RFSHCTL3: dis_auto_refresh stays 0: the register cannot be written here\n");
	return -EPERM;
}

void umctl2_give_back(struct refresh_controller *controller)
{
	set_auto(of(controller), false);
}

void umctl2_refresh(struct refresh_controller *controller, unsigned int rank)
{
	struct umctl2 *u = of(controller);

	u->write(u, UMCTL2_DBGCMD, u->keep | DBGCMD_RANK_REFRESH(rank));
}

bool umctl2_busy(struct refresh_controller *controller, unsigned int rank)
{
	struct umctl2 *u = of(controller);

	/* The first is what the controller has not even stored. */
	return u->read(u, UMCTL2_DBGCMD) & DBGCMD_RANK_REFRESH(rank) || u->read(u, UMCTL2_DBGSTAT) & DBGSTAT_RANK_REFRESH_BUSY(rank);
}

int umctl2_find(struct umctl2 *u, const struct refresh_controller_ops *ops)
{
	u32 mstr = u->read(u, UMCTL2_MSTR), active = FIELD_GET(MSTR_ACTIVE_RANKS, mstr);
	int error;

	/* Ranks are there from the first on. */
	if (!active || active & (active + 1) || mstr == ~0U) {
		pr_notice("MSTR: found %#x, allowed: active_ranks (bits 27 to 24) of 1, 3, 7 or 0xf; is this a uMCTL2?\n", mstr);
		return -ENODEV;
	}
	error = allowed(u);
	if (error)
		return error;
	u->controller.ops = ops;
	u->controller.ranks = hweight32(active);
	return 0;
}
