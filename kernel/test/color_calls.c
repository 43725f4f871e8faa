// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random system calls of several processes, as a fuzzer of all calls makes them:
 * what one call returned is what others get as arguments. Processes, "actors", are
 * root, users who may choose colors, and users who may not. They map, move, share,
 * lock and give away memory, fill that of others and have theirs filled, choose
 * colors in each way, fork, exec, end each other, write to cgroups, swap and all
 * files of page coloring.
 *
 * What is checked, beside what the kernel checks itself:
 *  - No byte is lost: each page has a pattern, or is known to be empty.
 *  - New pages of a strict thread have its colors, looked up in pagemap.
 *  - A SIGKILL ends a process within END_WITHIN seconds, whatever it is in; more only
 *    if the machine itself hardly runs.
 *  - Who may not, allocates no pages ahead and reserves none.
 *  - After each round the free lists are right, nobody owns a color, all
 *    memory is back.
 *
 * Usage: color_calls SECONDS [SEED [STEPS [ROUND]]]     needs root; swaps to /dev/vda if it is there
 * Rounds of STEPS by each actor, from ROUND, until SECONDS are over. Each actor's choices
 * are the same for the same seed and round. What they meet depends on who was first.
 */
#define _GNU_SOURCE
#include "page_color_util.h"
#include <linux/capability.h>
#include <linux/sched.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/uio.h>
#include <time.h>
#include "groups.h"
#include "random.h"
#include "workers.h"
#include "calls_state.h"
#include "calls_ends.h"
#include "calls_areas.h"
#include "calls_choose.h"
#include "calls_memory.h"
#include "calls_mates.h"
#include "calls_threads.h"
#include "calls_files.h"
#include "calls_round.h"

static void step(void)
{
	int k = pick(kinds, KINDS);
	struct area *a = any_area();
	struct mate *m;

	if (!is_double)
		shared->step[me] = k;
	counts[k]++;
	switch (k) {
	case MAP:
		a = map_area(one_in(8) ? MAP_POPULATE : one_in(8) ? MAP_NORESERVE : 0);
		for (size_t p = 0; a && p < a->pages; p++)
			if (!one_in(3))
				write_page(a, p);
		break;
	case UNMAP:
		if (a)
			unmap_some(a);
		break;
	case WRITE:
		for (int i = 0; a && i < 16; i++) {
			/* A private page of a file is the area's own now. */
			write_page(a, rnd() % a->pages);
		}
		break;
	case CHECK:
		if (a)
			check_area(a, "check");
		break;
	case FRESH:
		fresh();
		break;
	case SET:
		if (set_some())
			mm_is_mine = !has_threads() && !is_double;
		break;
	case CLEAR:
		prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_CLEAR, 0, 0, 0);
		mm_is_mine = false;
		break;
	case GET:
		prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_GET, scratch, bytes() + rnd() % 3 * 8, 0);
		break;
	case MIGRATE:
		migrate(one_in(8) ? NULL : a);
		break;
	case AHEAD:
		pages_for(PR_PAGE_COLOR_AHEAD, "PR_PAGE_COLOR_AHEAD");
		break;
	case RESERVE:
		pages_for(PR_PAGE_COLOR_RESERVE, "PR_PAGE_COLOR_RESERVE");
		break;
	case BYMMAP:
		by_mmap();
		mm_is_mine = false;
		break;
	case REMAP:
		if (a)
			remap(a);
		break;
	case PROTECT:
		if (a) {
			static const int prots[] = { PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE, PROT_READ | PROT_WRITE };
			int prot = prots[rnd() % 4];

			if (!mprotect(a->mem, a->pages * PAGE, prot))
				a->prot = prot;
		}
		break;
	case ADVISE:
		if (a)
			advise(a);
		break;
	case LOCK:
		if (a && a->locked)
			a->locked = munlock(a->mem, a->pages * PAGE) != 0;
		else if (a && !a->guarded && a->pages <= 64)
			a->locked = one_in(2) ? !mlock(a->mem, a->pages * PAGE) : !mlock2(a->mem, a->pages * PAGE, MLOCK_ONFAULT);
		break;
	case FILE_IO:
		file_io();
		break;
	case UFFD_ON:
		uffd_on();
		break;
	case UFFD_FILL:
		for (int i = 0; i < AREAS && (!a || !a->guarded); i++)
			a = areas[i].mem ? &areas[i] : a;
		if (a && a->guarded)
			uffd_fill(a);
		break;
	case UFFD_OFF:
		if (uffd >= 0 && (!a || a->guarded))
			uffd_off(one_in(4) ? NULL : a);
		break;
	case FORK:
	case EXEC:
	case DOUBLE:
		if (!is_double || k != DOUBLE)
			child(k);
		break;
	case MATE:
		new_mate();
		break;
	case POKE:
	case PEEK:
	case MATE_ADVISE:
	case MATE_MOVE:
	case MATE_END:
		m = any_mate();
		if (!m)
			break;
		if (k == POKE)
			poke(m);
		else if (k == PEEK)
			peek_mate(m);
		else if (k == MATE_ADVISE)
			advise_mate(m);
		else if (k == MATE_MOVE)
			move_mate(m);
		else
			end_mate(m);
		break;
	case THREAD:
		/* Those of a double would take the actor's locks to its end. */
		if (!is_double)
			new_thread();
		break;
	case JOIN:
		join(&jobs[rnd() % THREADS]);
		break;
	case NODES:
		nodes(a);
		break;
	case GROUP:
		group();
		break;
	case GROUP_MAKE:
		group_make();
		break;
	case GROUP_MOVE:
		group_move();
		mm_is_mine &= !has_threads();
		break;
	case SWAP:
		if (roles[me] == ROOT)
			some_swap();
		break;
	case SYSFS:
		if (roles[me] == ROOT || one_in(4))
			sysfs();
		break;
	case READ_FILES:
		read_files();
		break;
	case HUGETLB:
	case SECRET:
		special(k);
		break;
	case KNOB:
		if (roles[me] == ROOT || one_in(4))
			knob();
		break;
	}
}

