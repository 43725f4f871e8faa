// SPDX-License-Identifier: GPL-2.0-only
/*
 * Maps from page frames to colors: worked examples, refusals, properties.
 */
#include <kunit/test.h>
#include <linux/page_color_map.h>
#include <linux/prandom.h>

#define PFN(phys)	((unsigned long)((phys) >> PAGE_SHIFT))

/* Bank bits 12, 13, 19, 20, each on its own. */
#define LINEAR		"0x1000,0x2000,0x80000,0x100000"
/* Bank bits 13^17, 14^18, 15^19, 16^20. */
#define XORED		"0x22000,0x44000,0x88000,0x110000"
/* Memory behind a hole of 1 GiB below 4 GiB keeps its DRAM addresses dense. */
#define OFFSET		"0x40000000,0x22000@0-0xc0000000,0x100000000-0x240000000:0x40000000"
/* The second function equals the first: two of the four colors do not exist. */
#define DEPENDENT	"0x2000,0x2000"

static const char * const maps[] = { LINEAR, XORED, OFFSET, DEPENDENT };

struct fixture {
	struct page_color_map map;
	struct page_color_set set;
	unsigned long colors[BITS_TO_LONGS(PAGE_COLOR_MAX)];
	struct rnd_state rnd;
};

static int fixture_init(struct kunit *test)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	prandom_seed_state(&f->rnd, 20241117);
	test->priv = f;
	return 0;
}

static struct page_color_map *parsed(struct kunit *test, const char *text)
{
	struct fixture *f = test->priv;
	const char *why;

	KUNIT_ASSERT_EQ_MSG(test, page_color_map_parse(&f->map, text, &why), 0,
			    "%s: %s", text, why);
	KUNIT_ASSERT_NULL(test, why);
	return &f->map;
}

/* A first frame of an aligned block that the map knows, below 9 GiB. */
static unsigned long some_block(struct kunit *test, unsigned int order)
{
	struct fixture *f = test->priv;
	unsigned long pfn;

	do {
		pfn = prandom_u32_state(&f->rnd) % PFN(9ULL << 30);
		pfn = round_down(pfn, 1UL << order);
	} while (page_color_of(&f->map, pfn) == PAGE_COLOR_NONE);
	return pfn;
}

static void linear_by_hand(struct kunit *test)
{
	struct page_color_map *map = parsed(test, LINEAR);

	KUNIT_EXPECT_EQ(test, page_color_nr(map), 16);
	KUNIT_EXPECT_EQ(test, page_color_of(map, PFN(0x0)), 0);
	KUNIT_EXPECT_EQ(test, page_color_of(map, PFN(0x1000)), 1);
	KUNIT_EXPECT_EQ(test, page_color_of(map, PFN(0x2000)), 2);
	KUNIT_EXPECT_EQ(test, page_color_of(map, PFN(0x4000)), 0);
	KUNIT_EXPECT_EQ(test, page_color_of(map, PFN(0x80000)), 4);
	KUNIT_EXPECT_EQ(test, page_color_of(map, PFN(0x100000)), 8);
	KUNIT_EXPECT_EQ(test, page_color_of(map, PFN(0x183000)), 15);
	KUNIT_EXPECT_EQ(test, page_color_of(map, PFN(0x8000183000ULL)), 15);
	KUNIT_EXPECT_EQ(test, bitmap_weight(map->span[0], PAGE_COLOR_MAX), 1);
	KUNIT_EXPECT_EQ(test, bitmap_weight(map->span[1], PAGE_COLOR_MAX), 2);
	KUNIT_EXPECT_EQ(test, bitmap_weight(map->span[2], PAGE_COLOR_MAX), 4);
	KUNIT_EXPECT_EQ(test, bitmap_weight(map->span[7], PAGE_COLOR_MAX), 4);
	KUNIT_EXPECT_EQ(test, bitmap_weight(map->span[8], PAGE_COLOR_MAX), 8);
	KUNIT_EXPECT_EQ(test, bitmap_weight(map->span[9], PAGE_COLOR_MAX), 16);
}

