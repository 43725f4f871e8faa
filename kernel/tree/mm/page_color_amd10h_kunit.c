// SPDX-License-Identifier: GPL-2.0-only
/*
 * Maps from registers of AMD family 10h: worked examples, refusals, and maps
 * against a second decoder for what the examples set up.
 */
#include <kunit/test.h>
#include <linux/page_color_map.h>
#include <linux/prandom.h>
#include <linux/sizes.h>
#include "page_color_amd10h.h"

#define GIB		((u64)SZ_1G)
/* Registers of ranges and chip selects have address bits from 24, 13 on. */
#define RANGE(addr)	((u32)((addr) >> 8) & 0xffff0000)
#define SELECT(addr)	((u32)((addr) >> 8))

struct fixture {
	struct amd10h_registers regs;
	struct page_color_map map;
	char text[AMD10H_TEXT];
	char why[AMD10H_WHY];
};

static int fixture_init(struct kunit *test)
{
	test->priv = kunit_kzalloc(test, sizeof(struct fixture), GFP_KERNEL);
	return test->priv ? 0 : -ENOMEM;
}

/*
 * Memory as that of an Opteron 6128: four nodes of 4 GiB by range, two channels
 * and two ranks by range, devices of 1 Gb by 8.
 */
static struct amd10h_registers *opteron(struct kunit *test)
{
	struct amd10h_registers *regs = &((struct fixture *)test->priv)->regs;
	unsigned int node, channel, i;

	memset(regs, 0, sizeof(*regs));
	regs->nr_nodes = 4;
	for (node = 0; node < 4; node++) {
		struct amd10h_node *n = &regs->node[node];
		u64 start = node * 4 * GIB, middle = start + 2 * GIB;

		regs->range[node].base = RANGE(start) | 3;
		regs->range[node].limit = RANGE(start + 4 * GIB - 1) | node;
		/* The second channel begins in the middle of the node. */
		n->select = (u32)(middle >> 27) << 11 | 3;
		n->select_high = (u32)(middle >> 26) << 10;
		for (channel = 0; channel < AMD10H_CHANNELS; channel++) {
			struct amd10h_channel *c = &n->channel[channel];

			c->select[0] = 1;
			c->select[1] = SELECT(GIB) | 1;
			/* Bits 13 to 21 and 27 to 29 are a rank's own. */
			for (i = 0; i < AMD10H_SELECTS / 2; i++)
				c->mask[i] = 0x3fe0 | 7 << 19;
			c->mapping = 5;
			c->config = BIT(8);
		}
	}
	return regs;
}

static void set_select(struct amd10h_registers *regs, u32 select)
{
	unsigned int node;

	for (node = 0; node < AMD10H_NODES; node++)
		regs->node[node].select = select;
}

static void set_config(struct amd10h_registers *regs, u32 config)
{
	unsigned int node, channel;

	for (node = 0; node < regs->nr_nodes; node++) {
		for (channel = 0; channel < AMD10H_CHANNELS; channel++)
			regs->node[node].channel[channel].config = config;
	}
}

/* Nodes by bits 12 and 13 (IntlvEn 3), channels by bit 6. */
static struct amd10h_registers *interleaved(struct kunit *test)
{
	struct amd10h_registers *regs = opteron(test);
	unsigned int node;

	for (node = 0; node < 4; node++) {
		regs->range[node].base = 3 | 3 << 8;
		regs->range[node].limit = RANGE(16 * GIB - 1) | node << 8 | node;
	}
	set_select(regs, BIT(2));
	return regs;
}

/* Ranks by bit 16 of a channel's address: bit 30 is a rank's own instead. */
static void interleave_ranks(struct amd10h_registers *regs)
{
	unsigned int node, channel, i;

	for (node = 0; node < 4; node++) {
		for (channel = 0; channel < AMD10H_CHANNELS; channel++) {
			struct amd10h_channel *c = &regs->node[node].channel[channel];

			c->select[1] = SELECT(0x10000) | 1;
			for (i = 0; i < AMD10H_SELECTS / 2; i++)
				c->mask[i] = (0x3fe0 & ~BIT(8)) | 15 << 19;
		}
	}
}

static void expect_map(struct kunit *test, const char *text)
{
	struct fixture *f = test->priv;
	const char *why;

	KUNIT_ASSERT_EQ_MSG(test, amd10h_decode(&f->regs, f->text, f->why), 0,
			    "%s", f->why);
	KUNIT_EXPECT_STREQ(test, f->text, text);
	KUNIT_EXPECT_EQ(test, page_color_map_parse(&f->map, f->text, &why), 0);
}