static void act(int actor, unsigned long from, unsigned long steps, int life)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };

	me = actor;
	counts += actor * WORKER_COUNTS;
	state = (seed << 24 ^ round_now << 8 ^ (uint64_t)life << 4 ^ actor) * 0x9e3779b97f4a7c15ULL + 1;
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!puts_to(roles[me] == ROOT ? groups[0] : roles[me] == MAY ? groups[1] : groups[2], "cgroup.procs", "0") && !from)
		fault("its cgroup: %s", strerror(errno));
	/* One that acts may give the cgroup's controllers to its children, and then nobody may enter. */
	if (!life)
		__atomic_add_fetch(&shared->entered, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&shared->entered, __ATOMIC_SEQ_CST) < ACTORS && !__atomic_load_n(&shared->stop, __ATOMIC_RELAXED))
		usleep(1000);
	become(roles[me]);
	for (; from < steps && !__atomic_load_n(&shared->stop, __ATOMIC_RELAXED); from++) {
		step();
		shared->steps[me] = from + 1;
	}
	for (int i = 0; i < THREADS; i++)
		join(&jobs[i]);
	for (int i = 0; i < AREAS; i++)
		if (areas[i].mem)
			check_area(&areas[i], "at the end");
	for (int i = 0; i < MATES; i++)
		if (mates[i].pid)
			must_end(mates[i].pid);
	_exit(0);
}

