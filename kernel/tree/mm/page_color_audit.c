// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: who changed what concerns the whole machine.
 *
 * Whether they may is asked by capable(), which security modules answer, too. A
 * hook of its own would tell them nothing more: who may change the map, the
 * table of programs or a limit has the capability for it. What they did is
 * recorded.
 */
#define pr_fmt(fmt) "page_color: " fmt

#include <linux/audit.h>
#include <linux/cred.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/string.h>
#include "page_color_held.h"

/**
 * page_color_audit - record a change
 * @what: the file, or the call
 * @text: what was written; newlines at its end are not recorded
 * @err: 0, or why nothing changed
 *
 * As AUDIT_CONFIG_CHANGE if auditing is compiled in and on, and in the kernel's
 * log, as many systems do without. What was refused for want of a right is
 * recorded by the security module that refused it.
 */
void page_color_audit(const char *what, const char *text, int err)
{
	struct audit_buffer *ab;
	int n = strlen(text);

	if (err == -EPERM)
		return;
	while (n && text[n - 1] == '\n')
		n--;
	/* Whoever may read the log is not told the map. */
	pr_notice_ratelimited("%s: '%*pE' by uid %u, %*pE[%d]: %d\n", what,
			      strcmp(what, "map") ? n : 0, text,
			      from_kuid(&init_user_ns, current_uid()),
			      (int)strlen(current->comm), current->comm,
			      task_pid_nr(current), err);
	ab = audit_log_start(audit_context(), GFP_KERNEL, AUDIT_CONFIG_CHANGE);
	if (!ab)
		return;
	audit_log_format(ab, "op=page_color file=%s value=", what);
	audit_log_n_untrustedstring(ab, text, n);
	audit_log_task_info(ab);
	audit_log_format(ab, " res=%d", !err);
	audit_log_end(ab);
}
