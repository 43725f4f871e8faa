// SPDX-License-Identifier: GPL-2.0-only
/*
 * Settings and statistics in configfs: /sys/kernel/config/memguard
 *
 *   source period_us poll_us slack hold grip active
 *   nodes/N/  guaranteed reserved reclaim share chunk prediction
 *   cpus/N/   budget kind weight stat
 *   groups/NAME/  cgroup budget stat, and more groups below
 *
 * The last are in files_groups.c. Numbers of lines are per period. What is refused is said in the kernel's log.
 */
#include <linux/configfs.h>
#include <linux/kstrtox.h>
#include <linux/ratelimit.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include "files.h"
#include "memguard.h"

#define SHORTEST_US 100
#define LONGEST_US 1000000

static struct mg_node *node_of(struct config_item *item);
static struct mg_cpu *cpu_of(struct config_item *item);

char *mg_text_of(const char *page, size_t size, char text[32])
{
	memcpy(text, page, min(size, 31));
	text[min(size, 31)] = 0;
	return strim(text);
}

int mg_word(const char *page, size_t size, const char *const *words, int count, const char *what)
{
	char text[32], allowed[64] = "";
	int found = match_string(words, count, mg_text_of(page, size, text)), i;

	if (found >= 0 && size < sizeof(text))
		return found;
	for (i = 0; i < count; i++) {
		strlcat(allowed, i ? ", " : "", sizeof(allowed));
		strlcat(allowed, words[i], sizeof(allowed));
	}
	pr_notice_ratelimited("%s: found '%s', allowed: %s\n", what, strim(text), allowed);
	return -EINVAL;
}

int mg_number(const char *page, size_t size, u64 least, u64 most, u64 *value, const char *what)
{
	char text[32];

	if (!kstrtou64(page, 0, value) && *value >= least && *value <= most)
		return 0;
	pr_notice_ratelimited("%s: found '%s', allowed: %llu to %llu\n", what, mg_text_of(page, size, text), least, most);
	return -EINVAL;
}

static const char *const no_yes[] = { "0", "1" };
static const char *const holds[] = { "wait", "idle" };
static const char *const kinds[] = { "hard", "soft" };
static const char *const shares[] = { "none", "best-effort", "weights" };
static const char *const predictions[] = { "last", "average" };

/* Of all. */

static ssize_t root_source_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%s\n", mg_source_text());
}

static int is_idle(const char *what)
{
	if (!mg_active)
		return 0;
	pr_notice_ratelimited("%s cannot be changed while budgets are active: write 0 to active first\n", what);
	return -EBUSY;
}

static ssize_t root_source_store(struct config_item *item, const char *page, size_t size)
{
	char text[32];
	int error;

	mutex_lock(&mg_mutex);
	error = is_idle("source") ?: mg_source_choose(mg_text_of(page, size, text));
	mutex_unlock(&mg_mutex);
	if (error == -EINVAL)
		pr_notice_ratelimited("source: found '%s', allowed: llc-misses, llc-read-misses, cycles, page-faults, raw:NUMBER, fed\n",
			  mg_text_of(page, size, text));
	else if (error == -ENODEV)
		pr_notice_ratelimited("source: no device (ivshmem-plain) that counts are fed through was found; choose a counter of this machine\n");
	return error ?: size;
}

#define ROOT_NUMBER(_name, _least, _most, _get, _set)							\
static ssize_t root_##_name##_show(struct config_item *item, char *page)				\
{													\
	return sysfs_emit(page, "%llu\n", (u64)(_get));						\
}													\
static ssize_t root_##_name##_store(struct config_item *item, const char *page, size_t size)		\
{													\
	u64 value;											\
	int error = mg_number(page, size, _least, _most, &value, #_name);					\
													\
	if (error)											\
		return error;										\
	mutex_lock(&mg_mutex);										\
	error = is_idle(#_name);									\
	if (!error)											\
		_set;											\
	mutex_unlock(&mg_mutex);									\
	return error ?: size;										\
}
ROOT_NUMBER(period_us, SHORTEST_US, LONGEST_US, mg_config.period_ns / NSEC_PER_USEC, mg_config.period_ns = value * NSEC_PER_USEC)
ROOT_NUMBER(poll_us, 10, LONGEST_US, mg_config.poll_ns / NSEC_PER_USEC, mg_config.poll_ns = value * NSEC_PER_USEC)
ROOT_NUMBER(slack, 0, 1 << 20, mg_config.slack, mg_config.slack = value)

static ssize_t root_hold_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%s\n", holds[mg_config.idle]);
}

static ssize_t root_hold_store(struct config_item *item, const char *page, size_t size)
{
	int found = mg_word(page, size, holds, ARRAY_SIZE(holds), "hold");

	if (found < 0)
		return found;
	WRITE_ONCE(mg_config.idle, found);
	return size;
}

static ssize_t root_grip_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%d\n", mg_config.grip);
}

