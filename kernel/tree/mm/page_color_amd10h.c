// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: from the registers of AMD family 10h (Opteron 6100, Phenom
 * II) to a map.
 *
 * Source: BIOS and Kernel Developer's Guide for AMD Family 10h, 31116, on
 * routing of addresses to nodes (function 1) and on the DRAM controllers
 * (function 2).
 *
 * Where an address is, is computed here as the northbridge does it. The masks
 * of the map are what each address bit changes. Then both are compared all over
 * the memory, so a set up whose banks are no parities of address bits is
 * refused, whatever the reason. Nothing here touches hardware. What registers
 * mean is in page_color_amd10h_registers.c.
 */
#include <linux/align.h>
#include <linux/bits.h>
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/prandom.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include "page_color_amd10h.h"
#include "page_color_amd10h_dram.h"

/* Of how many units, at most, addresses are compared (log2), how many of each. */
#define CHECKED_SHIFT	16
#define CHECKED_EACH	2
/* Banks of DDR3 devices, as bits. */
#define BANK_BITS	3
/* A place has so many bits: bank, rank, channel, node. */
#define RANK_AT		BANK_BITS
#define CHANNEL_AT	(RANK_AT + 3)
#define NODE_AT		(CHANNEL_AT + 1)
#define PLACE_BITS	(NODE_AT + 3)
#define NOWHERE		U32_MAX

/* An address without some of its bits. */
static u64 without(u64 addr, unsigned int low, unsigned int bits)
{
	return addr >> (low + bits) << low | (addr & (BIT_ULL(low) - 1));
}

/* The channel of an address, and where it is in the channel. */
static unsigned int channel_of(const struct dram *m, const struct dram_range *r,
			       u64 addr, u64 *within)
{
	const struct amd10h_node *n = &m->regs->node[r->node];
	unsigned int limit = n->select >> 11, mode = n->select >> 6 & 3;
	bool by_range = n->select & BIT(0), by_bit = n->select & BIT(2);
	bool high = by_range && addr >> 27 >= limit;
	bool holed = n->hole & 1 && addr >= ABOVE_HOLE;
	unsigned int channel = 0, hash = hweight64(addr & GENMASK_ULL(20, 16));
	u64 base;

	if (high) {
		channel = n->select >> 1 & 1;
	} else if (by_bit) {
		switch (mode) {
		case 0:
			channel = addr >> 6 & 1;
			break;
		case 1:
			/* The bit above those that choose the node. */
			channel = addr >> (12 + m->node_bits) & 1;
			break;
		case 2:
			channel = ((addr >> 6) + hash) & 1;
			break;
		case 3:
			channel = ((addr >> 9) + hash) & 1;
			break;
		}
	} else if (by_range) {
		channel = !(n->select >> 1 & 1);
	}

	base = holed ? (u64)(n->hole & 0xff80) << 16 : r->base;
	if (high && !(holed && !(limit >> 5)))
		base = (u64)(n->select_high & 0xfffffc00) << 16;
	*within = without(addr - min(base, addr), 12, m->node_bits);
	if (by_bit && !by_range) {
		static const u8 taken[] = { 6, 12, 6, 9 };

		*within = without(*within, taken[mode], 1);
	}
	return channel;
}

/* Bank, rank, channel and node of an address, or NOWHERE. */
static u32 place_of(const struct dram *m, u64 addr)
{
	unsigned int i, rank, channel, bank, n = 0;
	const struct amd10h_channel *c;
	const struct dram_range *r = NULL;
	u64 within, own = 0;

	for (i = 0; i < m->nr_ranges; i++) {
		r = &m->range[i];
		if (addr >= r->start && addr < r->end &&
		    !(((addr >> 12) ^ r->select) & (BIT(m->node_bits) - 1)))
			break;
	}
	if (i == m->nr_ranges)
		return NOWHERE;
	channel = channel_of(m, r, addr, &within);
	c = &m->regs->node[r->node].channel[channel];
	for (i = 0, rank = 0; i < AMD10H_SELECTS; i++) {
		if (!(c->select[i] & 1))
			continue;
		if (!((within ^ compared(c->select[i])) & COMPARED &
		      ~compared(c->mask[i / 2])))
			break;
		rank++;
	}
	if (i == AMD10H_SELECTS)
		return NOWHERE;
	/* The rank's own address: its bits pushed together. */
	for (i = 0; i < fls64(m->own); i++) {
		if (m->own >> i & 1)
			own |= (within >> i & 1) << n++;
	}
	own >>= m->bank_at;
	bank = own ^ (m->swizzled ? own >> 3 ^ own >> 6 : 0);
	return (bank & (BIT(BANK_BITS) - 1)) | rank << RANK_AT |
	       channel << CHANNEL_AT |
	       (m->node_bits ? r->select << NODE_AT : 0);
}

