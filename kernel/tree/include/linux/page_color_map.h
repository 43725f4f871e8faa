/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _LINUX_PAGE_COLOR_MAP_H
#define _LINUX_PAGE_COLOR_MAP_H

/*
 * Colors of page frames.
 *
 * Bit i of a frame's color is the parity of (physical address & mask[i]).
 * That is linear over GF(2): color(a ^ b) = color(a) ^ color(b). So a
 * lookup is one XOR per byte of the frame number, and the colors in a naturally
 * aligned block are those of its first frame XOR a set that depends on the
 * order of the block alone.
 *
 * Nothing here knows about zones, lists or locks.
 */
#include <linux/bitmap.h>
#include <linux/mmzone.h>
#include <linux/types.h>

#define PAGE_COLOR_MAX		BIT(CONFIG_PAGE_COLOR_BITS)
/* Frames outside the ranges of a map; never a member of a set of colors. */
#define PAGE_COLOR_NONE		PAGE_COLOR_MAX
#define PAGE_COLOR_SET_BITS	(PAGE_COLOR_MAX + 1)

/* Frame numbers of up to 40 bits: physical addresses of 52 bits. */
#define PAGE_COLOR_PFN_BYTES	5
#define PAGE_COLOR_RANGES	16

/**
 * struct page_color_range - physical memory that starts at another DRAM address
 * @start: first frame
 * @end: first frame behind it
 * @base: what is subtracted from a frame number before colors are computed
 */
struct page_color_range {
	unsigned long start;
	unsigned long end;
	unsigned long base;
};

/**
 * struct page_color_map - from frame numbers to colors
 * @nr_bits: number of functions; there are 1 << @nr_bits colors
 * @nr_ranges: number of entries in @range; none means all memory, base 0
 * @table: color of each value of each byte of a frame number
 * @unit: color of the frame number 1 << order
 * @span: per order, the colors in a block that starts with color 0
 * @plain: no ranges, and the first 24 bits of a frame number tell its color
 * @rank: per order, how many colors are in a block, as a power of two
 * @first: per order and color, the least color of a block that has the color:
 *	all blocks of an order with the same colors have it in common
 * @exists: colors that some frame number has
 * @mask: the functions, over physical addresses
 * @range: sorted, disjoint
 */
struct page_color_map {
	unsigned int nr_bits;
	unsigned int nr_ranges;
	u16 table[PAGE_COLOR_PFN_BYTES][256];
	u16 unit[NR_PAGE_ORDERS];
	DECLARE_BITMAP(span[NR_PAGE_ORDERS], PAGE_COLOR_MAX);
	bool plain;
	u8 rank[NR_PAGE_ORDERS];
	u16 first[NR_PAGE_ORDERS][PAGE_COLOR_MAX];
	DECLARE_BITMAP(exists, PAGE_COLOR_MAX);
	u64 mask[CONFIG_PAGE_COLOR_BITS];
	struct page_color_range range[PAGE_COLOR_RANGES];
};

/**
 * struct page_color_set - a set of colors, prepared for looking at blocks
 * @some: per order, first colors of blocks with at least one frame in the set
 * @all: per order, first colors of blocks with every frame in the set
 *
 * Order 0 of both is the set itself.
 */
struct page_color_set {
	DECLARE_BITMAP(some[NR_PAGE_ORDERS], PAGE_COLOR_SET_BITS);
	DECLARE_BITMAP(all[NR_PAGE_ORDERS], PAGE_COLOR_SET_BITS);
};

int page_color_map_parse(struct page_color_map *map, const char *text,
			 const char **why);
int page_color_map_print(const struct page_color_map *map, char *buf,
			 size_t size);
void page_color_set_init(const struct page_color_map *map,
			 struct page_color_set *set,
			 const unsigned long *colors);
unsigned long page_color_dram_pfn(const struct page_color_map *map,
				  unsigned long pfn);
void page_color_parts(const struct page_color_map *map, const unsigned long *colors,
		      unsigned int order, unsigned long *firsts);
long page_color_part(const struct page_color_map *map, const unsigned long *colors,
		     unsigned int first, unsigned int order, unsigned int part);

static inline unsigned int page_color_nr(const struct page_color_map *map)
{
	return 1U << map->nr_bits;
}

/**
 * page_color_of - color of a frame
 * @map: the map
 * @pfn: number of the frame
 *
 * Return: the color, or PAGE_COLOR_NONE if no range of the map holds @pfn.
 */
static inline unsigned int page_color_of(const struct page_color_map *map,
					 unsigned long pfn)
{
	unsigned int color;
	u64 p = pfn;

	if (unlikely(!map->plain)) {
		p = page_color_dram_pfn(map, pfn);
		if (p == ULONG_MAX)
			return PAGE_COLOR_NONE;
	}
	color = map->table[0][p & 0xff] ^
		map->table[1][(p >> 8) & 0xff] ^
		map->table[2][(p >> 16) & 0xff];
	if (unlikely(!map->plain))
		color ^= map->table[3][(p >> 24) & 0xff] ^
			 map->table[4][(p >> 32) & 0xff];
	return color;
}

/**
 * page_color_in_block - does a naturally aligned block hold a color?
 * @map: the map
 * @first: color of the block's first frame, not PAGE_COLOR_NONE
 * @order: order of the block
 * @color: the color asked for
 *
 * Return: true if one of its frames has the color.
 */
static inline bool page_color_in_block(const struct page_color_map *map,
				       unsigned int first, unsigned int order,
				       unsigned int color)
{
	return test_bit(first ^ color, map->span[order]);
}

#endif /* _LINUX_PAGE_COLOR_MAP_H */