static void expect_refusal(struct kunit *test, const char *what)
{
	struct fixture *f = test->priv;

	KUNIT_EXPECT_EQ(test, amd10h_decode(&f->regs, f->text, f->why), -EINVAL);
	KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(f->why, what), "%s: %s", what, f->why);
}

#define FOUR_NODES	"@0x0-0x100000000:0x0,0x100000000-0x200000000:0x100000000," \
			"0x200000000-0x300000000:0x200000000," \
			"0x300000000-0x400000000:0x300000000"

#define BY_NODES	",0x1000,0x2000@0x0-0x400000000:0x0"
#define HOLE_OF_1G	"@0x0-0xc0000000:0x0,0x100000000-0x140000000:0x40000000"
#define HOLE_OF_2G	"@0x0-0x80000000:0x0,0x100000000-0x180000000:0x80000000"

/* Banks in bits 13 to 15, ranks in bit 30, channels in bit 31 of a node. */
static void all_by_range(struct kunit *test)
{
	opteron(test);
	expect_map(test, "0x2000,0x4000,0x8000,0x40000000,0x80000000" FOUR_NODES);
}

static void low_ranks(struct kunit *test)
{
	struct amd10h_registers *regs = opteron(test);

	set_select(regs, BIT(2));
	interleave_ranks(regs);
	/* The channel's bit 6 is taken out, and is no bit of frames. */
	expect_map(test, "0x4000,0x8000,0x10000,0x20000" FOUR_NODES);
}

/* With bits 16 to 20 in it, but also bit 6 or 9: not of frames. */
static void hashed_channels(struct kunit *test)
{
	struct amd10h_registers *regs = opteron(test);

	set_select(regs, BIT(2) | 2 << 6);
	expect_map(test, "0x4000,0x8000,0x10000,0x80000000" FOUR_NODES);
	set_select(regs, BIT(2) | 3 << 6);
	expect_map(test, "0x4000,0x8000,0x10000,0x80000000" FOUR_NODES);
}

/*
 * By hand: bits 12, 13 and 6 are taken out, so bit k of a rank is bit k + 3 of
 * the address from bit 11 on: banks 13 to 15 are bits 16 to 18, the rank's bit
 * 30 is bit 33.
 */
static void interleaved_nodes(struct kunit *test)
{
	struct fixture *f = test->priv;

	interleaved(test);
	expect_map(test, "0x10000,0x20000,0x40000,0x200000000" BY_NODES);
	/* Bits 33, 13 and 12: rank 1 of node 3; bit 16: bank 1. */
	KUNIT_EXPECT_EQ(test, page_color_of(&f->map, 0x250013040 >> PAGE_SHIFT),
			1 | 1 << 3 | 3 << 4);
	/* Which of them is which node does not matter to banks. */
	swap(f->regs.range[1].limit, f->regs.range[2].limit);
	f->regs.range[1].limit ^= 3 << 0;
	f->regs.range[2].limit ^= 3 << 0;
	expect_map(test, "0x10000,0x20000,0x40000,0x200000000" BY_NODES);
}

/* The channel's bit is above those of the nodes. */
static void channels_by_pages(struct kunit *test)
{
	struct amd10h_registers *regs = interleaved(test);

	set_select(regs, BIT(2) | 1 << 6);
	expect_map(test, "0x10000,0x20000,0x40000,0x200000000,0x4000" BY_NODES);
	regs = opteron(test);
	set_select(regs, BIT(2) | 1 << 6);
	expect_map(test, "0x4000,0x8000,0x10000,0x80000000,0x1000" FOUR_NODES);
}

/* Each bank bit is the parity of bits three apart. */
static void swizzled_banks(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct amd10h_registers *regs = opteron(test);

	set_config(regs, BIT(8) | BIT(22));
	expect_map(test, "0x92000,0x124000,0x248000,0x40000000,0x80000000" FOUR_NODES);
	/* Bits 13, 16 and 20: bank bit 0 is 1 ^ 1 ^ 0, bank bit 1 is 0 ^ 0 ^ 1. */
	KUNIT_EXPECT_EQ(test, page_color_of(&f->map, 0x112000 >> PAGE_SHIFT), 2);
	regs = interleaved(test);
	set_config(regs, BIT(8) | BIT(22));
	expect_map(test, "0x490000,0x920000,0x1240000,0x200000000" BY_NODES);
}

