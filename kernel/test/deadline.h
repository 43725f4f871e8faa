/* SPDX-License-Identifier: GPL-2.0-only */
/* A deadline for the caller, which the C library has no function for. */
#ifndef DEADLINE_H
#define DEADLINE_H

#include <sys/syscall.h>
#include <unistd.h>

/* In ns, with the period as deadline; -1 and errno if it is refused. */
static int become_deadline(unsigned long runtime, unsigned long period)
{
	/* struct sched_attr. */
	struct {
		unsigned int size, policy;
		unsigned long flags;
		int nice;
		unsigned int priority;
		unsigned long runtime, deadline, period;
	} attr = { .size = sizeof(attr), .policy = 6, .runtime = runtime, .deadline = period, .period = period };

	return syscall(SYS_sched_setattr, 0, &attr, 0);
}

#endif