static void xored_by_hand(struct kunit *test)
{
	struct page_color_map *map = parsed(test, XORED);

	KUNIT_EXPECT_EQ(test, page_color_of(map, PFN(0x1000)), 0);
	KUNIT_EXPECT_EQ(test, page_color_of(map, PFN(0x2000)), 1);
	KUNIT_EXPECT_EQ(test, page_color_of(map, PFN(0x20000)), 1);
	KUNIT_EXPECT_EQ(test, page_color_of(map, PFN(0x22000)), 0);
	KUNIT_EXPECT_EQ(test, page_color_of(map, PFN(0x1e000)), 15);
	KUNIT_EXPECT_EQ(test, page_color_of(map, PFN(0x110000)), 0);
	KUNIT_EXPECT_EQ(test, page_color_of(map, PFN(0x100000)), 8);
	KUNIT_EXPECT_EQ(test, bitmap_weight(map->span[1], PAGE_COLOR_MAX), 1);
	KUNIT_EXPECT_EQ(test, bitmap_weight(map->span[5], PAGE_COLOR_MAX), 16);
}

static void offset_by_hand(struct kunit *test)
{
	struct page_color_map *map = parsed(test, OFFSET);

	KUNIT_EXPECT_EQ(test, page_color_of(map, PFN(0x40000000)), 1);
	KUNIT_EXPECT_EQ(test, page_color_of(map, PFN(0x80002000)), 2);
	/* 4 GiB less 1 GiB: bits 31 and 30 are set, only 30 counts. */
	KUNIT_EXPECT_EQ(test, page_color_of(map, PFN(0x100000000)), 1);
	KUNIT_EXPECT_EQ(test, page_color_of(map, PFN(0x140000000)), 0);
	KUNIT_EXPECT_EQ(test, page_color_of(map, PFN(0xbffff000)), 0);
	KUNIT_EXPECT_EQ(test, page_color_of(map, PFN(0xc0000000)), PAGE_COLOR_NONE);
	KUNIT_EXPECT_EQ(test, page_color_of(map, PFN(0xfffff000)), PAGE_COLOR_NONE);
	KUNIT_EXPECT_EQ(test, page_color_of(map, PFN(0x240000000)), PAGE_COLOR_NONE);
}

static void dependent_by_hand(struct kunit *test)
{
	struct page_color_map *map = parsed(test, DEPENDENT);
	struct fixture *f = test->priv;

	KUNIT_EXPECT_TRUE(test, test_bit(0, map->exists));
	KUNIT_EXPECT_FALSE(test, test_bit(1, map->exists));
	KUNIT_EXPECT_FALSE(test, test_bit(2, map->exists));
	KUNIT_EXPECT_TRUE(test, test_bit(3, map->exists));
	__set_bit(1, f->colors);
	page_color_set_init(map, &f->set, f->colors);
	KUNIT_EXPECT_TRUE(test, bitmap_empty(f->set.some[0], PAGE_COLOR_SET_BITS));
}

static void refusals(struct kunit *test)
{
	static const struct { const char *text, *why; } wrong[] = {
		{ "", "a function is a mask of address bits, such as 0x22000" },
		{ "-1", "a function is a mask of address bits, such as 0x22000" },
		{ "0x2000,", "a function is a mask of address bits, such as 0x22000" },
		{ "0", "a function without bits has no colors" },
		{ "0x2040",
		  "bits below the page: each page has both colors of a function" },
		{ "0x10000000000000", "a function has bits above physical address bit 51" },
		{ "0x2000 0x4000", "something follows the map" },
		{ "0x2000@0", "a range is START-END or START-END:BASE, in bytes" },
		{ "0x2000@0-0x400000:", "a range is START-END or START-END:BASE, in bytes" },
		{ "0x2000@0-0x1000",
		  "starts, ends and bases are multiples of the largest block" },
		{ "0x2000@0x400000-0x400000", "a range ends before it starts" },
		{ "0x2000@0x40000000-0x80000000:0x80000000",
		  "the base of a range lies above its start" },
		{ "0x2000@0-0x80000000,0x40000000-0xc0000000",
		  "ranges overlap or are not in order" },
		{ "0x2000@0-0x20000000000000",
		  "a range ends above what physical addresses reach" },
	};
	struct fixture *f = test->priv;
	unsigned int i;
	const char *why;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		KUNIT_EXPECT_EQ(test, page_color_map_parse(&f->map, wrong[i].text, &why),
				-EINVAL);
		KUNIT_EXPECT_STREQ(test, why, wrong[i].why);
		KUNIT_EXPECT_EQ(test, f->map.nr_bits, 0);
	}
}