/* Node 0 alone, its last GiB from 4 GiB on. */
static void behind_a_hole(struct kunit *test)
{
	struct amd10h_registers *regs = opteron(test);

	memset(&regs->range[1], 0, 3 * sizeof(*regs->range));
	regs->nr_nodes = 1;
	regs->range[0].limit = RANGE(5 * GIB - 1);
	regs->node[0].hole = 0xc0000000 | (u32)(GIB >> 16) | 3;
	set_select(regs, BIT(2));
	expect_map(test, "0x4000,0x8000,0x10000,0x80000000" HOLE_OF_1G);
	/* From 2 GiB on: bit 31 is in the second range alone. */
	regs->range[0].limit = RANGE(6 * GIB - 1);
	regs->node[0].hole = 0x80000000 | (u32)(2 * GIB >> 16) | 3;
	expect_map(test, "0x4000,0x8000,0x10000,0x80000000" HOLE_OF_2G);
}

/* A change of one register of the Opteron's, and what is said of it. */
static void refusals(struct kunit *test)
{
	struct amd10h_registers *regs;

	regs = opteron(test);
	regs->range[0].base = 0;
	regs->range[1].base = 0;
	regs->range[2].base = 0;
	regs->range[3].base = 0;
	expect_refusal(test, "(F1x40)");
	regs = opteron(test);
	regs->range[2].limit = RANGE(7 * GIB) | 2;
	expect_refusal(test, "node 2: a range ends before it starts (F1x40, F1x44)");
	regs = opteron(test);
	regs->range[1].base = RANGE(3 * GIB) | 3;
	expect_refusal(test, "overlap (F1x40, F1x44)");
	regs = opteron(test);
	regs->range[0].base |= 3 << 8;
	expect_refusal(test, "whose ranges or holes differ");
	regs = opteron(test);
	regs->node[1].select |= BIT(4);
	expect_refusal(test, "node 1: ganged channels (F2x110, DctGangEn)");
	regs = opteron(test);
	regs->node[3].channel[1].config = 0;
	expect_refusal(test, "node 3: memory that is not DDR3 (F2x94, Ddr3Mode)");
	regs = opteron(test);
	regs->node[2].channel[0].config |= BIT(22);
	expect_refusal(test, "node 2: ranks that differ");
	regs = opteron(test);
	regs->node[0].channel[1].mapping = 3;
	expect_refusal(test, "node 0: a bank address mapping that is not decoded (F2x80)");
	regs = opteron(test);
	regs->node[0].channel[0].mask[0] = 0x3fe0 | 3 << 19;
	expect_refusal(test, "whose mask is not that of its devices (F2x60, F2x80)");
	regs = opteron(test);
	regs->node[0].channel[0].select[1] |= 2;
	expect_refusal(test, "a spare rank (F2x40, Spare)");
	regs = opteron(test);
	regs->node[1].channel[1].select[1] = 0;
	expect_refusal(test, "node 1: not 1, 2, 4 or 8 ranks");
	/* Both ranks answer to the same addresses, none to the others. */
	regs = opteron(test);
	regs->node[1].channel[1].select[1] = 1;
	expect_refusal(test, "node 1: places are no parities");
	/* The second channel begins after a quarter of the node. */
	regs = opteron(test);
	regs->node[3].select = (u32)(13 * GIB >> 27) << 11 | 3;
	expect_refusal(test, "node 3: places are no parities");
	regs = opteron(test);
	set_config(regs, BIT(8) | BIT(22));
	interleave_ranks(regs);
	expect_refusal(test, "swizzled banks and interleaved ranks (F2x94");
}

static void refusals_of_interleaves(struct kunit *test)
{
	struct amd10h_registers *regs = interleaved(test);
	unsigned int i;

	for (i = 0; i < 4; i++)
		regs->range[i].base = 3 | 5 << 8;
	expect_refusal(test, "(F1x40, IntlvEn)");
	regs = interleaved(test);
	regs->range[0].limit |= 1 << 8;
	expect_refusal(test, "of which some are missing (F1x44, IntlvSel)");
	regs = interleaved(test);
	regs->range[3].base = 0;
	expect_refusal(test, "of which some are missing (F1x44, IntlvSel)");
	regs = interleaved(test);
	regs->node[1].select = BIT(0) | BIT(2);
	expect_refusal(test, "node 1: channels by range below interleaved nodes (F2x110");
	regs = interleaved(test);
	regs->node[1].hole = 0xc0000003;
	expect_refusal(test, "node 1: interleaved nodes whose ranges or holes differ");
}

/* A dump of the Opteron's registers, and one that cannot be read. */
struct dump {
	const struct amd10h_registers *regs;
	unsigned int node, function, missing;
};

