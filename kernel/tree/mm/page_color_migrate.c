// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: where a page moves that is migrated.
 */
#include <linux/migrate.h>
#include <linux/mm.h>
#include <linux/page_color.h>
#include <trace/events/page_color.h>
#include "internal.h"
#include "page_color.h"

/* Memory that goes away or is broken: the page moves in any case. */
static bool must_move(int reason)
{
	return reason == MR_MEMORY_HOTPLUG || reason == MR_MEMORY_FAILURE ||
	       reason == MR_CONTIG_RANGE || reason == MR_LONGTERM_PIN;
}

/* Have two folios of one order the same colors? That of @src exists. */
static bool same_colors(struct folio *src, struct folio *dst)
{
	const struct page_color_map *map = &page_color_map;
	unsigned int color = page_color_of(map, folio_pfn(dst));

	return color != PAGE_COLOR_NONE &&
	       page_color_in_block(map, page_color_of(map, folio_pfn(src)),
				   folio_order(src), color);
}

/**
 * page_color_migrate_alloc - where a folio moves to
 * @src: the folio
 * @get_new_folio: allocates the new one
 * @private: for @get_new_folio
 * @reason: enum migrate_reason
 *
 * It does not matter who moves a page: if somebody owns its color, it keeps
 * it or stays where it is. Only if it must move it may lose its color, which
 * is counted. Other pages are moved as if the current task had no colors.
 *
 * Return: the new folio or NULL.
 */
struct folio *page_color_migrate_alloc(struct folio *src,
				       new_folio_t get_new_folio,
				       unsigned long private, int reason)
{
	struct page_color_policy *scope = current->page_color_scope;
	struct page_color_policy *policy = NULL;
	struct folio *dst;

	/*
	 * A scope is there already if pages are moved to other colors. Demotion
	 * in a scope is for want of memory: whose it is does not matter.
	 */
	if (!page_color_enabled() || (scope && reason != MR_DEMOTION))
		return get_new_folio(src, private);

	if (folio_keeps_color(src))
		policy = page_color_single(page_color_of(&page_color_map,
							 folio_pfn(src)));
	current->page_color_scope = policy ?: &page_color_any_policy;
	dst = get_new_folio(src, private);
	if (policy && !dst && must_move(reason)) {
		current->page_color_scope = &page_color_any_policy;
		dst = get_new_folio(src, private);
	}
	current->page_color_scope = scope;

	if (policy)
		trace_page_color_migrate(folio_pfn(src), dst ? folio_pfn(dst) : 0,
					 reason);
	if (policy && !dst)
		page_color_count(folio_zone(src), PAGE_COLOR_STAYED);
	else if (policy && same_colors(src, dst))
		page_color_count(folio_zone(src), PAGE_COLOR_KEPT);
	else if (policy)
		page_color_count(folio_zone(src), PAGE_COLOR_LOST);
	page_color_policy_put(policy);
	return dst;
}
