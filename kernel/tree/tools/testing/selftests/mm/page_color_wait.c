// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: a strict real-time task that evicts does not wait for others who do,
 * also if they get no CPU.
 *
 * Needs root, coloring switched on (/sys/kernel/mm/page_color/enabled), and two memory
 * nodes.
 */
#define _GNU_SOURCE
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include "page_color_holder.h"

#ifndef MLOCK_ONFAULT
#define MLOCK_ONFAULT	1
#endif

/* What takes parts of a second where nobody has to wait, and up to minutes otherwise. */
#define SOON	5
#define PAGES	500
#define SPINNERS	20
#define LOOKERS	6

static pid_t pids[1 + SPINNERS + LOOKERS];
static int nr_pids;
static unsigned long full[LONGS];

/* Locks all that the node has of a color. Nobody is killed where a file writes. */
static bool fill(void)
{
	size_t most = color_pages() * page_size / 4 * 5, had = 0;
	int self, status;
	pid_t pid = fork();
	char *mem;

	pids[nr_pids++] = pid;
	if (!pid) {
		mem = map_pages(most);
		madvise(mem, most, MADV_NOHUGEPAGE);
		self = open("/proc/self/mem", O_RDWR);
		if (self < 0 || syscall(SYS_mlock2, mem, most, MLOCK_ONFAULT) ||
		    set_colors(full, PR_PAGE_COLOR_STRICT))
			_exit(1);
		/* What pwrite() says goes there: its page must not be new then. */
		errno = 0;
		while (had < most && pwrite(self, "x", 1, (uintptr_t)mem + had) == 1)
			had += page_size;
		kill(getpid(), SIGSTOP);
		_exit(0);
	}
	return waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status);
}

/* Tasks on the last CPU: most use it, some look through the full color in vain, and get none. */
static void occupy(void)
{
	struct sched_param param = {};
	pid_t pid;

	for (int i = 0; i < SPINNERS + LOOKERS; i++) {
		pids[nr_pids] = fork();
		if (pids[nr_pids++])
			continue;
		last_cpu();
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (i < SPINNERS)
			asm volatile("" ::: "memory");
		for (;;) {
			pid = fork();
			if (!pid) {
				prctl(PR_SET_PDEATHSIG, SIGKILL);
				if (set_colors(full, PR_PAGE_COLOR_STRICT))
					_exit(1);
				touch(map_pages(MB), MB, 1);
				_exit(0);
			}
			usleep(200000);
			sched_setscheduler(pid, SCHED_IDLE, &param);
			waitpid(pid, NULL, 0);
		}
	}
}

static int victim(void)
{
	struct sched_param param = { .sched_priority = 50 };
	size_t size = PAGES * page_size;
	char *mem = map_pages(size);

	madvise(mem, size, MADV_NOHUGEPAGE);
	if (!stay_on(0) || sched_setscheduler(0, SCHED_FIFO, &param) ||
	    set_colors(one, PR_PAGE_COLOR_STRICT))
		return 1;
	touch(mem, size, 1);
	return 0;
}

/*
 * With CONFIG_PREEMPT_RT who is not real-time himself waits for locks that those have who
 * get no CPU, from fork() on: only a real-time task lends them its priority.
 */
static bool be_first(void)
{
	struct sched_param param = { .sched_priority = 51 };

	return !sched_setscheduler(0, SCHED_FIFO, &param);
}

static bool test_wait(void)
{
	long before = read_long(DIR "stats/evicted");
	struct held held;
	double begun;
	int status = -1;
	pid_t pid;
	bool ok;

	/* Compaction is not to move others out of the color before. */
	if (set_colors(one, 0))
		return false;
	held = hold(CLEARS);
	ok = fill();
	occupy();
	sleep(5);
	ok &= be_first();
	begun = now();
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(victim());
	while (now() < begun + SOON && !waitpid(pid, &status, WNOHANG))
		usleep(10000);
	ksft_print_msg("status %#x after %.1f s, %ld pages evicted\n", status, now() - begun,
		       read_long(DIR "stats/evicted") - before);
	ok &= !status && read_long(DIR "stats/evicted") > before;
	if (status == -1)
		kill(pid, SIGKILL);
	for (int i = 0; i < nr_pids; i++)
		kill(pids[i], SIGKILL);
	release(held);
	while (wait(NULL) > 0)
		;
	return ok;
}

int main(void)
{
	unsigned long nodes = 1UL << NODE;

	start(3);
	add(full, 2);
	if (syscall(SYS_set_mempolicy, MPOL_BIND, &nodes, 64UL))
		ksft_exit_skip("no node %d\n", NODE);
	run("a real-time task does not wait for others who evict", test_wait);
	end_tests();
}
