// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: /proc/page_color/tasks, who has which colors.
 */
#include <linux/cred.h>
#include <linux/page_color.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/seq_file.h>
#include <linux/string_helpers.h>
#include "page_color.h"
#include "page_color_held.h"

/* The next task with colors from number *@pos on, with a reference. */
static struct task_struct *next_task_from(loff_t *pos)
{
	struct task_struct *task = NULL;
	struct pid *pid;

	rcu_read_lock();
	while (*pos < PID_MAX_LIMIT && (pid = find_ge_pid(*pos, &init_pid_ns))) {
		*pos = pid_nr(pid);
		task = pid_task(pid, PIDTYPE_PID);
		if (task && rcu_access_pointer(task->page_color)) {
			get_task_struct(task);
			break;
		}
		task = NULL;
		++*pos;
	}
	rcu_read_unlock();
	return task;
}

static void *tasks_start(struct seq_file *m, loff_t *pos)
{
	return next_task_from(pos);
}

static void *tasks_next(struct seq_file *m, void *v, loff_t *pos)
{
	put_task_struct(v);
	++*pos;
	return next_task_from(pos);
}

static void tasks_stop(struct seq_file *m, void *v)
{
	if (v)
		put_task_struct(v);
}

/* PID TGID UID HOW NODE COLORS COMM, whose newlines are \n as in /proc/PID/status. */
static int tasks_show(struct seq_file *m, void *v)
{
	const struct page_color_policy *policy;
	struct task_struct *task = v;
	char comm[TASK_COMM_LEN];
	const char *how;

	rcu_read_lock();
	policy = rcu_dereference(task->page_color);
	if (policy) {
		if (policy->flags & PAGE_COLOR_PROGRAM)
			how = "program";
		else if (policy->flags & PAGE_COLOR_OWN)
			how = "thread";
		else
			how = "cgroup";
		seq_printf(m, "%d %d %u %s%s %d %*pbl ", task_pid_nr(task),
			   task_tgid_nr(task),
			   from_kuid(&init_user_ns, task_uid(task)), how,
			   policy->flags & PAGE_COLOR_STRICT ? ",strict" : "",
			   policy->nid, (int)PAGE_COLOR_MAX, policy->set.some[0]);
		seq_escape_str(m, get_task_comm(comm, task),
			       ESCAPE_SPACE | ESCAPE_SPECIAL, "\n\\");
		seq_putc(m, '\n');
	}
	rcu_read_unlock();
	return 0;
}

const struct seq_operations page_color_tasks_seq = {
	.start	= tasks_start,
	.next	= tasks_next,
	.stop	= tasks_stop,
	.show	= tasks_show,
};
