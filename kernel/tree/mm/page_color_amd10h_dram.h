/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _MM_PAGE_COLOR_AMD10H_DRAM_H
#define _MM_PAGE_COLOR_AMD10H_DRAM_H

/*
 * What the registers of AMD family 10h mean: page_color_amd10h_registers.c finds
 * it out, page_color_amd10h.c computes with it where an address is.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/sizes.h>
#include <linux/types.h>
#include "page_color_amd10h.h"

/* Of F1x40 and F1xF0: what ranges and holes are multiples of. */
#define UNIT		SZ_16M
#define ABOVE_HOLE	BIT_ULL(32)
/* Bytes of a transfer, as bits. */
#define BUS_BITS	3
/* Address bits 13 to 21 and 27 to 36: those that chip selects compare. */
#define COMPARED	(GENMASK_ULL(36, 27) | GENMASK_ULL(21, 13))

/**
 * struct dram_range - memory of a node, or of all interleaved nodes
 * @start: first address
 * @end: first address behind it
 * @base: where the registers say that it starts: a hole may be in it
 * @dram: bytes of the same node before @start
 * @node: the node
 * @select: value of the bits that choose among interleaved nodes
 */
struct dram_range {
	u64 start;
	u64 end;
	u64 base;
	u64 dram;
	unsigned int node;
	unsigned int select;
};

/**
 * struct dram - the registers, understood
 * @regs: the registers
 * @nr_ranges: how many of @range there are; of interleaved nodes one per node
 * @range: the ranges; those with a hole are two
 * @node_bits: address bits from 12 on that choose the node, 0 where ranges do
 * @own: bits of an address in a channel that are not compared by chip selects
 * @bank_at: the first of @own, counted from the lowest, that choose the bank
 * @swizzled: bank bits are parities of three
 */
struct dram {
	const struct amd10h_registers *regs;
	unsigned int nr_ranges;
	struct dram_range range[2 * AMD10H_RANGES];
	unsigned int node_bits;
	u64 own;
	unsigned int bank_at;
	bool swizzled;
};

static inline int refuse(char *why, unsigned int node, const char *registers,
			 const char *what)
{
	snprintf(why, AMD10H_WHY, "node %u: %s (%s)", node, what, registers);
	return -EINVAL;
}

/* Bits 28 to 19 and 13 to 5 are address bits 36 to 27 and 21 to 13. */
static inline u64 compared(u32 reg)
{
	return (u64)(reg & 0x1ff83fe0) << 8;
}

int amd10h_understand(struct dram *m, const struct amd10h_registers *regs,
		      char *why);

#endif /* _MM_PAGE_COLOR_AMD10H_DRAM_H */
