// SPDX-License-Identifier: GPL-2.0-only
/*
 * Maps from page frames to colors: parsing, checking, precomputing.
 */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/page_color_map.h>
#include <linux/sprintf.h>
#include <linux/string.h>

#define BLOCK_SIZE	(PAGE_SIZE << MAX_PAGE_ORDER)
#define PFN_BITS	(PAGE_COLOR_PFN_BYTES * 8)

/**
 * page_color_dram_pfn - frame number without the holes below it
 * @map: the map
 * @pfn: frame number
 *
 * Return: @pfn less the base of its range, ULONG_MAX if no range holds it; @pfn
 * itself without ranges.
 */
unsigned long page_color_dram_pfn(const struct page_color_map *map,
				  unsigned long pfn)
{
	unsigned int i;

	if (!map->nr_ranges)
		return pfn;
	for (i = 0; i < map->nr_ranges; i++) {
		const struct page_color_range *r = &map->range[i];

		if (pfn < r->start)
			break;
		if (pfn < r->end)
			return pfn - r->base;
	}
	return ULONG_MAX;
}

static u16 color_of_pfn_bit(const struct page_color_map *map, unsigned int bit)
{
	unsigned int i;
	u16 color = 0;

	for (i = 0; i < map->nr_bits; i++)
		color |= (map->mask[i] >> (PAGE_SHIFT + bit) & 1) << i;
	return color;
}

/* Add to a set of colors the same set with @unit added to each. */
static void close_under(unsigned long *set, unsigned int unit)
{
	unsigned int c;

	for (c = 0; c < PAGE_COLOR_MAX; c++) {
		if (test_bit(c, set))
			__set_bit(c ^ unit, set);
	}
}

static void precompute(struct page_color_map *map)
{
	unsigned int byte, value, bit, order, c;

	for (byte = 0; byte < PAGE_COLOR_PFN_BYTES; byte++) {
		for (value = 1; value < 256; value++) {
			bit = __ffs(value);
			map->table[byte][value] =
				map->table[byte][value & (value - 1)] ^
				color_of_pfn_bit(map, 8 * byte + bit);
		}
	}

	map->plain = !map->nr_ranges;
	for (value = 1; value < 256; value <<= 1)
		map->plain &= !map->table[3][value] && !map->table[4][value];

	__set_bit(0, map->span[0]);
	map->unit[0] = color_of_pfn_bit(map, 0);
	for (c = 0; c < PAGE_COLOR_MAX; c++)
		map->first[0][c] = c;
	for (order = 1; order < NR_PAGE_ORDERS; order++) {
		unsigned int unit = map->unit[order - 1];

		map->unit[order] = color_of_pfn_bit(map, order);
		bitmap_copy(map->span[order], map->span[order - 1], PAGE_COLOR_MAX);
		close_under(map->span[order], unit);
		map->rank[order] = ilog2(bitmap_weight(map->span[order],
						       PAGE_COLOR_MAX));
		for (c = 0; c < PAGE_COLOR_MAX; c++)
			map->first[order][c] = min(map->first[order - 1][c],
						   map->first[order - 1][c ^ unit]);
	}

	__set_bit(0, map->exists);
	for (bit = 0; bit < PFN_BITS; bit++)
		close_under(map->exists, color_of_pfn_bit(map, bit));
}

/* A number as C writes it, without a sign. */
static bool parse_number(const char **text, u64 *number)
{
	char digits[24];
	size_t n = 0;

	while (isxdigit((*text)[n]) || (*text)[n] == 'x' || (*text)[n] == 'X')
		n++;
	if (n >= sizeof(digits))
		return false;
	memcpy(digits, *text, n);
	digits[n] = '\0';
	*text += n;
	return !kstrtou64(digits, 0, number);
}

static const char *parse_functions(struct page_color_map *map, const char **text)
{
	do {
		u64 mask;

		if (map->nr_bits == CONFIG_PAGE_COLOR_BITS)
			return "more functions than CONFIG_PAGE_COLOR_BITS";
		if (!parse_number(text, &mask))
			return "a function is a mask of address bits, such as 0x22000";
		if (!mask)
			return "a function without bits has no colors";
		if (mask & ~PAGE_MASK)
			return "bits below the page: each page has both colors of a function";
		if (mask >> PAGE_SHIFT >> PFN_BITS)
			return "a function has bits above physical address bit 51";
		map->mask[map->nr_bits++] = mask;
	} while (*(*text) == ',' && (*text)++);
	return NULL;
}

static const char *parse_ranges(struct page_color_map *map, const char **text)
{
	unsigned long last = 0;

	do {
		struct page_color_range *r = &map->range[map->nr_ranges];
		u64 start, end, base = 0;

		if (map->nr_ranges == PAGE_COLOR_RANGES)
			return "more than 16 ranges";
		if (!parse_number(text, &start) || **text != '-')
			return "a range is START-END or START-END:BASE, in bytes";
		(*text)++;
		if (!parse_number(text, &end))
			return "a range is START-END or START-END:BASE, in bytes";
		if (**text == ':') {
			(*text)++;
			if (!parse_number(text, &base))
				return "a range is START-END or START-END:BASE, in bytes";
		}
		if ((start | end | base) & (BLOCK_SIZE - 1))
			return "starts, ends and bases are multiples of the largest block";
		r->start = start >> PAGE_SHIFT;
		r->end = end >> PAGE_SHIFT;
		r->base = base >> PAGE_SHIFT;
		if ((u64)r->end << PAGE_SHIFT != end || end >> PAGE_SHIFT >> PFN_BITS)
			return "a range ends above what physical addresses reach";
		if (r->start >= r->end)
			return "a range ends before it starts";
		if (r->base > r->start)
			return "the base of a range lies above its start";
		if (r->start < last)
			return "ranges overlap or are not in order";
		last = r->end;
		map->nr_ranges++;
	} while (*(*text) == ',' && (*text)++);
	return NULL;
}

