/* SPDX-License-Identifier: GPL-2.0-only */
/* What becomes of the jobs of tasks that share slots. A job of a thread lasts from its becoming ready until it sleeps. */
#ifndef FRESCO_JOBS_H
#define FRESCO_JOBS_H

#include "common.h"
#include "order.h"

#define JOBS_OPEN 8192
#define SCX_DEQ_SLEEP 1

/* Times are those of the clock, 0 for what has not happened. */
struct job {
	u64 number;	/* of the arrivals of its task */
	u64 ready;	/* it waits from then on */
	u64 started;	/* ran first */
	u64 ended;	/* sleeps */
	u64 ran;	/* how long it ran */
	u64 since;	/* runs since */
	u32 task;
	u32 cpu;	/* it ran last on */
	u32 thread, flags;
};

#define EXITS 1		/* the thread ends with it */
#define PAGER 2		/* the thread is the pager of `fresco run`, which looks after the process at times of its own */

/* Those that have not ended, by their threads; what is left in it at the end has not ended. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, JOBS_OPEN);
	__type(key, u32);
	__type(value, struct job);
} open_jobs SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 22);
} jobs SEC(".maps");

/* Some tasks share slots. */
const volatile bool shares;
u64 lost_jobs;

/* The place in its queue of a thread that waits; it has a job from now on, if it had none. */
static u64 place_of(struct task_struct *p, u32 task, const struct member *m, u64 now)
{
	u32 thread = p->pid;
	struct job *known = bpf_map_lookup_elem(&open_jobs, &thread);
	struct job job = { .number = job_at(m, now), .ready = now, .task = task, .thread = thread };

	if (known && known->task == task)
		return key_of(m, known->number, now);
	if (bpf_map_update_elem(&open_jobs, &thread, &job, BPF_ANY))
		__sync_fetch_and_add(&lost_jobs, 1);
	return key_of(m, job.number, now);
}

static void job_runs(struct task_struct *p, u64 now)
{
	u32 thread = p->pid;
	struct job *job = shares ? bpf_map_lookup_elem(&open_jobs, &thread) : NULL;

	if (!job)
		return;
	if (!job->started)
		job->started = now;
	job->since = now;
	job->cpu = scx_bpf_task_cpu(p);
}

static void job_stops(struct task_struct *p, u64 now)
{
	u32 thread = p->pid;
	struct job *job = shares ? bpf_map_lookup_elem(&open_jobs, &thread) : NULL;

	if (!job || !job->since)
		return;
	job->ran += now - job->since;
	job->since = 0;
}

/* By its name, and as it is not the process's first thread. */
static bool is_pager(struct task_struct *p)
{
	static const char wanted[] = "fresco";
	char name[16] = {};
	u32 i;

	if (p->pid == p->tgid)
		return false;
	bpf_probe_read_kernel_str(name, sizeof(name), p->comm);
	for (i = 0; i < sizeof(wanted); i++) {
		if (name[i] != wanted[i])
			return false;
	}
	return true;
}

static void job_ends(struct task_struct *p, u64 now)
{
	u32 thread = p->pid;
	struct job *job = shares ? bpf_map_lookup_elem(&open_jobs, &thread) : NULL;

	if (!job)
		return;
	job->ended = now;
	job->flags = (p->flags & PF_EXITING ? EXITS : 0) | (is_pager(p) ? PAGER : 0);
	if (bpf_ringbuf_output(&jobs, job, sizeof(*job), BPF_RB_NO_WAKEUP))
		__sync_fetch_and_add(&lost_jobs, 1);
	bpf_map_delete_elem(&open_jobs, &thread);
}

#endif
