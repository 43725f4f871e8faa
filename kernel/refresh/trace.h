/* SPDX-License-Identifier: GPL-2.0-only */
/* Trace events: each refresh, and the end of a schedule. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM refresh

#if !defined(REFRESH_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define REFRESH_TRACE_H

#include <linux/tracepoint.h>

/* A refresh has been issued. due: ns, monotonic; late: ns after that. */
TRACE_EVENT(refresh_issued,
	TP_PROTO(unsigned int rank, u64 due, u64 late),
	TP_ARGS(rank, due, late),
	TP_STRUCT__entry(
		__field(u64, due)
		__field(u64, late)
		__field(unsigned int, rank)
	),
	TP_fast_assign(
		__entry->due = due;
		__entry->late = late;
		__entry->rank = rank;
	),
	TP_printk("rank=%u due=%llu late=%llu", __entry->rank, __entry->due, __entry->late)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
