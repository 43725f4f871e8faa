// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: which colors memory of a node has.
 *
 * All of them unless functions of the map select nodes.
 */
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/page_color.h>
#include <linux/slab.h>
#include "page_color.h"

/* Colors that memory of each node has; NULL while that is not known. */
static unsigned long *node_colors[MAX_NUMNODES];

/* By a look at all its blocks. */
static void look_at_node(int nid, unsigned long *colors)
{
	unsigned long pfn = ALIGN_DOWN(node_start_pfn(nid), MAX_ORDER_NR_PAGES);
	const unsigned long *span = page_color_map.span[MAX_PAGE_ORDER];

	bitmap_zero(colors, PAGE_COLOR_MAX);
	for (; pfn < node_end_pfn(nid); pfn += MAX_ORDER_NR_PAGES) {
		unsigned int first = page_color_of(&page_color_map, pfn), c;
		struct page *page = pfn_to_online_page(pfn);

		/* Nobody holds it: other bits of its flags change. */
		if (!page || data_race(page_to_nid(page)) != nid ||
		    first == PAGE_COLOR_NONE || test_bit(first, colors))
			continue;
		for_each_set_bit(c, span, PAGE_COLOR_MAX)
			__set_bit(first ^ c, colors);
		cond_resched();
	}
}

/**
 * page_color_note_nodes - the map or the memory is another one
 *
 * Each strict task that lacks a page asks for the colors of nodes: of 1 TiB that are
 * 262,144 blocks, which are looked at here.
 *
 * Context: under page_color_mutex; may sleep.
 */
void page_color_note_nodes(void)
{
	DECLARE_BITMAP(colors, PAGE_COLOR_MAX);
	int nid;

	lockdep_assert_held(&page_color_mutex);
	for_each_online_node(nid) {
		unsigned long *known = node_colors[nid];

		look_at_node(nid, colors);
		/* Without memory for it they are looked at each time. */
		if (!known)
			known = bitmap_zalloc(PAGE_COLOR_MAX, GFP_KERNEL);
		if (!known)
			continue;
		bitmap_copy(known, colors, PAGE_COLOR_MAX);
		/* Complete before page_color_of_node() finds it. */
		smp_store_release(&node_colors[nid], known);
	}
}

/**
 * page_color_of_node - colors that memory of a node has
 * @nid: the node
 * @colors: set to them, PAGE_COLOR_MAX bits
 *
 * Context: may sleep.
 */
void page_color_of_node(int nid, unsigned long *colors)
{
	/* After page_color_note_nodes() has filled it. */
	const unsigned long *known = smp_load_acquire(&node_colors[nid]);

	if (!known) {
		look_at_node(nid, colors);
		return;
	}
	/* They change with the memory: what they were will do as well. */
	data_race(memcpy(colors, known, bitmap_size(PAGE_COLOR_MAX)));
}
