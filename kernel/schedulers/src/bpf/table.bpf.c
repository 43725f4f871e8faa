// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a table of slots: each CPU goes through its segments, which tile a frame that repeats, and in each runs the threads of that
 * segment's owner. Whoever is in no table runs in what is free: segments of nobody, and those whose owner has nothing to do.
 *
 * An owner is a task, or several that share slots: of these the first by deadline or rank runs whose color is not shut out of the slot.
 *
 * A timer of each CPU expires at each begin of a segment. Its function turns to the segment, and has the CPU choose anew.
 */
#include "jobs.h"

char LICENSE[] SEC("license") = "GPL";

#define CPUS 64
/* Queues: of an owner's threads that wait, one for each color; of a CPU's kernel threads; of tasks that are kept on a CPU; of all others. */
#define OF_OWNER(owner, color) (0x10000 + (owner) * COLORS + (color))
#define OF_KERNEL 0x20000
#define OF_CPU 0x30000
#define OF_ALL 0x40000
/* For how long one in free time goes on while others wait. */
#define FREE_NS 4000000ULL
/* A table has no more than 2^16 segments. */
#define HALVINGS 16

/* Flags of segments beside SHUT. The last slot of a job: who still runs at its end has overrun. */
#define LAST 1

const volatile u64 frame_ns = 1000000, phase_ns;
const volatile u32 cpus = 1, owners;
u64 lost;
/* The scheduler is about to be unloaded: what happens to slots from now on is not its doing. */
bool over;

struct segment {
	u64 begin;	/* within the frame; it lasts until the next one begins */
	u32 owner, flags;
};
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct segment);
} segments SEC(".maps");

/* By the numbers of tasks. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, OWNERS);
	__type(key, u32);
	__type(value, struct member);
} members SEC(".maps");

/* The only CPU that an owner has slots on, or NOBODY. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, OWNERS);
	__type(key, u32);
	__type(value, u32);
} homes SEC(".maps");

/* The CPUs that an owner has slots on, a bit each. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, OWNERS);
	__type(key, u32);
	__type(value, u64);
} reaches SEC(".maps");

#define CUT 1		/* a thread of the owner was running when the slot ended */
#define MISSED 2	/* one was waiting, and none has run */
#define OVERRAN 4	/* cut, and the slot was the last of a job */
#define READY 8		/* one was waiting or running when the slot began */
#define CALLED 16	/* one became ready in it */

/* What has become of a slot. Times are those of the clock, 0 for what has not happened. */
struct record {
	u64 number;	/* of the segment: the frame times the number of the CPU's segments, and its place in the frame */
	u64 begin, end;	/* as planned */
	u64 timer;	/* the timer's function ran */
	u64 started;	/* the owner ran for the first time in it */
	u64 stopped;	/* and for the last time; beyond the end, if it was not stopped at once */
	u64 ran;	/* how long it ran */
	u32 cpu, owner, flags, skipped;
};
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 22);
} records SEC(".maps");

struct cpu {
	struct bpf_timer timer;
	u32 first, count;	/* its segments */
	u32 flags;		/* of the segment that it is in */
	u32 runs;		/* whose thread it runs, ... */
	u32 color, padding;	/* of which color, ... */
	u64 key;		/* with which place among those that share slots, ... */
	u64 since;		/* and since when */
	u64 from;		/* the first segment that the timer has begun; 0 before that */
	u32 turned, pending;	/* there is a slot; there is one before it that has not stopped yet */
	u32 other, unused;	/* takes turns between the queues in free time */
	struct record now, before;
};
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, CPUS);
	__type(key, u32);
	__type(value, struct cpu);
} states SEC(".maps");

static struct cpu *state_of(u32 cpu)
{
	return bpf_map_lookup_elem(&states, &cpu);
}

/*
 * The task in whose slots a thread runs, and its number. One that may run on none of the CPUs with such slots would wait until the kernel ends
 * the scheduler: it runs in what is free, as nobody's do.
 */
static struct member *served(struct task_struct *p, u32 *task)
{
	struct member *m;
	u64 *reach;
	s32 i;

	*task = owner_of(p);
	if (*task == NOBODY)
		return NULL;
	m = bpf_map_lookup_elem(&members, task);
	if (!m)
		return NULL;
	reach = bpf_map_lookup_elem(&reaches, &m->owner);
	if (!reach)
		return NULL;
	bpf_for(i, 0, cpus) {
		if (*reach >> (i & 63) & 1 && bpf_cpumask_test_cpu(i, p->cpus_ptr))
			return m;
	}
	return NULL;
}

