// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page colouring: from the registers of AMD family 10h (Opteron 6100, Phenom
 * II) to a map.
 *
 * Source: BIOS and Kernel Developer's Guide for AMD Family 10h, 31116, on
 * routing of addresses to nodes (function 1) and on the DRAM controllers
 * (function 2).
 *
 * Where an address is, is computed here as the northbridge does it. The masks
 * of the map are what each address bit changes. Then both are compared all over
 * the memory, so a set up whose banks are no parities of address bits is
 * refused, whatever the reason. Nothing here touches hardware.
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
#include <linux/sort.h>
#include "page_color_amd10h.h"

/* Of F1x40 and F1xF0: what ranges and holes are multiples of. */
#define UNIT		SZ_16M
/* Of how many of them, at most, addresses are compared (log2), how many of each. */
#define CHECKED_SHIFT	16
#define CHECKED_EACH	2
#define ABOVE_HOLE	BIT_ULL(32)
/* Bytes of a transfer and banks of DDR3 devices, as bits. */
#define BUS_BITS	3
#define BANK_BITS	3
/* Address bits 13 to 21 and 27 to 36: those that chip selects compare. */
#define COMPARED	(GENMASK_ULL(36, 27) | GENMASK_ULL(21, 13))
/* Of them, those by which interleaved ranks are chosen. */
#define RANK_LOW	GENMASK_ULL(21, 13)
/* A place has so many bits: bank, rank, channel, node. */
#define RANK_AT		BANK_BITS
#define CHANNEL_AT	(RANK_AT + 3)
#define NODE_AT		(CHANNEL_AT + 1)
#define PLACE_BITS	(NODE_AT + 3)
#define NOWHERE		U32_MAX

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

static int refuse(char *why, unsigned int node, const char *registers,
		  const char *what)
{
	snprintf(why, AMD10H_WHY, "node %u: %s (%s)", node, what, registers);
	return -EINVAL;
}

/* Where registers come from; after an error no more are read. */
struct source {
	amd10h_read_t read;
	void *from;
	unsigned int node;
	char *why;
	int err;
};

static void get(struct source *s, unsigned int function, unsigned int offset,
		u32 *value)
{
	if (s->err)
		return;
	s->err = s->read(s->from, s->node, function, offset, value);
	if (s->err)
		snprintf(s->why, AMD10H_WHY, "node %u: register F%ux%X cannot be read",
			 s->node, function, offset);
}

static void get_channel(struct source *s, unsigned int first,
			struct amd10h_channel *c)
{
	unsigned int i;

	for (i = 0; i < AMD10H_SELECTS; i++)
		get(s, 2, first + 0x40 + 4 * i, &c->select[i]);
	for (i = 0; i < AMD10H_SELECTS / 2; i++)
		get(s, 2, first + 0x60 + 4 * i, &c->mask[i]);
	get(s, 2, first + 0x80, &c->mapping);
	get(s, 2, first + 0x94, &c->config);
}

/**
 * amd10h_collect - read the registers that amd10h_decode() needs
 * @regs: where they are put
 * @read: reads one
 * @from: for @read
 * @why: on errors, what cannot be read; AMD10H_WHY characters
 *
 * Return: 0 or the error of @read.
 */
int amd10h_collect(struct amd10h_registers *regs, amd10h_read_t read, void *from,
		   char *why)
{
	struct source s = { .read = read, .from = from, .why = why };
	unsigned int i;

	memset(regs, 0, sizeof(*regs));
	for (i = 0; i < AMD10H_RANGES; i++) {
		struct amd10h_range *r = &regs->range[i];

		get(&s, 1, 0x40 + 8 * i, &r->base);
		get(&s, 1, 0x44 + 8 * i, &r->limit);
		get(&s, 1, 0x140 + 8 * i, &r->base_high);
		get(&s, 1, 0x144 + 8 * i, &r->limit_high);
		if (r->base & 3)
			regs->nr_nodes = max(regs->nr_nodes, (r->limit & 7) + 1);
	}
	for (s.node = 0; s.node < regs->nr_nodes; s.node++) {
		struct amd10h_node *n = &regs->node[s.node];

		get(&s, 1, 0xf0, &n->hole);
		get(&s, 2, 0x110, &n->select);
		get(&s, 2, 0x114, &n->select_high);
		get_channel(&s, 0, &n->channel[0]);
		get_channel(&s, 0x100, &n->channel[1]);
	}
	return s.err;
}