static int read_dump(void *from, unsigned int node, unsigned int function,
		     unsigned int offset, u32 *value)
{
	const struct dump *dump = from;
	const struct amd10h_node *n = &dump->regs->node[node];
	const struct amd10h_channel *c = &n->channel[offset >> 8 & 1];
	const struct amd10h_range *r = &dump->regs->range[(offset & 0x3f) / 8];

	if (node == dump->node && function == dump->function && offset == dump->missing)
		return -EIO;
	if (function == 1 && offset == 0xf0)
		*value = n->hole;
	else if (function == 1 && offset < 0x80)
		*value = offset & 4 ? r->limit : r->base;
	else if (function == 1)
		*value = offset & 4 ? r->limit_high : r->base_high;
	else if (offset == 0x110)
		*value = n->select;
	else if (offset == 0x114)
		*value = n->select_high;
	else if ((offset & 0xff) < 0x60)
		*value = c->select[(offset & 0x1f) / 4];
	else if ((offset & 0xff) < 0x70)
		*value = c->mask[(offset & 0xf) / 4];
	else
		*value = (offset & 0xff) == 0x80 ? c->mapping : c->config;
	return 0;
}

static void collected(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct amd10h_registers *copy = kunit_kzalloc(test, sizeof(*copy), GFP_KERNEL);
	struct dump dump = { .regs = opteron(test) };

	KUNIT_ASSERT_NOT_NULL(test, copy);
	f->regs.range[3].base_high = 1;
	f->regs.range[3].limit_high = 2;
	f->regs.node[2].hole = 0x80000003;
	f->regs.node[3].channel[1].select[7] = 0x123;
	f->regs.node[3].channel[0].mask[3] = 0x456;
	KUNIT_EXPECT_EQ(test, amd10h_collect(copy, read_dump, &dump, f->why), 0);
	KUNIT_EXPECT_MEMEQ(test, copy, &f->regs, sizeof(*copy));

	dump.node = 2;
	dump.function = 2;
	dump.missing = 0x110;
	KUNIT_EXPECT_EQ(test, amd10h_collect(copy, read_dump, &dump, f->why), -EIO);
	KUNIT_EXPECT_STREQ(test, f->why, "node 2: register F2x110 cannot be read");
}

/* Registers with wrong bits are refused or are a map, and neither takes long. */
static void flipped_bits(struct kunit *test)
{
	struct fixture *f = test->priv;
	const unsigned int used = offsetof(struct amd10h_registers, node[4]) / sizeof(u32);
	unsigned int i, n, decoded = 0, refused = 0;
	struct rnd_state rnd;
	const char *why;

	prandom_seed_state(&rnd, 6128);
	for (i = 0; i < 60; i++) {
		u32 *words = (u32 *)(i % 2 ? opteron(test) : interleaved(test));

		for (n = prandom_u32_state(&rnd) % 4; n < 4; n++) {
			/* Not the number of nodes, which is collected. */
			words[1 + prandom_u32_state(&rnd) % (used - 1)] ^=
				BIT(prandom_u32_state(&rnd) % 32);
		}
		/* As is that no range names a node above it. */
		for (n = 0; n < AMD10H_RANGES; n++)
			f->regs.range[n].limit &= ~4;
		if (amd10h_decode(&f->regs, f->text, f->why)) {
			KUNIT_EXPECT_NE(test, f->why[0], '\0');
			refused++;
			continue;
		}
		/* More functions than are configured may be refused here. */
		if (page_color_map_parse(&f->map, f->text, &why))
			KUNIT_EXPECT_STREQ(test, why,
					   "more functions than CONFIG_PAGE_COLOR_BITS");
		decoded++;
	}
	KUNIT_EXPECT_GT(test, decoded, 10);
	KUNIT_EXPECT_GT(test, refused, 10);
}

static struct kunit_case page_color_amd10h_cases[] = {
	KUNIT_CASE(all_by_range),
	KUNIT_CASE(low_ranks),
	KUNIT_CASE(hashed_channels),
	KUNIT_CASE(interleaved_nodes),
	KUNIT_CASE(channels_by_pages),
	KUNIT_CASE(swizzled_banks),
	KUNIT_CASE(behind_a_hole),
	KUNIT_CASE(refusals),
	KUNIT_CASE(refusals_of_interleaves),
	KUNIT_CASE(collected),
	KUNIT_CASE(flipped_bits),
	{}
};

static struct kunit_suite page_color_amd10h_suite = {
	.name = "page_color_amd10h",
	.init = fixture_init,
	.test_cases = page_color_amd10h_cases,
};

kunit_test_suite(page_color_amd10h_suite);

MODULE_DESCRIPTION("KUnit tests for maps from registers of AMD family 10h");
MODULE_LICENSE("GPL");
