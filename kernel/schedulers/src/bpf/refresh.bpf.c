// SPDX-License-Identifier: GPL-2.0-only
/*
 * The co-design's fair scheduler (COD-6, COD-7, COD-9, COD-10). Each CPU has a queue in the order of virtual time. Time slices are the
 * turns of banks in the memory's sequential refresh: of the first `eta` tasks the first one runs that has no page in the bank whose
 * turn it is; if each has some, the one with the smallest share there, or the first of all.
 *
 * It decides as pick_next() of the model does, fresco-system/src/experiment/fair/queue.rs, whose tests are given what is recorded here.
 */
#include "common.h"
#include "order.h"

char LICENSE[] SEC("license") = "GPL";

#define CPUS 64
#define MOST_ETA 8
#define MOST_BANKS 64
#define OF_KERNEL 0x20000
#define OF_CPU 0x30000
#define KERNEL_NS 4000000ULL

const volatile u64 turn_ns = 4000000, phase_ns;
const volatile u32 banks = 16, eta = 3, cpus = 1;
const volatile bool best_effort = true;
u64 lost;
/* The scheduler is about to be unloaded. */
bool over;

/* Of an owner: the share of its pages in each bank, in millionths, 0 only if it has none there. Who is no owner has none anywhere. */
struct shares {
	u32 ppm[MOST_BANKS];
};
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, OWNERS);
	__type(key, u32);
	__type(value, struct shares);
} shares SEC(".maps");

/* Who could have run, in the order of the queue, and who was chosen. */
struct decision {
	u64 at;
	u32 cpu, bank, seen, chosen;
	u64 vtime[MOST_ETA];
	u32 ppm[MOST_ETA];
	s32 pid[MOST_ETA];
};
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 22);
} decisions SEC(".maps");

struct cpu {
	struct bpf_timer timer;
	u64 since;	/* since when its task runs */
	u64 vtime;	/* of the task that has come furthest */
	u32 vetoed;	/* its task has pages in the bank */
	u32 clocked;	/* its timer has begun */
	/* From then on: how long tasks ran with pages in the bank whose turn it was, and at all. */
	u64 ran_vetoed, ran;
	struct decision now;
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

static u32 bank_at(u64 now)
{
	return (now - phase_ns) / turn_ns % banks;
}

static u64 left(u64 now)
{
	return turn_ns - (now - phase_ns) % turn_ns;
}

static u32 share_of(struct task_struct *p, u32 bank)
{
	u32 owner = owner_of(p);
	struct shares *of = bpf_map_lookup_elem(&shares, &owner);

	return of ? of->ppm[bank & (MOST_BANKS - 1)] : 0;
}

SEC("struct_ops/select_cpu")
s32 BPF_PROG(refresh_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool is_idle = false;

	return scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);
}

SEC("struct_ops/enqueue")
void BPF_PROG(refresh_enqueue, struct task_struct *p, u64 enq_flags)
{
	u32 cpu = scx_bpf_task_cpu(p);
	u64 vtime = p->scx.dsq_vtime;
	struct cpu *c = state_of(cpu);

	if (!c || p->flags & PF_KTHREAD) {
		insert(p, OF_KERNEL + cpu, KERNEL_NS, enq_flags);
		return;
	}
	/* Who slept is a turn ahead at most. */
	if (before(vtime, c->vtime - turn_ns))
		vtime = c->vtime - turn_ns;
	insert_by(p, OF_CPU + cpu, turn_ns, vtime, enq_flags);
	if (c->vetoed && !share_of(p, bank_at(bpf_ktime_get_ns())))
		scx_bpf_kick_cpu(cpu, SCX_KICK_PREEMPT);
}

/* A task begins to run, or goes on in another turn. */
static void begin(struct cpu *c, struct task_struct *p, u64 now)
{
	c->since = now;
	c->vetoed = share_of(p, bank_at(now)) != 0;
}

/* By the clock: a kick sets what is left of the slice to 0. */
static void charge(struct cpu *c, struct task_struct *p, u64 now)
{
	u64 ran = now - c->since, into = (now - phase_ns) % turn_ns;

	set_vtime(p, p->scx.dsq_vtime + ran * 100 / (p->scx.weight ?: 100));
	if (!c->clocked)
		return;
	c->ran += ran;
	if (c->vetoed)
		c->ran_vetoed += ran;
	else if (ran > into && share_of(p, bank_at(now)))
		/* Stopped some time after its turn had ended. */
		c->ran_vetoed += into;
}

/* A candidate, written down as the n-th. */
static u32 look(struct decision *d, u32 n, struct task_struct *p, u64 vtime)
{
	u32 ppm = share_of(p, d->bank);

	n &= MOST_ETA - 1;
	d->pid[n] = p->pid;
	d->vtime[n] = vtime;
	d->ppm[n] = ppm;
	return ppm;
}

