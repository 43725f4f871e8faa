/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The emulated controller's memory: registers at 0, as in umctl2.h, then a record. All little-endian. A host that shares it
 * (ivshmem-plain of QEMU, BAR 2) reads it, while the machine runs and afterwards: scripts/refresh-record.
 */
#ifndef REFRESH_EMULATED_H
#define REFRESH_EMULATED_H

#include <linux/types.h>

#define EMULATED_HEAD 0x1000
#define EMULATED_ENTRIES 0x2000
#define EMULATED_MAGIC 0x48534652	/* "RFSH" */
#define EMULATED_LEAST (EMULATED_ENTRIES + 64 * sizeof(struct emulated_entry))

/* At EMULATED_HEAD. */
struct emulated_head {
	__le32 magic, version;		/* version 1 */
	__le32 ranks, entries;		/* how many entries the record has room for */
	__le64 written;			/* entries ever; the last one is at (written - 1) % entries */
	__le64 refused;			/* requests that a controller would not have taken */
	__le32 trfc_ns, unused;
};

enum emulated_kind {
	EMULATED_REFRESH = 1,		/* a REF begins */
	EMULATED_TAKEN = 2,		/* auto-refresh is off */
	EMULATED_GIVEN_BACK = 3,	/* it is on */
	EMULATED_REFUSED = 4,		/* a request while auto-refresh is on, of no rank, or of a rank that is busy */
};

/* From EMULATED_ENTRIES on. */
struct emulated_entry {
	__le64 time_ns;			/* CLOCK_MONOTONIC of the machine */
	__le32 kind, rank;
};

#endif