/* Someone waits who may run in the segment that the CPU is in. */
static bool waits(struct cpu *c)
{
	u32 color;

	if (c->now.owner == NOBODY)
		return false;
	for (color = 0; color < COLORS; color++) {
		if (is_open(c->flags, color) && scx_bpf_dsq_nr_queued(OF_OWNER(c->now.owner, color)) > 0)
			return true;
	}
	return false;
}

/* Who runs may do so in the segment that the CPU is in. */
static bool is_due(struct cpu *c)
{
	return c->runs != NOBODY && c->runs == c->now.owner && is_open(c->flags, c->color);
}

static void write_record(struct cpu *c, struct record *record)
{
	if (over || !c->from || record->number < c->from)
		return;
	/* Nobody's is of interest for the slots before it alone. */
	if (record->owner == NOBODY && !record->skipped)
		return;
	if (bpf_ringbuf_output(&records, record, sizeof(*record), BPF_RB_NO_WAKEUP))
		__sync_fetch_and_add(&lost, 1);
}

/* What was running when its slot ended has been stopped, or goes on in the next slot. */
static void write_pending(struct cpu *c, u64 now)
{
	if (!c->pending)
		return;
	c->pending = false;
	c->before.stopped = now;
	write_record(c, &c->before);
}

static void close(struct cpu *c)
{
	struct record *slot = &c->now;
	u64 from = c->since > slot->begin ? c->since : slot->begin;

	if (slot->owner == NOBODY) {
		write_record(c, slot);
		return;
	}
	if (is_due(c)) {
		/* It may have begun after the end, if the timer is that late. */
		slot->ran += from < slot->end ? slot->end - from : 0;
		slot->flags |= CUT | (c->flags & LAST ? OVERRAN : 0);
		c->before = *slot;
		c->pending = true;
		return;
	}
	/* Not one that became ready when the slot was over, and the CPU had not turned to the next. */
	if (!slot->started && slot->flags & (READY | CALLED) && waits(c))
		slot->flags |= MISSED;
	write_record(c, slot);
}

/* Turns a CPU to the segment of a time, whose end is after it. */
static void turn(struct cpu *c, u32 cpu, u64 now)
{
	u64 frame = (now - phase_ns) / frame_ns, begin = frame * frame_ns + phase_ns, number;
	u32 low = 0, high = c->count, key, middle, i;
	struct segment *segment;

	for (i = 0; i < HALVINGS && high - low > 1; i++) {
		middle = (low + high) / 2;
		key = c->first + middle;
		segment = bpf_map_lookup_elem(&segments, &key);
		if (!segment)
			return;
		if (segment->begin <= now - begin)
			low = middle;
		else
			high = middle;
	}
	number = frame * c->count + low;
	if (c->turned) {
		if (c->now.number == number)
			return;
		write_pending(c, now);
		close(c);
		c->now.skipped = number - c->now.number - 1;
	}
	c->turned = true;
	key = c->first + low;
	segment = bpf_map_lookup_elem(&segments, &key);
	if (!segment)
		return;
	c->now.number = number;
	c->now.begin = begin + segment->begin;
	c->now.owner = segment->owner;
	c->now.cpu = cpu;
	c->flags = segment->flags;
	c->now.flags = waits(c) ? READY : 0;
	c->now.timer = c->now.started = c->now.stopped = c->now.ran = 0;
	c->now.end = begin + frame_ns;
	if (low + 1 < c->count) {
		key++;
		segment = bpf_map_lookup_elem(&segments, &key);
		if (segment)
			c->now.end = begin + segment->begin;
	}
	/* The same owner goes on. */
	if (is_due(c)) {
		write_pending(c, c->now.begin);
		c->now.started = now;
		c->now.flags |= READY;
	}
}

SEC("struct_ops/select_cpu")
s32 BPF_PROG(table_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	u32 task, *home;
	struct member *m = served(p, &task);
	bool is_idle = false;

	if (!m)
		return scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);
	home = bpf_map_lookup_elem(&homes, &m->owner);
	return home && *home != NOBODY ? *home : prev_cpu;
}

