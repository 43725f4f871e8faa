/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Registers of Synopsys' DesignWare uMCTL2, as far as refresh needs them. Zynq UltraScale+, i.MX8M, STM32MP1, SAMA7G5, RK3328 and
 * others have one, at other addresses.
 *
 * Sources of offsets, fields and how they are used: Zynq UltraScale+ Devices Register Reference (AMD UG1087), DDRC; Zynq UltraScale+
 * TRM (UG1085), "Dynamic - Refresh Related Registers"; Microchip SAMA7G5 data sheet, UDDRC, "Refresh Using Direct Software Request of
 * Refresh Command". The same offsets are in the headers of Trusted Firmware-A (plat/imx/imx8m, plat/rockchip/rk3328) and of Microchip's
 * SparX-5 (DDR_UMCTL2), whose comments have more: what may not be on together with dis_auto_refresh.
 */
#ifndef REFRESH_UMCTL2_H
#define REFRESH_UMCTL2_H

#include <linux/bits.h>
#include "refresh.h"

#define UMCTL2_MSTR		0x000
#define  MSTR_DDR3		BIT(0)
#define  MSTR_DDR4		BIT(4)
#define  MSTR_ACTIVE_RANKS	GENMASK(27, 24)	/* a bit for each */
#define UMCTL2_STAT		0x004
#define  STAT_OPERATING_MODE	GENMASK(2, 0)
#define  STAT_NORMAL		1
#define  STAT_POWER_DOWN	2
#define UMCTL2_PWRCTL		0x030
#define  PWRCTL_SELFREF_EN	BIT(0)
#define UMCTL2_RFSHCTL3		0x060
#define  RFSHCTL3_DIS_AUTO_REFRESH	BIT(0)
#define  RFSHCTL3_REFRESH_UPDATE_LEVEL	BIT(1)	/* changed: the refresh registers are taken over */
#define  RFSHCTL3_REFRESH_MODE	GENMASK(6, 4)	/* of DDR4's fine granularity; 0: 1x */
#define UMCTL2_CRCPARCTL1	0x0c4
#define  CRCPARCTL1_CRC_PARITY_RETRY_ENABLE	BIT(8)
#define UMCTL2_DBGCMD		0x30c
#define  DBGCMD_RANK_REFRESH(rank)	BIT(rank)	/* goes out when the controller has stored the request */
#define  DBGCMD_HW_REF_ZQ_EN	BIT(31)	/* where there is one; not ours */
#define UMCTL2_DBGSTAT		0x310
#define  DBGSTAT_RANK_REFRESH_BUSY(rank)	BIT(rank)	/* no further request now */
#define UMCTL2_SIZE		0x400

/* Requests of a rank that the controller stores, before it says that it is busy (SAMA7G5 data sheet, as above). */
#define UMCTL2_STORED 9
#define UMCTL2_MOST_RANKS 4

struct umctl2 {
	struct refresh_controller controller;
	u32 (*read)(struct umctl2 *u, unsigned int offset);
	void (*write)(struct umctl2 *u, unsigned int offset, u32 value);
	u32 keep;	/* of DBGCMD */
};

/* Looks at the registers and fills in what the controller is: 0, or an error that has been said. It changes nothing. */
int umctl2_find(struct umctl2 *u, const struct refresh_controller_ops *ops);

/* All but the name. */
int umctl2_take(struct refresh_controller *controller);
void umctl2_give_back(struct refresh_controller *controller);
void umctl2_refresh(struct refresh_controller *controller, unsigned int rank);
bool umctl2_busy(struct refresh_controller *controller, unsigned int rank);

#endif