static ssize_t root_grip_store(struct config_item *item, const char *page, size_t size)
{
	int found = mg_word(page, size, no_yes, ARRAY_SIZE(no_yes), "grip");

	if (found < 0)
		return found;
	WRITE_ONCE(mg_config.grip, found);
	return size;
}

static ssize_t root_active_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%d\n", mg_active);
}

static ssize_t root_active_store(struct config_item *item, const char *page, size_t size)
{
	int found = mg_word(page, size, no_yes, ARRAY_SIZE(no_yes), "active"), error = 0;

	if (found < 0)
		return found;
	mutex_lock(&mg_mutex);
	if (found && !mg_active)
		error = mg_start();
	else if (!found && mg_active)
		mg_stop();
	if (!error)
		mg_active = found;
	mutex_unlock(&mg_mutex);
	return error ?: size;
}

CONFIGFS_ATTR(root_, source);
CONFIGFS_ATTR(root_, period_us);
CONFIGFS_ATTR(root_, poll_us);
CONFIGFS_ATTR(root_, slack);
CONFIGFS_ATTR(root_, hold);
CONFIGFS_ATTR(root_, grip);
CONFIGFS_ATTR(root_, active);
static struct configfs_attribute *root_attrs[] = {
	&root_attr_source, &root_attr_period_us, &root_attr_poll_us, &root_attr_slack,
	&root_attr_hold, &root_attr_grip, &root_attr_active, NULL,
};

/* Of nodes. */

/* All that is reserved on a node has to be guaranteed, if it is known what is. Under the node's lock. */
static bool fits(const struct mg_manager *manager)
{
	return !manager->next.guaranteed || mg_reserved(manager) <= manager->next.guaranteed;
}

static void tell(const struct mg_node *node, u64 reserved, u64 guaranteed)
{
	pr_notice_ratelimited("node %td: %llu lines would be reserved in each period, %llu are guaranteed: reserve less\n",
		  node - mg_nodes, reserved, guaranteed);
}

static ssize_t node_guaranteed_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%llu\n", node_of(item)->manager.next.guaranteed);
}

static ssize_t node_guaranteed_store(struct config_item *item, const char *page, size_t size)
{
	struct mg_node *node = node_of(item);
	struct mg_settings *next = &node->manager.next;
	u64 value, before;
	bool allowed;
	int error = mg_number(page, size, 0, S64_MAX, &value, "guaranteed");

	if (error)
		return error;
	raw_spin_lock_irq(&node->lock);
	before = next->guaranteed;
	next->guaranteed = value;
	allowed = fits(&node->manager);
	if (!allowed)
		next->guaranteed = before;
	raw_spin_unlock_irq(&node->lock);
	if (allowed)
		return size;
	tell(node, mg_reserved(&node->manager), value);
	return -EDQUOT;
}

static ssize_t node_reserved_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%llu\n", mg_reserved(&node_of(item)->manager));
}

static ssize_t node_chunk_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%llu\n", node_of(item)->manager.next.chunk);
}

static ssize_t node_chunk_store(struct config_item *item, const char *page, size_t size)
{
	struct mg_node *node = node_of(item);
	u64 value;
	int error = mg_number(page, size, 1, 1 << 30, &value, "chunk");

	if (error)
		return error;
	WRITE_ONCE(node->manager.next.chunk, value);
	return size;
}

