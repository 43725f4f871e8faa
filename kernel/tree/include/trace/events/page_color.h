/* SPDX-License-Identifier: GPL-2.0-only */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM page_color

#if !defined(_TRACE_PAGE_COLOR_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_PAGE_COLOR_H

#include <linux/mmzone.h>
#include <linux/page_color.h>
#include <linux/tracepoint.h>

/* A task with colors gets a page of one of them. */
TRACE_EVENT(page_color_alloc,
	    TP_PROTO(unsigned long pfn, u64 policy),
	    TP_ARGS(pfn, policy),
	    TP_STRUCT__entry(__field(unsigned long, pfn)
			     __field(unsigned int, color)
			     __field(u64, policy)),
	    TP_fast_assign(__entry->pfn = pfn;
			   __entry->color = page_color_of(&page_color_map, pfn);
			   __entry->policy = policy;),
	    TP_printk("pfn=0x%lx color=%u policy=%llu",
		      __entry->pfn, __entry->color, __entry->policy)
);

/* There is none in a zone: it is given a page of any color. */
TRACE_EVENT(page_color_spill,
	    TP_PROTO(struct zone *zone, u64 policy),
	    TP_ARGS(zone, policy),
	    TP_STRUCT__entry(__field(int, node)
			     __field(int, zone)
			     __field(u64, policy)),
	    TP_fast_assign(__entry->node = zone_to_nid(zone);
			   __entry->zone = zone_idx(zone);
			   __entry->policy = policy;),
	    TP_printk("node=%d zone=%d policy=%llu",
		      __entry->node, __entry->zone, __entry->policy)
);

/* A free block is split along the paths to pages that are taken out of it. */
TRACE_EVENT(page_color_split,
	    TP_PROTO(unsigned long pfn, unsigned int order, unsigned int taken),
	    TP_ARGS(pfn, order, taken),
	    TP_STRUCT__entry(__field(unsigned long, pfn)
			     __field(unsigned int, order)
			     __field(unsigned int, taken)),
	    TP_fast_assign(__entry->pfn = pfn;
			   __entry->order = order;
			   __entry->taken = taken;),
	    TP_printk("pfn=0x%lx order=%u taken=%u",
		      __entry->pfn, __entry->order, __entry->taken)
);

/*
 * A page of an owned color, or one that is recolored, is to be moved. The
 * frame 0 is never free: there is none, the page stays.
 */
TRACE_EVENT(page_color_migrate,
	    TP_PROTO(unsigned long from, unsigned long to, int reason),
	    TP_ARGS(from, to, reason),
	    TP_STRUCT__entry(__field(unsigned long, from)
			     __field(unsigned long, to)
			     __field(unsigned int, from_color)
			     __field(int, to_color)
			     __field(int, reason)),
	    TP_fast_assign(__entry->from = from;
			   __entry->to = to;
			   __entry->from_color = page_color_of(&page_color_map, from);
			   __entry->to_color = to ? page_color_of(&page_color_map, to) : -1;
			   __entry->reason = reason;),
	    TP_printk("from=0x%lx to=0x%lx from_color=%u to_color=%d reason=%d",
		      __entry->from, __entry->to, __entry->from_color,
		      __entry->to_color, __entry->reason)
);

/*
 * Pages of colors that a task needs and finds none free of, which belong to
 * nobody who owns them, were isolated: some are moved, some are dropped.
 */
TRACE_EVENT(page_color_evict,
	    TP_PROTO(struct zone *zone, u64 policy, unsigned int isolated,
		     unsigned int moved, unsigned int dropped),
	    TP_ARGS(zone, policy, isolated, moved, dropped),
	    TP_STRUCT__entry(__field(int, node)
			     __field(int, zone)
			     __field(u64, policy)
			     __field(unsigned int, isolated)
			     __field(unsigned int, moved)
			     __field(unsigned int, dropped)),
	    TP_fast_assign(__entry->node = zone_to_nid(zone);
			   __entry->zone = zone_idx(zone);
			   __entry->policy = policy;
			   __entry->isolated = isolated;
			   __entry->moved = moved;
			   __entry->dropped = dropped;),
	    TP_printk("node=%d zone=%d policy=%llu isolated=%u moved=%u dropped=%u",
		      __entry->node, __entry->zone, __entry->policy,
		      __entry->isolated, __entry->moved, __entry->dropped)
);

/*
 * Pages of colors that a task needs, and can have no other way, were chosen to be
 * reclaimed. What may be taken is a sum of RECLAIM_* of mm/page_color_reclaim.h.
 */
TRACE_EVENT(page_color_reclaim,
	    TP_PROTO(struct zone *zone, u64 policy, unsigned int take,
		     unsigned int chosen, unsigned int others, unsigned int freed),
	    TP_ARGS(zone, policy, take, chosen, others, freed),
	    TP_STRUCT__entry(__field(int, node)
			     __field(int, zone)
			     __field(u64, policy)
			     __field(unsigned int, take)
			     __field(unsigned int, chosen)
			     __field(unsigned int, others)
			     __field(unsigned int, freed)),
	    TP_fast_assign(__entry->node = zone_to_nid(zone);
			   __entry->zone = zone_idx(zone);
			   __entry->policy = policy;
			   __entry->take = take;
			   __entry->chosen = chosen;
			   __entry->others = others;
			   __entry->freed = freed;),
	    TP_printk("node=%d zone=%d policy=%llu take=%u chosen=%u others=%u freed=%u",
		      __entry->node, __entry->zone, __entry->policy, __entry->take,
		      __entry->chosen, __entry->others, __entry->freed)
);

#endif /* _TRACE_PAGE_COLOR_H */

#include <trace/define_trace.h>