/* Bits 28 to 19 and 13 to 5 are address bits 36 to 27 and 21 to 13. */
static u64 compared(u32 reg)
{
	return (u64)(reg & 0x1ff83fe0) << 8;
}

/* Column bits of the devices of a bank address mapping, and bits of a rank. */
static int device(unsigned int mode, unsigned int *columns, unsigned int *bits)
{
	static const u8 known[][2] = {
		[1] = { 10, 28 }, [2] = { 10, 29 }, [5] = { 10, 30 }, [7] = { 10, 31 },
		[8] = { 11, 31 }, [9] = { 11, 32 }, [10] = { 10, 32 }, [11] = { 11, 33 },
	};

	if (mode >= ARRAY_SIZE(known) || !known[mode][0])
		return -EINVAL;
	*columns = known[mode][0];
	*bits = known[mode][1];
	return 0;
}

/* Bits that are a rank's own: what no register compares or the mask leaves out. */
static u64 own_bits(u64 mask)
{
	/* All above the highest that the mask leaves out are compared. */
	return mask ? (~COMPARED | mask) & GENMASK_ULL(fls64(mask) - 1, 0) : 0;
}

/* Two ranges, if a hole for devices is in the middle. */
static void split_range(struct dram *m, const struct dram_range *r)
{
	u32 hole = m->regs->node[r->node].hole;
	u64 start = hole & 0xff000000;

	m->range[m->nr_ranges++] = *r;
	if (!(hole & 1) || start <= r->start || r->end <= ABOVE_HOLE)
		return;
	m->range[m->nr_ranges - 1].end = start;
	m->range[m->nr_ranges] = *r;
	m->range[m->nr_ranges++].start = ABOVE_HOLE;
}

static int by_start(const void *a, const void *b)
{
	const struct dram_range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->select < y->select ? -1 : x->select > y->select;
}

static int read_ranges(struct dram *m, char *why)
{
	const struct amd10h_registers *regs = m->regs;
	unsigned int i, j, interleave = 0, selects = 0, n = 0;
	u64 start = 0, end = 0;

	for (i = 0; i < AMD10H_RANGES; i++) {
		const struct amd10h_range *reg = &regs->range[i];
		struct dram_range r = {};

		if (!(reg->base & 3))
			continue;
		r.node = reg->limit & 7;
		r.select = reg->limit >> 8 & reg->base >> 8 & 7;
		r.start = (u64)(reg->base_high & 0xff) << 40 |
			  (u64)(reg->base & 0xffff0000) << 8;
		r.end = ((u64)(reg->limit_high & 0xff) << 40 |
			 (u64)(reg->limit & 0xffff0000) << 8) + UNIT;
		r.base = r.start;
		if (r.end <= r.start)
			return refuse(why, r.node, "F1x40, F1x44",
				      "a range ends before it starts");
		if (!n++) {
			interleave = reg->base >> 8 & 7;
			start = r.start;
			end = r.end;
		} else if ((reg->base >> 8 & 7) != interleave ||
			   (interleave && (r.start != start || r.end != end ||
					   regs->node[r.node].hole != regs->node[0].hole))) {
			return refuse(why, r.node, "F1x40, F1x44, F1xF0",
				      "interleaved nodes whose ranges or holes differ");
		}
		selects |= BIT(r.select);
		split_range(m, &r);
	}
	if (!n)
		return refuse(why, 0, "F1x40",
			      "no range of memory is switched on");
	if (interleave & (interleave + 1))
		return refuse(why, 0, "F1x40, IntlvEn",
			      "nodes interleaved by other bits than the lowest");
	m->node_bits = hweight32(interleave);
	if (interleave && (n != interleave + 1 || selects != BIT(n) - 1))
		return refuse(why, 0, "F1x44, IntlvSel",
			      "interleaved nodes of which some are missing");
	sort(m->range, m->nr_ranges, sizeof(*m->range), by_start, NULL);
	for (i = 0; i < m->nr_ranges; i++) {
		for (j = 0; j < i; j++) {
			if (m->range[j].node == m->range[i].node)
				m->range[i].dram += m->range[j].end - m->range[j].start;
			if (m->range[j].end > m->range[i].start && !interleave)
				return refuse(why, m->range[i].node, "F1x40, F1x44",
					      "ranges overlap");
		}
	}
	return 0;
}