#define NODE_WORD(_name, _field, _words)								\
static ssize_t node_##_name##_show(struct config_item *item, char *page)				\
{													\
	return sysfs_emit(page, "%s\n", _words[node_of(item)->manager.next._field]);			\
}													\
static ssize_t node_##_name##_store(struct config_item *item, const char *page, size_t size)		\
{													\
	int found = mg_word(page, size, _words, ARRAY_SIZE(_words), #_name);				\
													\
	if (found < 0)											\
		return found;										\
	WRITE_ONCE(node_of(item)->manager.next._field, found);						\
	return size;											\
}
NODE_WORD(reclaim, reclaim, no_yes)
NODE_WORD(share, share, shares)
NODE_WORD(prediction, prediction, predictions)

CONFIGFS_ATTR(node_, guaranteed);
CONFIGFS_ATTR_RO(node_, reserved);
CONFIGFS_ATTR(node_, chunk);
CONFIGFS_ATTR(node_, reclaim);
CONFIGFS_ATTR(node_, share);
CONFIGFS_ATTR(node_, prediction);
static struct configfs_attribute *node_attrs[] = {
	&node_attr_guaranteed, &node_attr_reserved, &node_attr_chunk,
	&node_attr_reclaim, &node_attr_share, &node_attr_prediction, NULL,
};

/* Of CPUs. */

static struct mg_budget *budget_of(struct mg_cpu *c)
{
	return &c->node->manager.budgets[c->member];
}

static ssize_t cpu_budget_show(struct config_item *item, char *page)
{
	struct mg_reservation next = budget_of(cpu_of(item))->next;

	return next.limited ? sysfs_emit(page, "%llu\n", next.lines) : sysfs_emit(page, "none\n");
}

static ssize_t cpu_budget_store(struct config_item *item, const char *page, size_t size)
{
	struct mg_cpu *c = cpu_of(item);
	struct mg_budget *budget = budget_of(c);
	struct mg_node *node = c->node;
	u64 value = 0, reserved;
	bool limited = !sysfs_streq(page, "none"), allowed;
	struct mg_reservation before;
	int error = limited ? mg_number(page, size, 1, S64_MAX >> 16, &value, "budget, which may be none") : 0;

	if (error)
		return error;
	raw_spin_lock_irq(&node->lock);
	before = budget->next;
	budget->next.lines = value;
	budget->next.limited = limited;
	reserved = mg_reserved(&node->manager);
	allowed = fits(&node->manager);
	if (!allowed)
		budget->next = before;
	raw_spin_unlock_irq(&node->lock);
	if (allowed)
		return size;
	tell(node, reserved, node->manager.next.guaranteed);
	return -EDQUOT;
}

static ssize_t cpu_kind_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%s\n", kinds[budget_of(cpu_of(item))->next.soft]);
}

static ssize_t cpu_kind_store(struct config_item *item, const char *page, size_t size)
{
	int found = mg_word(page, size, kinds, ARRAY_SIZE(kinds), "kind");

	if (found < 0)
		return found;
	WRITE_ONCE(budget_of(cpu_of(item))->next.soft, found);
	return size;
}

static ssize_t cpu_weight_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%u\n", budget_of(cpu_of(item))->next.weight);
}

static ssize_t cpu_weight_store(struct config_item *item, const char *page, size_t size)
{
	u64 value;
	int error = mg_number(page, size, 1, 1000, &value, "weight");

	if (error)
		return error;
	WRITE_ONCE(budget_of(cpu_of(item))->next.weight, value);
	return size;
}

static ssize_t cpu_stat_show(struct config_item *item, char *page)
{
	struct mg_cpu *c = cpu_of(item);
	struct mg_counts n;
	struct mg_stats s = c->stats;

	raw_spin_lock_irq(&c->node->lock);
	n = budget_of(c)->counts;
	raw_spin_unlock_irq(&c->node->lock);
	return sysfs_emit(page,
		"periods %llu\nused %llu\nexhausted %llu\ndonated %llu\nreclaimed %llu\nextra %llu\nshared %llu\nerrors %llu\n"
		"over %llu\novershoot %llu\noverflows %llu\nheld_ns %llu\nleaks %llu\ngripped %llu\nlate_ns %llu\nblind %llu\n"
		"cycles_period %llu\ncycles_overflow %llu\ncycles_switch %llu\nswitches %llu\n",
		n.periods, n.used, n.exhausted, n.donated, n.reclaimed, n.extra, n.shared, n.errors,
		n.over, n.overshoot, s.overflows, s.held_ns, s.leaks, s.gripped, s.late_ns, s.blind,
		s.cycles_period, s.cycles_overflow, s.cycles_switch, s.switches);
}