/* Returns how often an actor was killed: for want of memory, or of pages of its colors. */
static unsigned long one_round(unsigned long steps, bool sudden)
{
	double begun = now(), thawed = begun, stopped = 0;
	struct wait stall = {};
	unsigned long killed = 0, last = 0;
	int lives[ACTORS] = {}, left = ACTORS, status;
	pid_t pids[ACTORS], pid;

	memset(shared->steps, 0, sizeof(shared->steps));
	memset(shared->changing, 0, sizeof(shared->changing));
	shared->stop = false;
	shared->entered = 0;
	prepare();
	for (int i = 0; i < ACTORS; i++) {
		pids[i] = fork();
		if (!pids[i])
			act(i, 0, steps, 0);
	}
	while (left) {
		unsigned long sum = 0;

		pid = waitpid(-1, &status, WNOHANG);
		for (int i = 0; i < ACTORS; i++)
			sum += shared->steps[i];
		if (sum != last)
			stall.times = 0;
		last = sum;
		if (shared->faults)
			return killed;
		if (now() - begun > ROUND_AT_MOST && !stopped) {
			shared->stop = true;
			stopped = now();
		}
		/* Half of the work is done: all are killed in the middle of theirs. */
		if (sudden && (sum > steps * ACTORS / 2 || stopped))
			break;
		/* Not all that waits comes to an end by itself, which is no fault. */
		if (stopped && now() - stopped > 20)
			break;
		if (now() - thawed > 0.5) {
			thaw();
			thawed = now();
		}
		if (too_long(&stall, STALLED_AFTER)) {
			for (int i = 0; i < ACTORS; i++) {
				dprintf(2, "   actor %d, %s:\n", i, kinds[shared->step[i]].name);
				tell(pids[i]);
			}
			fault("nobody took a step in %.0f s", now() - stall.begun);
		}
		if (pid <= 0)
			continue;
		for (int i = 0; i < ACTORS; i++) {
			if (pid != pids[i])
				continue;
			shared->changing[i] = 0;
			left--;
			pids[i] = 0;
			if (WIFEXITED(status) && WEXITSTATUS(status))
				fault("actor %d ended with %d", i, WEXITSTATUS(status));
			if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
				fault("actor %d was ended by signal %d", i, WTERMSIG(status));
			if (!WIFSIGNALED(status) || shared->stop)
				break;
			killed++;
			left++;
			/* The step that it was killed in is not taken again. */
			shared->steps[i]++;
			pids[i] = fork();
			if (!pids[i])
				act(i, shared->steps[i], steps, ++lives[i]);
			lives[i]++;
			break;
		}
	}
	return killed;
}

int main(int argc, char **argv)
{
	unsigned long limit = argc > 1 ? strtoul(argv[1], NULL, 0) : 60, steps = argc > 3 ? strtoul(argv[3], NULL, 0) : 1500;
	unsigned long done = 0, killed = 0;
	long before = 0, after;
	double begun = now();

	if (argc > 1 && !strcmp(argv[1], "exec")) {
		char *mem = malloc(16 * PAGE);

		if (mem)
			memset(mem, 1, 16 * PAGE);
		return 0;
	}
	seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	round_now = argc > 4 ? strtoul(argv[4], NULL, 0) : 0;
	me = -1;
	page_size = PAGE;
	setvbuf(stdout, NULL, _IOLBF, 0);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
		die("start");
	make_counts(ACTORS);
	write_file("/proc/self/oom_score_adj", "-1000");
	for (int i = 0; i < SAVED; i++)
		read_file(saved_names[i], saved[i], sizeof(saved[i]));
	do {
		unsigned long dead, looked = shared->looked, sum = 0;
		double start = now();

		shared->longest_end = 0;
		dead = one_round(steps, round_now % 3 == 2);
		for (int i = 0; i < ACTORS; i++)
			sum += shared->steps[i];
		end_all();
		clean();
		for (int i = 0; i < 3 && !shared->faults && !nobody_owns(); i++)
			if (i == 2)
				fault("somebody still owns colors");
		if (!zones_are_right())
			fault("free lists and counters differ");
		after = free_pages();
		/* The first round sets up what stays. */
		if (!done)
			before = after;
		printf("calls seed %lu round %lu steps %lu killed %lu pages-looked-up %lu longest-end %ld ms free %ld in %.0f s\n",
		       (unsigned long)seed, round_now, sum, dead, shared->looked - looked, shared->longest_end, after, now() - start);
		if (before - after > 2048)
			fault("%ld pages are missing", before - after);
		killed += dead;
		done++;
		round_now++;
	} while (!shared->faults && now() - begun < limit);
	printf("calls");
	print_counts(ACTORS, kinds, KINDS);
	printf(" rounds %lu killed %lu looked-up %lu faults %lu\n", done, killed, shared->looked, shared->faults);
	return shared->faults > 0;
}