SEC("struct_ops/dispatch")
void BPF_PROG(refresh_dispatch, s32 number, struct task_struct *prev)
{
	u32 cpu = (u32)number & 0xffff, n = 0, chosen = 0, least = ~0U, ppm, looks, i;
	struct cpu *c = state_of(cpu);
	u64 now = bpf_ktime_get_ns(), mine = 0, slice = left(now);
	struct bpf_iter_scx_dsq it;
	struct task_struct *p;
	struct decision *d;
	bool has_prev, is_due, is_free = false, is_taken = false;

	if (!c || take(OF_KERNEL + cpu))
		return;
	d = &c->now;
	d->at = now;
	d->cpu = cpu;
	d->bank = bank_at(now);
	looks = eta < MOST_ETA ? eta : MOST_ETA;
	/* Who has been running is not in the queue, and is charged when it stops, after this. */
	has_prev = prev && prev->scx.flags & SCX_TASK_QUEUED && !(prev->flags & PF_KTHREAD);
	if (has_prev)
		mine = prev->scx.dsq_vtime + (now - c->since) * 100 / (prev->scx.weight ?: 100);

	/* Which one: the first without pages in the bank, else the least share or the first. */
	is_due = has_prev;
	if (bpf_iter_scx_dsq_new(&it, OF_CPU + cpu, 0)) {
		bpf_iter_scx_dsq_destroy(&it);
		return;
	}
	bpf_for(i, 0, 2 * MOST_ETA) {
		if (n >= looks || is_free)
			break;
		p = bpf_iter_scx_dsq_next(&it);
		if (is_due && (!p || before(mine, p->scx.dsq_vtime))) {
			is_due = false;
			ppm = look(d, n, prev, mine);
			if (ppm < least) {
				least = ppm;
				chosen = n;
			}
			n++;
			is_free = !ppm;
			if (n >= looks || is_free)
				break;
		}
		if (!p)
			break;
		ppm = look(d, n, p, p->scx.dsq_vtime);
		if (ppm < least) {
			least = ppm;
			chosen = n;
		}
		n++;
		is_free = !ppm;
	}
	bpf_iter_scx_dsq_destroy(&it);
	if (!n)
		return;
	if (!is_free && !best_effort)
		chosen = 0;
	d->seen = n;
	d->chosen = chosen;

	if (has_prev && d->pid[chosen & (MOST_ETA - 1)] == prev->pid) {
		charge(c, prev, now);
		begin(c, prev, now);
		set_slice(prev, slice);
		is_taken = true;
	} else {
		if (bpf_iter_scx_dsq_new(&it, OF_CPU + cpu, 0)) {
			bpf_iter_scx_dsq_destroy(&it);
			return;
		}
		bpf_for(i, 0, MOST_ETA) {
			p = bpf_iter_scx_dsq_next(&it);
			if (!p)
				break;
			if (p->pid == d->pid[chosen & (MOST_ETA - 1)]) {
				is_taken = take_from(&it, p, slice);
				break;
			}
		}
		bpf_iter_scx_dsq_destroy(&it);
	}
	if (!is_taken) {
		/* It has gone to another CPU meanwhile. */
		take(OF_CPU + cpu);
		return;
	}
	if (!over && bpf_ringbuf_output(&decisions, d, sizeof(*d), BPF_RB_NO_WAKEUP))
		__sync_fetch_and_add(&lost, 1);
}

SEC("struct_ops/running")
void BPF_PROG(refresh_running, struct task_struct *p)
{
	struct cpu *c = state_of(scx_bpf_task_cpu(p));

	if (!c)
		return;
	if (before(c->vtime, p->scx.dsq_vtime))
		c->vtime = p->scx.dsq_vtime;
	begin(c, p, bpf_ktime_get_ns());
}

SEC("struct_ops/stopping")
void BPF_PROG(refresh_stopping, struct task_struct *p, bool runnable)
{
	struct cpu *c = state_of(scx_bpf_task_cpu(p));

	if (!c)
		return;
	charge(c, p, bpf_ktime_get_ns());
	c->vetoed = false;
}

SEC("struct_ops/enable")
void BPF_PROG(refresh_enable, struct task_struct *p)
{
	struct cpu *c = state_of(scx_bpf_task_cpu(p));

	set_vtime(p, c ? c->vtime : 0);
}

SEC("struct_ops.s/init")
s32 BPF_PROG(refresh_init)
{
	s32 i, error;

	bpf_for(i, 0, cpus) {
		error = scx_bpf_create_dsq(OF_KERNEL + i, -1);
		if (!error)
			error = scx_bpf_create_dsq(OF_CPU + i, -1);
		if (error)
			return error;
	}
	return 0;
}

SEC("struct_ops/exit")
void BPF_PROG(refresh_exit, struct scx_exit_info *info)
{
	over = true;
	note_end(info);
}

/* A turn ends: who runs is asked again. */
static int turn(void *map, u32 *key, struct cpu *c)
{
	u64 now = bpf_ktime_get_ns();

	if (over)
		return 0;
	c->clocked = true;
	scx_bpf_kick_cpu(bpf_get_smp_processor_id(), SCX_KICK_PREEMPT);
	bpf_timer_start(&c->timer, now + left(now), BPF_F_TIMER_ABS | BPF_F_TIMER_CPU_PIN);
	return 0;
}

/* Runs once on each CPU: where a timer is started is where it expires. */
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
		error = bpf_timer_set_callback(&c->timer, turn);
	if (!error)
		error = bpf_timer_start(&c->timer, 0, BPF_F_TIMER_CPU_PIN);
	return error;
}

SEC(".struct_ops.link")
struct sched_ext_ops refresh_ops = {
	.select_cpu = (void *)refresh_select_cpu,
	.enqueue = (void *)refresh_enqueue,
	.dispatch = (void *)refresh_dispatch,
	.running = (void *)refresh_running,
	.stopping = (void *)refresh_stopping,
	.enable = (void *)refresh_enable,
	.init = (void *)refresh_init,
	.exit = (void *)refresh_exit,
	.timeout_ms = 30000,
	.name = "fresco_refresh",
};