static void too_many_functions(struct kunit *test)
{
	char text[8 * (CONFIG_PAGE_COLOR_BITS + 1)] = "0x1000";
	struct fixture *f = test->priv;
	unsigned int i;
	const char *why;

	for (i = 1; i < CONFIG_PAGE_COLOR_BITS; i++)
		strlcat(text, ",0x2000", sizeof(text));
	KUNIT_EXPECT_EQ(test, page_color_map_parse(&f->map, text, &why), 0);
	strlcat(text, ",0x2000", sizeof(text));
	KUNIT_EXPECT_EQ(test, page_color_map_parse(&f->map, text, &why), -EINVAL);
	KUNIT_EXPECT_STREQ(test, why, "more functions than CONFIG_PAGE_COLOR_BITS");
}

static void printed_as_read(struct kunit *test)
{
	char first[256], again[256];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(maps); i++) {
		page_color_map_print(parsed(test, maps[i]), first, sizeof(first));
		page_color_map_print(parsed(test, first), again, sizeof(again));
		KUNIT_EXPECT_STREQ(test, first, again);
	}
	page_color_map_print(parsed(test, OFFSET "\n"), first, sizeof(first));
	KUNIT_EXPECT_STREQ(test, first,
			   "0x40000000,0x22000@0x0-0xc0000000:0x0,0x100000000-0x240000000:0x40000000");
}

/* The tables agree with the definition, frame by frame. */
static void is_the_parity(struct kunit *test)
{
	unsigned int i, n, bit, color;

	for (i = 0; i < ARRAY_SIZE(maps); i++) {
		struct page_color_map *map = parsed(test, maps[i]);

		for (n = 0; n < 2000; n++) {
			unsigned long pfn = some_block(test, 0);
			u64 phys = (u64)pfn << PAGE_SHIFT;

			if (map->nr_ranges && phys >= 0x100000000ULL)
				phys -= 0x40000000;
			color = 0;
			for (bit = 0; bit < map->nr_bits; bit++)
				color |= (hweight64(phys & map->mask[bit]) & 1) << bit;
			KUNIT_ASSERT_EQ(test, page_color_of(map, pfn), color);
		}
	}
}

/* Spans and sets agree with looking at each frame of a block. */
static void blocks_by_brute_force(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int i, n, order, c;

	for (i = 0; i < ARRAY_SIZE(maps); i++) {
		struct page_color_map *map = parsed(test, maps[i]);

		for (n = 0; n < 16 * NR_PAGE_ORDERS; n++) {
			unsigned long colors[BITS_TO_LONGS(PAGE_COLOR_MAX)] = {};
			unsigned long seen[BITS_TO_LONGS(PAGE_COLOR_MAX)] = {};
			unsigned long pfn, first;

			order = n % NR_PAGE_ORDERS;
			for (c = 0; c < page_color_nr(map); c++) {
				if (prandom_u32_state(&f->rnd) & 1)
					__set_bit(c, colors);
			}
			bitmap_and(colors, colors, map->exists, PAGE_COLOR_MAX);
			page_color_set_init(map, &f->set, colors);

			first = some_block(test, order);
			for (pfn = first; pfn < first + (1UL << order); pfn++)
				__set_bit(page_color_of(map, pfn), seen);

			c = page_color_of(map, first);
			KUNIT_ASSERT_EQ(test, test_bit(c, f->set.some[order]),
					bitmap_intersects(seen, colors, PAGE_COLOR_MAX));
			KUNIT_ASSERT_EQ(test, test_bit(c, f->set.all[order]),
					bitmap_subset(seen, colors, PAGE_COLOR_MAX));
			for (c = 0; c < page_color_nr(map); c++)
				KUNIT_ASSERT_EQ(test, test_bit(c, seen),
						page_color_in_block(map, page_color_of(map, first),
								    order, c));
			KUNIT_ASSERT_EQ(test, 1U << map->rank[order],
					bitmap_weight(seen, PAGE_COLOR_MAX));
			/* Whichever of its colors a block starts with. */
			for_each_set_bit(c, seen, PAGE_COLOR_MAX)
				KUNIT_ASSERT_EQ(test, map->first[order][c],
						find_first_bit(seen, PAGE_COLOR_MAX));
		}
	}
}