CONFIGFS_ATTR(cpu_, budget);
CONFIGFS_ATTR(cpu_, kind);
CONFIGFS_ATTR(cpu_, weight);
/* It tells what programs on the CPU do. */
static struct configfs_attribute cpu_attr_stat = { .ca_name = "stat", .ca_mode = 0400, .ca_owner = THIS_MODULE, .show = cpu_stat_show };
static struct configfs_attribute *cpu_attrs[] = { &cpu_attr_budget, &cpu_attr_kind, &cpu_attr_weight, &cpu_attr_stat, NULL };

/* The folders. */

struct of_node {
	struct config_group group;
	struct mg_node *node;
};

struct of_cpu {
	struct config_group group;
	struct mg_cpu *cpu;
};

static struct mg_node *node_of(struct config_item *item)
{
	return container_of(to_config_group(item), struct of_node, group)->node;
}

static struct mg_cpu *cpu_of(struct config_item *item)
{
	return container_of(to_config_group(item), struct of_cpu, group)->cpu;
}

static const struct config_item_type root_type = { .ct_attrs = root_attrs, .ct_owner = THIS_MODULE };
static const struct config_item_type node_type = { .ct_attrs = node_attrs, .ct_owner = THIS_MODULE };
static const struct config_item_type cpu_type = { .ct_attrs = cpu_attrs, .ct_owner = THIS_MODULE };
static const struct config_item_type plain_type = { .ct_owner = THIS_MODULE };

static struct configfs_subsystem subsystem = {
	.su_group = { .cg_item = { .ci_namebuf = "memguard", .ci_type = &root_type } },
	.su_mutex = __MUTEX_INITIALIZER(subsystem.su_mutex),
};
static struct config_group nodes, cpus, groups;
static struct of_node *of_nodes;
static struct of_cpu *of_cpus;

int mg_files_init(void)
{
	struct config_group *root = &subsystem.su_group;
	unsigned int cpu;
	char name[16];
	int node, error;

	of_nodes = kcalloc(nr_node_ids, sizeof(*of_nodes), GFP_KERNEL);
	of_cpus = kcalloc(nr_cpu_ids, sizeof(*of_cpus), GFP_KERNEL);
	error = -ENOMEM;
	if (!of_nodes || !of_cpus)
		goto free;
	config_group_init(root);
	config_group_init_type_name(&nodes, "nodes", &plain_type);
	configfs_add_default_group(&nodes, root);
	config_group_init_type_name(&cpus, "cpus", &plain_type);
	configfs_add_default_group(&cpus, root);
	config_group_init_type_name(&groups, "groups", &mg_groups_type);
	configfs_add_default_group(&groups, root);
	for (node = 0; node < nr_node_ids; node++) {
		if (cpumask_empty(&mg_nodes[node].cpus))
			continue;
		snprintf(name, sizeof(name), "%d", node);
		of_nodes[node].node = &mg_nodes[node];
		config_group_init_type_name(&of_nodes[node].group, name, &node_type);
		configfs_add_default_group(&of_nodes[node].group, &nodes);
	}
	for_each_possible_cpu(cpu) {
		snprintf(name, sizeof(name), "%u", cpu);
		of_cpus[cpu].cpu = per_cpu_ptr(&mg_cpus, cpu);
		config_group_init_type_name(&of_cpus[cpu].group, name, &cpu_type);
		configfs_add_default_group(&of_cpus[cpu].group, &cpus);
	}
	error = configfs_register_subsystem(&subsystem);
	if (!error)
		return 0;
free:
	kfree(of_nodes);
	kfree(of_cpus);
	return error;
}

void mg_files_exit(void)
{
	configfs_unregister_subsystem(&subsystem);
	kfree(of_nodes);
	kfree(of_cpus);
}
