// SPDX-License-Identifier: GPL-2.0-only
/* The module: nodes and their CPUs, beginning and end. */
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include "memguard.h"
#define CREATE_TRACE_POINTS
#include "trace.h"

struct mg_config mg_config = {
	.period_ns = NSEC_PER_MSEC,
	.poll_ns = 50 * NSEC_PER_USEC,
	.slack = 64,
	.grip = true,
};
bool mg_active;
DEFINE_MUTEX(mg_mutex);
struct mg_node *mg_nodes;

/* CPUs of a node share what its controllers guarantee. */
static int __init nodes_init(void)
{
	unsigned int cpu;
	int node;

	mg_nodes = kcalloc(nr_node_ids, sizeof(*mg_nodes), GFP_KERNEL);
	if (!mg_nodes)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		struct mg_node *of = &mg_nodes[max(cpu_to_node(cpu), 0)];

		per_cpu(mg_cpus, cpu).node = of;
		per_cpu(mg_cpus, cpu).member = of->manager.count++;
		cpumask_set_cpu(cpu, &of->cpus);
	}
	for (node = 0; node < nr_node_ids; node++) {
		struct mg_manager *manager = &mg_nodes[node].manager;
		unsigned int i;

		raw_spin_lock_init(&mg_nodes[node].lock);
		manager->next.chunk = 1000;
		manager->settings = manager->next;
		manager->budgets = kcalloc(max(manager->count, 1U), sizeof(*manager->budgets), GFP_KERNEL);
		if (!manager->budgets)
			return -ENOMEM;
		for (i = 0; i < manager->count; i++)
			manager->budgets[i].next.weight = 1;
	}
	return 0;
}

static void nodes_exit(void)
{
	int node;

	for (node = 0; mg_nodes && node < nr_node_ids; node++)
		kfree(mg_nodes[node].manager.budgets);
	kfree(mg_nodes);
}

static int __init memguard_init(void)
{
	int error = nodes_init() ?: mg_groups_init();

	if (error)
		goto nodes;
	error = mg_regulators_init();
	if (error)
		goto nodes;
	error = mg_hold_init();
	if (error)
		goto regulators;
	error = mg_files_init();
	if (!error)
		return 0;
	mg_hold_exit();
regulators:
	mg_regulators_exit();
nodes:
	nodes_exit();
	return error;
}

/* Nobody has a file open, and no group is left: each holds the module. */
static void __exit memguard_exit(void)
{
	mg_files_exit();
	mutex_lock(&mg_mutex);
	if (mg_active)
		mg_stop();
	mg_active = false;
	mutex_unlock(&mg_mutex);
	/* Who slept may have given the module back, and not have left its code. */
	synchronize_rcu_tasks();
	mg_regulators_exit();
	mg_hold_exit();
	mg_fed_close();
	nodes_exit();
}

module_init(memguard_init);
module_exit(memguard_exit);
MODULE_DESCRIPTION("Budgets of memory bandwidth for CPUs and cgroups");
MODULE_LICENSE("GPL");
