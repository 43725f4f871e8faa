// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts of perf: an event of the CPU's own counters, or one of Linux's.
 *
 * Budgets change in the middle of a period and events have one sample period, so each is stopped, told what is left
 * and started again, as MemGuard did it. Software events count up to 0, others down from what is left.
 */
#include <linux/kstrtox.h>
#include <linux/perf_event.h>
#include "memguard.h"

/* What a counter can have left at most: x86 has 31 bits at a time and goes on by itself. */
#define MOST_LEFT (S64_MAX >> 1)

static const struct {
	const char *name;
	u32 type;
	u64 config;
} names[] = {
	{ "llc-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "llc-read-misses", PERF_TYPE_HW_CACHE,
	  PERF_COUNT_HW_CACHE_LL | PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16 },
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
};

static char name[32] = "llc-misses";
static u32 type = PERF_TYPE_HARDWARE;
static u64 config = PERF_COUNT_HW_CACHE_MISSES;

const char *mg_source_text(void)
{
	return mg_source == &mg_perf ? name : mg_source->name;
}

/* A name above, or raw:NUMBER, an event of this machine's counters. */
int mg_perf_choose(const char *text)
{
	u64 raw;
	int i;

	if (strlen(text) >= sizeof(name))
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(text, names[i].name)) {
			type = names[i].type;
			config = names[i].config;
			strscpy(name, text, sizeof(name));
			return 0;
		}
	if (strncmp(text, "raw:", 4) || kstrtou64(text + 4, 0, &raw))
		return -EINVAL;
	type = PERF_TYPE_RAW;
	config = raw;
	strscpy(name, text, sizeof(name));
	return 0;
}

/* Perhaps an NMI. */
static void overflow(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	struct mg_cpu *c = this_cpu_ptr(&mg_cpus);

	if (READ_ONCE(c->live))
		irq_work_queue(&c->work);
}

static int make(struct mg_cpu *c)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = config,
		.pinned = 1,
		.sample_period = MOST_LEFT,
	};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, c->cpu, NULL, overflow, NULL);
	if (IS_ERR(event))
		return PTR_ERR(event);
	/* All counters of the CPU are others', who pinned theirs first. */
	if (READ_ONCE(event->state) == PERF_EVENT_STATE_ERROR) {
		perf_event_release_kernel(event);
		return -EBUSY;
	}
	c->event = event;
	return 0;
}

static void end(struct mg_cpu *c)
{
	if (c->event)
		perf_event_release_kernel(c->event);
	c->event = NULL;
}

static u64 read(struct mg_cpu *c)
{
	/* One that has lost its counter has counted what it has. */
	if (c->event->state == PERF_EVENT_STATE_ACTIVE)
		c->event->pmu->read(c->event);
	return local64_read(&c->event->count);
}

static void arm(struct mg_cpu *c, u64 lines)
{
	struct perf_event *event = c->event;
	s64 left = min_t(u64, lines, MOST_LEFT);

	if (event->state != PERF_EVENT_STATE_ACTIVE)
		return;
	event->pmu->stop(event, PERF_EF_UPDATE);
	local64_set(&event->hw.period_left, is_software_event(event) ? -left : left);
	event->pmu->start(event, PERF_EF_RELOAD);
}

static bool counts(struct mg_cpu *c)
{
	return READ_ONCE(c->event->state) == PERF_EVENT_STATE_ACTIVE;
}

const struct mg_source mg_perf = { "perf", make, end, read, arm, counts };
