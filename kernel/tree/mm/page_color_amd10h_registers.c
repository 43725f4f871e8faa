// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: the registers of AMD family 10h, read and understood.
 *
 * Here is which memory there is and how it is set up; what cannot be decoded is
 * refused, with the register that is the reason. See page_color_amd10h.c for the
 * source. Nothing here touches hardware.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/sort.h>
#include <linux/string.h>
#include "page_color_amd10h.h"
#include "page_color_amd10h_dram.h"

/* Of the bits that chip selects compare, those that choose interleaved ranks. */
#define RANK_LOW	GENMASK_ULL(21, 13)

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

/**
 * amd10h_understand - what the registers mean for where addresses are
 * @m: the result
 * @regs: the registers
 * @why: on errors, what is set up in a way that is not decoded, with its
 *	register; AMD10H_WHY characters
 *
 * Return: 0 or -EINVAL.
 */
int amd10h_understand(struct dram *m, const struct amd10h_registers *regs,
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
