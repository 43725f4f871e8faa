// SPDX-License-Identifier: GPL-2.0-only
/*
 * Leaves the counters of isolated pages as CPUs leave them that become idle: pages
 * were isolated on one and put back on another, and only the first has added up what
 * it counted. None is isolated; node_page_state() says that PAGES are.
 *
 * insmod idle_count.ko cpu=N: on the node that has the fewest pages on LRU lists, with
 * CPU N as the one that has put them back. Its parameter nid says which node that is.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nodemask.h>
#include <linux/smp.h>
#include <linux/vmstat.h>

/* Fewer than what a CPU adds up at once, on any machine with two CPUs. */
#define PAGES	24

static int cpu;
module_param(cpu, int, 0444);
static int nid = NUMA_NO_NODE;
module_param(nid, int, 0444);

static unsigned long on_lists(int node)
{
	unsigned long n = 0;
	int lru;

	for_each_lru(lru)
		n += max(atomic_long_read(&NODE_DATA(node)->vm_stat[NR_LRU_BASE + lru]), 0L);
	return n;
}

/* On that CPU, with interrupts off. */
static void put_back(void *arg)
{
	pg_data_t *pgdat = arg;

	__this_cpu_sub(pgdat->per_cpu_nodestats->vm_node_stat_diff[NR_ISOLATED_ANON], PAGES);
}

static int __init idle_count_init(void)
{
	int node;

	for_each_online_node(node)
		if (nid == NUMA_NO_NODE || on_lists(node) < on_lists(nid))
			nid = node;
	node_page_state_add(PAGES, NODE_DATA(nid), NR_ISOLATED_ANON);
	return smp_call_function_single(cpu, put_back, NODE_DATA(nid), true);
}
module_init(idle_count_init);

/* What was left is as it should be: nothing to undo. */
static void __exit idle_count_exit(void)
{
}
module_exit(idle_count_exit);

MODULE_DESCRIPTION("Counters of isolated pages as idle CPUs leave them");
MODULE_LICENSE("GPL");
