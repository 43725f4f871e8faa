/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The few types of the kernel that the schedulers use. Members are found by name when the programs are loaded (CO-RE), so what is
 * built here runs on every kernel that has them, and neither vmlinux.h nor bpftool is needed to build it.
 */
#ifndef FRESCO_TYPES_H
#define FRESCO_TYPES_H

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef __u8 u8;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;
typedef _Bool bool;
#define true 1
#define false 0
#define NULL ((void *)0)

enum bpf_map_type {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_RINGBUF = 27,
};
enum {
	BPF_ANY = 0,
	BPF_F_TIMER_ABS = 1,
	BPF_F_TIMER_CPU_PIN = 2,
	/* A reader who is woken by each record is one more task that has to be scheduled. */
	BPF_RB_NO_WAKEUP = 1,
};
struct bpf_timer {
	u64 opaque[2];
} __attribute__((aligned(8)));
struct bpf_iter_num {
	u64 opaque[1];
} __attribute__((aligned(8)));
struct bpf_iter_scx_dsq {
	u64 opaque[6];
} __attribute__((aligned(8)));

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct cpumask {
	unsigned long bits[1];
};
struct kernfs_node {
	u64 id;
};
struct cgroup;
struct cgroup_subsys_state {
	struct cgroup *cgroup;
	struct cgroup_subsys_state *parent;
};
struct cgroup {
	struct cgroup_subsys_state self;
	struct kernfs_node *kn;
};
struct css_set {
	struct cgroup *dfl_cgrp;
};
struct sched_ext_entity {
	u32 flags;
	u32 weight;
	u64 slice;
	u64 dsq_vtime;
};
struct task_struct {
	s32 pid, tgid;
	u32 flags;
	s32 nr_cpus_allowed;
	const struct cpumask *cpus_ptr;
	struct css_set *cgroups;
	char comm[16];
	struct sched_ext_entity scx;
};
enum scx_exit_kind {
	SCX_EXIT_NONE,
};
struct scx_exit_info {
	enum scx_exit_kind kind;
	const char *reason;
	char *msg;
};
#pragma clang attribute pop

/* libbpf fills in the kernel's by the members' names: what is not here is 0 there. */
struct sched_ext_ops {
	s32 (*select_cpu)(struct task_struct *p, s32 prev_cpu, u64 wake_flags);
	void (*enqueue)(struct task_struct *p, u64 enq_flags);
	void (*dispatch)(s32 cpu, struct task_struct *prev);
	void (*running)(struct task_struct *p);
	void (*stopping)(struct task_struct *p, bool runnable);
	void (*quiescent)(struct task_struct *p, u64 deq_flags);
	void (*enable)(struct task_struct *p);
	s32 (*init)(void);
	void (*exit)(struct scx_exit_info *info);
	u64 flags;
	u32 timeout_ms;
	char name[128];
};

#define PF_KTHREAD 0x00200000
#define PF_EXITING 0x00000004
#define SCX_DSQ_LOCAL ((1ULL << 63) | 2)
#define SCX_TASK_QUEUED 1
#define SCX_KICK_IDLE 1
#define SCX_KICK_PREEMPT 2
#define CLOCK_MONOTONIC 1

#endif