/* One controller; all have to have ranks of the same kind, and as many. */
static int read_channel(struct dram *m, const struct amd10h_channel *c,
			unsigned int node, unsigned int *ranks, char *why)
{
	bool swizzled = c->config & BIT(22);
	unsigned int i, columns, bits, n = 0;

	if (!(c->config & BIT(8)))
		return refuse(why, node, "F2x94, Ddr3Mode",
			      "memory that is not DDR3");
	for (i = 0; i < AMD10H_SELECTS; i++) {
		u64 own = own_bits(compared(c->mask[i / 2]));

		if (!(c->select[i] & 1))
			continue;
		if (c->select[i] & 2)
			return refuse(why, node, "F2x40, Spare",
				      "a spare rank");
		if (device(c->mapping >> (4 * (i / 2)) & 15, &columns, &bits))
			return refuse(why, node, "F2x80",
				      "a bank address mapping that is not decoded");
		if (hweight64(own) != bits)
			return refuse(why, node, "F2x60, F2x80",
				      "a chip select whose mask is not that of its devices");
		if (swizzled && (own & RANK_LOW) != RANK_LOW)
			return refuse(why, node, "F2x94, BankSwizzleMode; F2x60",
				      "swizzled banks and interleaved ranks");
		if (m->own && (m->own != own || m->bank_at != BUS_BITS + columns ||
			       m->swizzled != swizzled))
			return refuse(why, node, "F2x60, F2x80, F2x94",
				      "ranks that differ from others");
		m->own = own;
		m->bank_at = BUS_BITS + columns;
		m->swizzled = swizzled;
		n++;
	}
	if (!n || !is_power_of_2(n) || (*ranks && n != *ranks))
		return refuse(why, node, "F2x40",
			      "not 1, 2, 4 or 8 ranks, as many on all channels");
	*ranks = n;
	return 0;
}

static int understand(struct dram *m, const struct amd10h_registers *regs,
		      char *why)
{
	unsigned int node, channel, i, ranks = 0;
	int err;

	m->regs = regs;
	err = read_ranges(m, why);
	if (err)
		return err;
	for (node = 0; node < regs->nr_nodes; node++) {
		const struct amd10h_node *n = &regs->node[node];

		for (i = 0; i < m->nr_ranges && m->range[i].node != node; i++)
			;
		if (i == m->nr_ranges)
			continue;
		if (n->select & BIT(4))
			return refuse(why, node, "F2x110, DctGangEn",
				      "ganged channels");
		if (m->node_bits && n->select & BIT(0))
			return refuse(why, node, "F2x110, DctSelHiRngEn",
				      "channels by range below interleaved nodes");
		for (channel = 0; channel < AMD10H_CHANNELS; channel++) {
			err = read_channel(m, &n->channel[channel], node, &ranks, why);
			if (err)
				return err;
		}
	}
	return 0;
}

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
 * ranges of their own are those of the kernel, and no part of the colour.
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
	err = understand(m, regs, why);
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