/* A CPU in a slot of the owner, where nobody runs who goes first, gets to know that there is something to do. */
static void call(u32 cpu, const struct member *m, u64 key, u64 now)
{
	struct cpu *c = state_of(cpu);

	if (!c || c->now.owner != m->owner || !is_open(c->flags, m->color))
		return;
	if (now < c->now.end)
		c->now.flags |= CALLED;
	if (!is_due(c) || (m->order != AS_READY && before(key, c->key)))
		scx_bpf_kick_cpu(cpu, SCX_KICK_PREEMPT);
}

SEC("struct_ops/enqueue")
void BPF_PROG(table_enqueue, struct task_struct *p, u64 enq_flags)
{
	u32 cpu = scx_bpf_task_cpu(p), task, *home;
	struct member *m = served(p, &task);
	u64 key = 0, now = bpf_ktime_get_ns();
	s32 i, idle;

	if (p->flags & PF_KTHREAD) {
		insert(p, OF_KERNEL + cpu, FREE_NS, enq_flags);
	} else if (!m) {
		if (p->nr_cpus_allowed == 1) {
			insert(p, OF_CPU + cpu, FREE_NS, enq_flags);
			return;
		}
		insert(p, OF_ALL, FREE_NS, enq_flags);
		/* Its own CPU may have a slot just now. */
		idle = scx_bpf_pick_idle_cpu(p->cpus_ptr, 0);
		if (idle >= 0)
			scx_bpf_kick_cpu(idle, SCX_KICK_IDLE);
	} else {
		if (m->order == AS_READY) {
			insert(p, OF_OWNER(m->owner, 0), frame_ns, enq_flags);
		} else {
			key = place_of(p, task, m, now);
			insert_by(p, OF_OWNER(m->owner, m->color & (COLORS - 1)), frame_ns, key, enq_flags);
		}
		home = bpf_map_lookup_elem(&homes, &m->owner);
		if (home && *home != NOBODY) {
			call(*home, m, key, now);
		} else {
			bpf_for(i, 0, cpus)
				call(i, m, key, now);
		}
	}
}

/* The place of the first in a queue; false if there is none. */
static bool head_of(u64 queue, u64 *key)
{
	struct bpf_iter_scx_dsq it;
	struct task_struct *p = NULL;

	if (!bpf_iter_scx_dsq_new(&it, queue, 0))
		p = bpf_iter_scx_dsq_next(&it);
	if (p)
		*key = p->scx.dsq_vtime;
	bpf_iter_scx_dsq_destroy(&it);
	return p;
}

/* Has the CPU run one of its segment's owner: who has been running, if nobody waits who goes first. False if there is none. */
static bool choose(struct cpu *c, struct task_struct *prev, u64 now)
{
	u32 owner = c->now.owner, task;
	bool goes_on = false, has[COLORS] = {};
	struct member *m = NULL;
	u64 keys[COLORS] = {};
	s32 first = 0;

	if (prev && prev->scx.flags & SCX_TASK_QUEUED)
		m = served(prev, &task);
	goes_on = m && m->owner == owner && is_open(c->flags, m->color);
	if (shares) {
		has[0] = is_open(c->flags, 0) && head_of(OF_OWNER(owner, 0), &keys[0]);
		has[1] = is_open(c->flags, 1) && head_of(OF_OWNER(owner, 1), &keys[1]);
		first = first_of(has[0], keys[0], has[1], keys[1]);
	}
	if (goes_on && (m->order == AS_READY || first < 0 || !before(first ? keys[1] : keys[0], prev->scx.dsq_vtime)))
		first = -1;
	if (first >= 0 && take(OF_OWNER(owner, first ? 1 : 0)))
		return true;
	if (goes_on)
		set_slice(prev, c->now.end > now ? c->now.end - now : 1);
	return goes_on;
}

SEC("struct_ops/dispatch")
void BPF_PROG(table_dispatch, s32 number, struct task_struct *prev)
{
	/* Not a signed one: that is extended after it is compared, which the verifier does not accept as an index. */
	u32 cpu = (u32)number & 0xffff;
	struct cpu *c = state_of(cpu);
	u64 now = bpf_ktime_get_ns();

	if (!c)
		return;
	/*
	 * The timer is late, or what it called for is late. Its function is a softirq's, which is left to a kernel thread if the CPU is to choose
	 * anew anyway; and that has to wait for what is free, when the slot may be over.
	 */
	if (now >= c->now.end) {
		turn(c, cpu, now);
		bpf_timer_start(&c->timer, c->now.end, BPF_F_TIMER_ABS | BPF_F_TIMER_CPU_PIN);
	}
	if (c->now.owner != NOBODY && choose(c, prev, now))
		return;
	if (take(OF_KERNEL + cpu))
		return;
	c->other = !c->other;
	if (take(c->other ? OF_CPU + cpu : OF_ALL))
		return;
	take(c->other ? OF_ALL : OF_CPU + cpu);
}