/**
 * page_color_map_parse - read a map
 * @map: where it is put; zeroed on errors
 * @text: MASK[,MASK]...[@START-END[:BASE][,START-END[:BASE]]...]
 * @why: on errors, what is wrong with it
 *
 * A newline may end the text. Color bit 0 is the first mask. Masks, starts,
 * ends and bases are in bytes of physical address. A base is subtracted before
 * the masks are applied. With ranges, memory outside of them has no color.
 *
 * Return: 0 or -EINVAL.
 */
int page_color_map_parse(struct page_color_map *map, const char *text,
			 const char **why)
{
	memset(map, 0, sizeof(*map));
	*why = parse_functions(map, &text);
	if (!*why && *text == '@') {
		text++;
		*why = parse_ranges(map, &text);
	}
	if (*text == '\n')
		text++;
	if (!*why && *text)
		*why = "something follows the map";
	if (*why) {
		memset(map, 0, sizeof(*map));
		return -EINVAL;
	}
	precompute(map);
	return 0;
}

/**
 * page_color_map_print - write a map as page_color_map_parse() reads it
 * @map: the map
 * @buf: where it is put, without a newline
 * @size: of @buf, in bytes
 *
 * Return: characters written.
 */
int page_color_map_print(const struct page_color_map *map, char *buf,
			 size_t size)
{
	unsigned int i;
	int n = 0;

	for (i = 0; i < map->nr_bits; i++)
		n += scnprintf(buf + n, size - n, "%s%#llx", i ? "," : "",
			       map->mask[i]);
	for (i = 0; i < map->nr_ranges; i++) {
		const struct page_color_range *r = &map->range[i];

		n += scnprintf(buf + n, size - n, "%s%#llx-%#llx:%#llx",
			       i ? "," : "@",
			       (u64)r->start << PAGE_SHIFT,
			       (u64)r->end << PAGE_SHIFT,
			       (u64)r->base << PAGE_SHIFT);
	}
	return n;
}

/**
 * page_color_set_init - prepare a set of colors for looking at blocks
 * @map: the map
 * @set: where the result is put
 * @colors: the set, PAGE_COLOR_MAX bits; colors that do not exist are dropped
 *
 * An aligned block of one order more is a block that starts with the same
 * color and one that starts with that color XOR @unit.
 */
void page_color_set_init(const struct page_color_map *map,
			 struct page_color_set *set,
			 const unsigned long *colors)
{
	unsigned int order, c;

	memset(set, 0, sizeof(*set));
	bitmap_and(set->some[0], colors, map->exists, PAGE_COLOR_MAX);
	bitmap_copy(set->all[0], set->some[0], PAGE_COLOR_MAX);
	for (order = 1; order < NR_PAGE_ORDERS; order++) {
		unsigned int unit = map->unit[order - 1];

		for (c = 0; c < page_color_nr(map); c++) {
			if (test_bit(c, set->some[order - 1]) ||
			    test_bit(c ^ unit, set->some[order - 1]))
				__set_bit(c, set->some[order]);
			if (test_bit(c, set->all[order - 1]) &&
			    test_bit(c ^ unit, set->all[order - 1]))
				__set_bit(c, set->all[order]);
		}
	}
}

/**
 * page_color_parts - which blocks have a part that starts with one of some colors?
 * @map: the map
 * @colors: the colors: for each, all those that parts with the same colors start with
 * @order: order of the blocks
 * @firsts: set to the first colors of their classes, PAGE_COLOR_SET_BITS bits
 *
 * If a block has the color that such a part starts with, a part of it has all colors
 * of that one. So which classes have such parts is seen without a look at each part.
 */
void page_color_parts(const struct page_color_map *map, const unsigned long *colors,
		      unsigned int order, unsigned long *firsts)
{
	unsigned int c;

	bitmap_zero(firsts, PAGE_COLOR_SET_BITS);
	for_each_set_bit(c, colors, PAGE_COLOR_MAX)
		__set_bit(map->first[order][c], firsts);
}

/**
 * page_color_part - find a part of a block by the color of its first frame
 * @map: the map
 * @colors: the colors that will do, PAGE_COLOR_SET_BITS bits
 * @first: color of the block's first frame
 * @order: order of the block
 * @part: order of the part, which is naturally aligned
 *
 * Return: how many frames are before the part, -1 if there is none.
 */
long page_color_part(const struct page_color_map *map, const unsigned long *colors,
		     unsigned int first, unsigned int order, unsigned int part)
{
	unsigned long i = 0, n = 1UL << (order - part);

	if (first == PAGE_COLOR_NONE)
		return -1;
	while (!test_bit(first, colors)) {
		if (++i == n)
			return -1;
		/* In the order of Gray's code: from part to part one bit changes. */
		first ^= map->unit[part + __ffs(i)];
	}
	return (i ^ (i >> 1)) << part;
}