/* Does the place of an address follow from the masks? */
static bool is_parity(const struct dram *m, const u64 *masks, u32 at_zero,
		      const struct dram_range *r, u64 addr)
{
	u64 dram = addr - r->start + r->dram;
	u32 place = at_zero;
	unsigned int i;

	for (i = 0; i < PLACE_BITS; i++)
		place ^= (hweight64(dram & masks[i]) & 1) << i;
	return place_of(m, addr) == place;
}

/* What each bit of an address in a node changes. */
static int derive(const struct dram *m, u64 *masks, char *why)
{
	u32 at_zero = place_of(m, m->range->start), other;
	const struct dram_range *r;
	struct rnd_state rnd;
	unsigned int i, j;
	u64 addr, step;

	for (i = BUS_BITS; i < 48; i++) {
		/* The address in the same node, before or behind the hole. */
		for (r = m->range, j = 0; j < m->nr_ranges; j++) {
			r = &m->range[j];
			if (r->node == m->range[0].node && BIT_ULL(i) >= r->dram &&
			    BIT_ULL(i) - r->dram < r->end - r->start)
				break;
		}
		if (j == m->nr_ranges)
			break;
		other = place_of(m, BIT_ULL(i) - r->dram + r->start);
		if (at_zero == NOWHERE || other == NOWHERE)
			return refuse(why, r->node, "F1x40, F2x40, F2x110",
				      "addresses without a chip select");
		for (j = 0; j < PLACE_BITS; j++)
			masks[j] |= (u64)((at_zero ^ other) >> j & 1) << i;
	}

	prandom_seed_state(&rnd, 20);
	for (i = 0; i < m->nr_ranges; i++) {
		r = &m->range[i];
		step = round_up(max_t(u64, UNIT, (r->end - r->start) >> CHECKED_SHIFT), UNIT);
		for (addr = r->start; addr < r->end; addr += step) {
			for (j = 0; j < CHECKED_EACH; j++) {
				u64 a = addr + (prandom_u32_state(&rnd) & (UNIT - 1));

				if (!is_parity(m, masks, at_zero, r, a))
					return refuse(why, r->node, "F1x40, F2x40, F2x110",
						      "places are no parities of address bits");
			}
		}
	}
	return 0;
}

/**
 * amd10h_decode - the map of a machine, as text
 * @regs: its registers
 * @text: where the map is put, for page_color_map_parse(); AMD10H_TEXT characters
 * @why: on errors, what is set up in a way that is not decoded, with its
 *	register; AMD10H_WHY characters
 *
 * The functions are those of banks, ranks, channels and interleaved nodes, in
 * this order, without those that have bits below the page. Nodes that have
 * ranges of their own are those of the kernel, and no part of the color.
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int amd10h_decode(const struct amd10h_registers *regs, char *text, char *why)
{
	struct dram *m = kzalloc(sizeof(*m), GFP_KERNEL);
	u64 masks[PLACE_BITS] = {};
	const char *sep = "";
	unsigned int i;
	int err, n = 0;

	*why = '\0';
	if (!m)
		return -ENOMEM;
	err = amd10h_understand(m, regs, why);
	if (!err)
		err = derive(m, masks, why);
	if (err)
		goto out;
	for (i = 0; i < PLACE_BITS; i++) {
		if (!masks[i] || masks[i] & ~PAGE_MASK)
			continue;
		n += scnprintf(text + n, AMD10H_TEXT - n, "%s0x%llx", sep, masks[i]);
		sep = ",";
	}
	sep = "@";
	for (i = 0; i < m->nr_ranges; i++) {
		const struct dram_range *r = &m->range[i];

		/* Interleaved nodes have the same ranges. */
		if (m->node_bits && r->node != m->range[0].node)
			continue;
		n += scnprintf(text + n, AMD10H_TEXT - n, "%s0x%llx-0x%llx:0x%llx",
			       sep, r->start, r->end, r->start - r->dram);
		sep = ",";
	}
	if (*text == '@')
		err = refuse(why, 0, "F2x110, F2x80",
			     "all functions have bits below the page");
out:
	kfree(m);
	return err;
}