/* A part is found if and only if a look at each says that there is one. */
static void look_for_parts(struct kunit *test, const struct page_color_map *map,
			   const unsigned long *starts, unsigned int order,
			   unsigned int part)
{
	unsigned long pfn = 5UL << (MAX_PAGE_ORDER + order % 3), i;
	DECLARE_BITMAP(firsts, PAGE_COLOR_SET_BITS);
	bool any = false;
	long at;

	for (i = 0; i < 1UL << order; i += 1UL << part)
		any |= test_bit(page_color_of(map, pfn + i), starts);
	page_color_parts(map, starts, order, firsts);
	KUNIT_EXPECT_EQ(test, any,
			test_bit(map->first[order][page_color_of(map, pfn)], firsts));
	at = page_color_part(map, starts, page_color_of(map, pfn), order, part);
	KUNIT_EXPECT_EQ(test, any, at >= 0);
	if (at < 0)
		return;
	KUNIT_EXPECT_EQ(test, at & ((1L << part) - 1), 0);
	KUNIT_EXPECT_LT(test, at, 1L << order);
	KUNIT_EXPECT_TRUE(test, test_bit(page_color_of(map, pfn + at), starts));
}

static void parts_by_brute_force(struct kunit *test)
{
	static const char * const maps[] = { LINEAR, XORED, OFFSET };
	struct fixture *f = test->priv;
	unsigned int m, run, order, part, c;

	/* Runs of colors that are neighbours, and as many that are not in the set. */
	for (m = 0; m < ARRAY_SIZE(maps); m++) {
		struct page_color_map *map = parsed(test, maps[m]);

		for (run = 1; run < page_color_nr(map); run *= 2) {
			bitmap_zero(f->colors, PAGE_COLOR_MAX);
			for (c = 0; c < page_color_nr(map); c++)
				if (!(c & run))
					__set_bit(c, f->colors);
			page_color_set_init(map, &f->set, f->colors);
			for (order = 1; order < NR_PAGE_ORDERS; order++)
				for (part = 0; part < order; part++)
					look_for_parts(test, map, f->set.all[part],
						       order, part);
		}
		KUNIT_EXPECT_EQ(test, page_color_part(map, f->set.all[0], PAGE_COLOR_NONE,
						      3, 0), -1);
	}
}

static struct kunit_case page_color_map_cases[] = {
	KUNIT_CASE(linear_by_hand),
	KUNIT_CASE(xored_by_hand),
	KUNIT_CASE(offset_by_hand),
	KUNIT_CASE(dependent_by_hand),
	KUNIT_CASE(refusals),
	KUNIT_CASE(too_many_functions),
	KUNIT_CASE(printed_as_read),
	KUNIT_CASE(is_the_parity),
	KUNIT_CASE(blocks_by_brute_force),
	KUNIT_CASE(parts_by_brute_force),
	{}
};

static struct kunit_suite page_color_map_suite = {
	.name = "page_color_map",
	.init = fixture_init,
	.test_cases = page_color_map_cases,
};

kunit_test_suite(page_color_map_suite);

MODULE_DESCRIPTION("KUnit tests for the map from page frames to colors");
MODULE_LICENSE("GPL");
