/* SPDX-License-Identifier: GPL-2.0-only */
/* Trace events: what happened in each period. The first two are in the order in which a node's manager was asked. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM memguard

#if !defined(MEMGUARD_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define MEMGUARD_TRACE_H

#include <linux/tracepoint.h>

/* A period has ended. given: U64_MAX without a budget; held: MG_HELD_*. */
TRACE_EVENT(memguard_period,
	TP_PROTO(unsigned int cpu, u64 period, u64 used, u64 given, unsigned int held),
	TP_ARGS(cpu, period, used, given, held),
	TP_STRUCT__entry(
		__field(u64, period)
		__field(u64, used)
		__field(u64, given)
		__field(unsigned int, cpu)
		__field(unsigned int, held)
	),
	TP_fast_assign(
		__entry->cpu = cpu;
		__entry->period = period;
		__entry->used = used;
		__entry->given = given;
		__entry->held = held;
	),
	TP_printk("cpu=%u period=%llu used=%llu given=%llu held=%u",
		  __entry->cpu, __entry->period, __entry->used, __entry->given, __entry->held)
);

/* A CPU has used its budget up. given: what it has now; decision: enum mg_decision. */
TRACE_EVENT(memguard_exhausted,
	TP_PROTO(unsigned int cpu, u64 period, u64 used, u64 given, int decision),
	TP_ARGS(cpu, period, used, given, decision),
	TP_STRUCT__entry(
		__field(u64, period)
		__field(u64, used)
		__field(u64, given)
		__field(unsigned int, cpu)
		__field(int, decision)
	),
	TP_fast_assign(
		__entry->cpu = cpu;
		__entry->period = period;
		__entry->used = used;
		__entry->given = given;
		__entry->decision = decision;
	),
	TP_printk("cpu=%u period=%llu used=%llu given=%llu decision=%s",
		  __entry->cpu, __entry->period, __entry->used, __entry->given,
		  __print_symbolic(__entry->decision, { 0, "go-on" }, { 1, "stall" }, { 2, "all-go-on" }))
);

/* A task of a cgroup without a budget left sleeps to the end of the period. */
TRACE_EVENT(memguard_sleep,
	TP_PROTO(unsigned int cpu, u64 period, pid_t pid),
	TP_ARGS(cpu, period, pid),
	TP_STRUCT__entry(
		__field(u64, period)
		__field(unsigned int, cpu)
		__field(pid_t, pid)
	),
	TP_fast_assign(
		__entry->cpu = cpu;
		__entry->period = period;
		__entry->pid = pid;
	),
	TP_printk("cpu=%u period=%llu pid=%d", __entry->cpu, __entry->period, __entry->pid)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