SEC("struct_ops/running")
void BPF_PROG(table_running, struct task_struct *p)
{
	struct cpu *c = state_of(scx_bpf_task_cpu(p));
	u64 now = bpf_ktime_get_ns();
	struct member *m;
	u32 task;

	if (!c)
		return;
	m = served(p, &task);
	c->runs = m ? m->owner : NOBODY;
	c->since = now;
	if (!m)
		return;
	c->color = m->color;
	c->key = p->scx.dsq_vtime;
	job_runs(p, now);
	/* Chosen just before its slot ended. */
	if (!is_due(c)) {
		scx_bpf_kick_cpu(c->now.cpu, SCX_KICK_PREEMPT);
		return;
	}
	if (!c->now.started)
		c->now.started = now;
	/* Should the timer not come, a tick ends the slot. */
	set_slice(p, c->now.end > now ? c->now.end - now : 1);
}

SEC("struct_ops/stopping")
void BPF_PROG(table_stopping, struct task_struct *p, bool runnable)
{
	struct cpu *c = state_of(scx_bpf_task_cpu(p));
	u64 now = bpf_ktime_get_ns();

	if (!c)
		return;
	write_pending(c, now);
	if (c->runs != NOBODY)
		job_stops(p, now);
	if (is_due(c)) {
		c->now.ran += now - (c->since > c->now.begin ? c->since : c->now.begin);
		c->now.stopped = now;
	}
	c->runs = NOBODY;
}

SEC("struct_ops/quiescent")
void BPF_PROG(table_quiescent, struct task_struct *p, u64 deq_flags)
{
	if (deq_flags & SCX_DEQ_SLEEP)
		job_ends(p, bpf_ktime_get_ns());
}

SEC("struct_ops.s/init")
s32 BPF_PROG(table_init)
{
	s32 i, error;

	bpf_for(i, 0, cpus) {
		error = scx_bpf_create_dsq(OF_KERNEL + i, -1);
		if (!error)
			error = scx_bpf_create_dsq(OF_CPU + i, -1);
		if (error)
			return error;
	}
	bpf_for(i, 0, owners * COLORS) {
		error = scx_bpf_create_dsq(OF_OWNER(0, i), -1);
		if (error)
			return error;
	}
	return scx_bpf_create_dsq(OF_ALL, -1);
}

SEC("struct_ops/exit")
void BPF_PROG(table_exit, struct scx_exit_info *info)
{
	over = true;
	note_end(info);
}

static int begin(void *map, u32 *key, struct cpu *c)
{
	u32 cpu = bpf_get_smp_processor_id();
	u64 now = bpf_ktime_get_ns();

	if (over)
		return 0;
	turn(c, cpu, now);
	if (!c->from)
		c->from = c->now.number + 1;
	if (!c->now.timer)
		c->now.timer = now;
	/* Where the owner goes on, others of its tasks may run now, and go first. */
	if (is_due(c) ? shares && waits(c) : c->runs != NOBODY || waits(c))
		scx_bpf_kick_cpu(cpu, SCX_KICK_PREEMPT);
	bpf_timer_start(&c->timer, c->now.end, BPF_F_TIMER_ABS | BPF_F_TIMER_CPU_PIN);
	return 0;
}

/* Runs once on each CPU of the table: where a timer is started is where it expires. */
SEC("syscall")
int start(void *context)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct cpu *c = state_of(cpu);
	s32 error;

	if (!c)
		return -1;
	error = bpf_timer_init(&c->timer, &states, CLOCK_MONOTONIC);
	if (!error)
		error = bpf_timer_set_callback(&c->timer, begin);
	if (!error)
		error = bpf_timer_start(&c->timer, 0, BPF_F_TIMER_CPU_PIN);
	return error;
}

SEC(".struct_ops.link")
struct sched_ext_ops table_ops = {
	.select_cpu = (void *)table_select_cpu,
	.enqueue = (void *)table_enqueue,
	.dispatch = (void *)table_dispatch,
	.running = (void *)table_running,
	.stopping = (void *)table_stopping,
	.quiescent = (void *)table_quiescent,
	.init = (void *)table_init,
	.exit = (void *)table_exit,
	.timeout_ms = 30000,
	.name = "fresco_table",
};
