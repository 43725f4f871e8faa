/* SPDX-License-Identifier: GPL-2.0-only */
/* What both schedulers have: whose a task is, and why a scheduler has ended. */
#ifndef FRESCO_COMMON_H
#define FRESCO_COMMON_H

#include "calls.h"

/* Of no owner. */
#define NOBODY (~0U)
#define OWNERS 1024
#define GROUPS_KNOWN 4096
/* Cgroups below each other that are looked at. */
#define DEPTH 16

/* By the number of a process, all its threads, and by that of a cgroup, all tasks in it and below it: the number of an owner. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, OWNERS);
	__type(key, s32);
	__type(value, u32);
} processes SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, OWNERS);
	__type(key, u64);
	__type(value, u32);
} groups SEC(".maps");
/* What was found by going up from a cgroup. The kernel uses no number of a cgroup twice. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, GROUPS_KNOWN);
	__type(key, u64);
	__type(value, u32);
} found SEC(".maps");

const volatile bool has_processes, has_groups;
/* Why the kernel has ended the scheduler; 0 while it has not. */
s32 ended;
char ended_reason[128], ended_message[512];

static u32 owner_of_group(struct cgroup *group, u64 id)
{
	struct cgroup_subsys_state *css;
	u32 owner = NOBODY, *known;
	u64 above = id;
	s32 i;

	bpf_for(i, 0, DEPTH) {
		known = bpf_map_lookup_elem(&groups, &above);
		if (known) {
			owner = *known;
			break;
		}
		css = BPF_CORE_READ(group, self.parent);
		if (!css)
			break;
		group = BPF_CORE_READ(css, cgroup);
		above = BPF_CORE_READ(group, kn, id);
	}
	bpf_map_update_elem(&found, &id, &owner, BPF_ANY);
	return owner;
}

static u32 owner_of(struct task_struct *p)
{
	s32 process = p->tgid;
	u32 *known;
	u64 id;

	if (p->flags & PF_KTHREAD)
		return NOBODY;
	if (has_processes) {
		known = bpf_map_lookup_elem(&processes, &process);
		if (known)
			return *known;
	}
	if (!has_groups)
		return NOBODY;
	id = BPF_CORE_READ(p, cgroups, dfl_cgrp, kn, id);
	known = bpf_map_lookup_elem(&found, &id);
	return known ? *known : owner_of_group(BPF_CORE_READ(p, cgroups, dfl_cgrp), id);
}

static void note_end(struct scx_exit_info *info)
{
	bpf_probe_read_kernel_str(ended_reason, sizeof(ended_reason), info->reason);
	bpf_probe_read_kernel_str(ended_message, sizeof(ended_message), info->msg);
	__sync_val_compare_and_swap(&ended, 0, info->kind);
}

#endif
