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

#define PR_PAGE_COLOR_AHEAD	5
#define PR_PAGE_COLOR_RESERVE	6
#define END_WITHIN	10	/* seconds */
#define OFTEN		400	/* times a second, at least, that who sleeps for 1 ms wakes up on a machine that is not too busy */
#define ROUND_AT_MOST	90
#define STALLED_AFTER	60
#define ACTORS		8
#define AREAS		20
#define OBJECTS		6
#define PAGES		544	/* of an area: so that some have a huge page */
#define MATES		4
#define MATE_PAGES	24
#define THREADS		3
#define PAGE		4096UL
#define WORD(i)		((i) * 73)	/* words of a page that have its pattern */
#define WORDS		7
#define TOP		"/sys/fs/cgroup"
#define ALL		TOP "/calls"
#define MEMBER		1001	/* who has CAP_SYS_NICE */
#define NOBODY		1000	/* who has nothing but a delegated cgroup */

#ifndef UFFDIO_MOVE
struct uffdio_move {
	__u64 dst, src, len, mode;
	__s64 move;
};
#define UFFDIO_MOVE	_IOWR(UFFDIO, 0x05, struct uffdio_move)
#define UFFDIO_MOVE_MODE_ALLOW_SRC_HOLES	2
#endif
#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY	1
#endif

/*
 * What a page has: a pattern, which begins at the mark without its flags, or
 * zeros. A page that may have been given away has either. One that is absent is
 * filled by the monitor of a userfaultfd only: who reads it waits.
 */
enum { WRITTEN = 1, LOOSE = 2, ABSENT = 4, UNKNOWN = 8, FLAGS = 15 };

/* Shared memory: what its pages have is the same in each area of it. */
static struct object {
	int fd, users;
	size_t pages;
	bool fixed;	/* not written any more: for private mappings */
	uint64_t mark[PAGES];
} objects[OBJECTS];

static struct area {
	char *mem;
	size_t pages, at;
	struct object *of;
	int prot;
	bool shared, locked, missing, wp, guarded;
	uint64_t mark[PAGES];
} areas[AREAS];

/* Children that others of this actor's calls are about. */
enum { WAITS, WALKS, RECOLORS, FAULTS, HOGS, RECLAIMS, EXECS, MODES };
static struct mate {
	pid_t pid;
	int mode;
	char *mem;
	bool strict, known;
	unsigned long gen, set[LONGS];
	uint64_t mark[MATE_PAGES];
} mates[MATES];

static struct job {
	pthread_t thread;
	uint64_t seed;
	bool started;
} jobs[THREADS];

/* What all processes see. */
static struct shared {
	/* Changes of what others have: begun and ended, and how many each actor is in. */
	unsigned long gen;
	int changing[ACTORS];
	bool stop;
	unsigned long faults, looked;
	long longest_end;	/* ms */
	unsigned long steps[ACTORS];
	int step[ACTORS];
} *shared;

enum role { ROOT, MAY, MAY_NOT };
static const enum role roles[ACTORS] = { ROOT, ROOT, MAY, MAY, MAY, MAY_NOT, MAY_NOT, MAY_NOT };
static const char * const role_names[] = { "root", "with CAP_SYS_NICE", "unprivileged" };
static const char * const groups[] = {
	ALL "/a", ALL "/b", ALL "/d", ALL "/t", ALL "/a/c", ALL "/b/e", ALL "/d/1", ALL "/d/2", ALL "/t/x", ALL "/t/y",
};
#define GROUPS	((int)(sizeof(groups) / sizeof(*groups)))
#define MADE	4	/* of them before each round */

static int me, pagemap = -1, uffd = -1;
static bool is_double, mm_is_mine;
static unsigned long round_now;
static uint64_t seed = 1;
static char scratch[16 * PAGE] __attribute__((aligned(4096)));

enum {
	MAP, UNMAP, WRITE, CHECK, FRESH, SET, CLEAR, GET, MIGRATE, AHEAD, RESERVE, BYMMAP, REMAP, PROTECT, ADVISE,
	LOCK, FILE_IO, UFFD_ON, UFFD_FILL, UFFD_OFF, FORK, EXEC, DOUBLE, MATE, POKE, PEEK, MATE_ADVISE, MATE_MOVE,
	MATE_END, THREAD, JOIN, NODES, GROUP, GROUP_MAKE, GROUP_MOVE, SWAP, SYSFS, READ_FILES, HUGETLB, SECRET,
	KNOB, KINDS
};
static const struct kind kinds[KINDS] = {
	[MAP] = { "map", 70 }, [UNMAP] = { "unmap", 35 }, [WRITE] = { "write", 80 }, [CHECK] = { "check", 40 },
	[FRESH] = { "fresh", 50 }, [SET] = { "set", 50 }, [CLEAR] = { "clear", 8 }, [GET] = { "get", 8 },
	[MIGRATE] = { "migrate", 20 }, [AHEAD] = { "ahead", 8 }, [RESERVE] = { "reserve", 6 }, [BYMMAP] = { "bymmap", 25 },
	[REMAP] = { "remap", 25 }, [PROTECT] = { "protect", 20 }, [ADVISE] = { "advise", 70 }, [LOCK] = { "lock", 12 },
	[FILE_IO] = { "file", 20 }, [UFFD_ON] = { "uffd-on", 15 }, [UFFD_FILL] = { "uffd-fill", 45 },
	[UFFD_OFF] = { "uffd-off", 6 }, [FORK] = { "fork", 12 }, [EXEC] = { "exec", 6 }, [DOUBLE] = { "double", 4 },
	[MATE] = { "mate", 14 }, [POKE] = { "poke", 45 }, [PEEK] = { "peek", 15 }, [MATE_ADVISE] = { "mate-advise", 12 },
	[MATE_MOVE] = { "mate-move", 8 }, [MATE_END] = { "mate-end", 9 }, [THREAD] = { "thread", 12 }, [JOIN] = { "join", 8 },
	[NODES] = { "nodes", 12 }, [GROUP] = { "group", 25 }, [GROUP_MAKE] = { "group-make", 6 }, [GROUP_MOVE] = { "group-move", 12 },
	[SWAP] = { "swap", 1 }, [SYSFS] = { "sysfs", 8 }, [READ_FILES] = { "read", 12 }, [HUGETLB] = { "hugetlb", 3 },
	[SECRET] = { "secret", 2 }, [KNOB] = { "knob", 4 },
};

__attribute__((format(printf, 1, 2)))
static void fault(const char *format, ...)
{
	char text[512];
	va_list args;
	int n;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	n = dprintf(2, "color_calls: seed %lu round %lu actor %d (%s)%s, step %lu, %s: %s\n", (unsigned long)seed, round_now, me,
		    me < 0 ? "start" : role_names[roles[me]], is_double ? " double" : "", me < 0 ? 0 : shared->steps[me],
		    me < 0 ? "" : kinds[shared->step[me]].name, text);
	(void)n;
	/* From here on all is killed. */
	__atomic_add_fetch(&shared->faults, 1, __ATOMIC_RELAXED);
	_exit(1);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	(void)context;
	fault("signal %d at %p", number, info->si_addr);
}

/* What a process is in, for who reads why it did not end. */
static void tell(pid_t pid)
{
	static const char * const names[] = { "stat", "wchan", "syscall", "stack", "cgroup" };
	char path[64], text[2048];

	for (int i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), "/proc/%d/%s", pid, names[i]);
		if (read_file(path, text, sizeof(text)) > 0)
			dprintf(2, "   %s: %s\n", path, text);
	}
}

/* A wait in steps of 1 ms. Where the host lets this machine hardly run, seconds say little: it has to have waked up often, too. */
struct wait {
	double begun;
	long times;
};

static bool too_long(struct wait *wait, int seconds)
{
	if (!wait->times++)
		wait->begun = now();
	if (now() - wait->begun > seconds && wait->times > (long)seconds * OFTEN)
		return true;
	usleep(1000);
	return false;
}

static void note_end(double begun)
{
	long ms = (now() - begun) * 1000;

	if (ms > __atomic_load_n(&shared->longest_end, __ATOMIC_RELAXED))
		__atomic_store_n(&shared->longest_end, ms, __ATOMIC_RELAXED);
}

/* A child that got SIGKILL is gone soon, wherever it was. */
static void must_end(pid_t pid)
{
	double begun = now();
	struct wait wait = {};

	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, WNOHANG | __WALL) == 0) {
		if (too_long(&wait, END_WITHIN)) {
			tell(pid);
			fault("process %d has not ended %.0f s after SIGKILL", pid, now() - begun);
		}
	}
	note_end(begun);
}

/* Colors of others change: who looks colors up meanwhile does not judge. */
static bool begin_change(void)
{
	/* A child that is killed would be in it for good. */
	if (is_double)
		return false;
	__atomic_add_fetch(&shared->changing[me], 1, __ATOMIC_SEQ_CST);
	__atomic_add_fetch(&shared->gen, 1, __ATOMIC_SEQ_CST);
	return true;
}

static void end_change(void)
{
	__atomic_add_fetch(&shared->gen, 1, __ATOMIC_SEQ_CST);
	__atomic_sub_fetch(&shared->changing[me], 1, __ATOMIC_SEQ_CST);
}

/* The state of changes; odd if one is going on. */
static unsigned long changes(void)
{
	unsigned long gen = __atomic_load_n(&shared->gen, __ATOMIC_SEQ_CST) * 2;

	for (int i = 0; i < ACTORS; i++)
		gen |= __atomic_load_n(&shared->changing[i], __ATOMIC_SEQ_CST) > 0;
	return gen;
}

static bool change(const char *dir, const char *name, const char *what)
{
	bool ok;

	if (!begin_change())
		return false;
	ok = puts_to(dir, name, what);
	end_change();
	return ok;
}

static bool one_in(int n)
{
	return rnd() % n == 0;
}

static uint64_t *mark_of(struct area *a, size_t p)
{
	return a->shared ? &a->of->mark[a->at + p] : &a->mark[p];
}

/* What is there when a page is given away: nothing, or the file. */
static uint64_t below(const struct area *a, size_t p)
{
	if (a->missing)
		return ABSENT;
	return a->of ? a->of->mark[a->at + p] : 0;
}

static void fill(char *to, uint64_t mark)
{
	for (int i = 0; i < WORDS; i++)
		((uint64_t *)to)[WORD(i)] = (mark & ~(uint64_t)FLAGS) + i;
}

static uint64_t new_mark(void)
{
	return (rnd() << 16 & ~(uint64_t)FLAGS) | WRITTEN;
}

static void judge(const char *page, uint64_t mark, const char *what)
{
	const volatile uint64_t *words = (const volatile uint64_t *)page;
	bool zero = false;

	if (mark & (ABSENT | UNKNOWN))
		return;
	for (int i = 0; i < WORDS; i++) {
		uint64_t is = words[WORD(i)], want = mark & WRITTEN ? (mark & ~(uint64_t)FLAGS) + i : 0;

		if (i == 0)
			zero = !is && mark & LOOSE;
		if (is != (zero ? 0 : want))
			fault("%s: wrong data at %p word %d: %lx, not %lx (flags %lx)", what, page, WORD(i), is, want, mark & FLAGS);
	}
}

static void check_area(struct area *a, const char *what)
{
	if (!(a->prot & PROT_READ))
		return;
	for (size_t p = 0; p < a->pages; p++)
		judge(a->mem + p * PAGE, *mark_of(a, p), what);
}

static void write_page(struct area *a, size_t p)
{
	uint64_t *mark = mark_of(a, p);

	if (!(a->prot & PROT_WRITE) || a->wp || *mark & ABSENT)
		return;
	*mark = new_mark();
	fill(a->mem + p * PAGE, *mark);
}

static struct area *any_area(void)
{
	struct area *a = &areas[rnd() % AREAS];

	return a->mem ? a : NULL;
}

static struct area *free_area(void)
{
	for (int i = 0; i < AREAS; i++)
		if (!areas[i].mem)
			return &areas[i];
	return NULL;
}

/* Few pages of most, many of some. */
static size_t some_pages(void)
{
	switch (rnd() % 8) {
	case 0:
		return 1 + rnd() % PAGES;
	case 1:
	case 2:
		return 1 + rnd() % 64;
	}
	return 1 + rnd() % 16;
}

static struct object *any_object(bool fixed)
{
	struct object *o = &objects[rnd() % OBJECTS];

	if (o->users)
		return o->fixed == fixed ? o : NULL;
	memset(o, 0, sizeof(*o));
	o->fd = memfd_create("calls", MFD_CLOEXEC);
	o->pages = some_pages();
	if (o->fd < 0 || ftruncate(o->fd, o->pages * PAGE)) {
		if (o->fd >= 0)
			close(o->fd);
		return NULL;
	}
	o->fixed = fixed;
	for (size_t p = 0; fixed && p < o->pages; p++) {
		uint64_t mark = one_in(4) ? 0 : new_mark();

		memset(scratch, 0, PAGE);
		if (mark)
			fill(scratch, mark);
		/* At memory.max a part may be missing. */
		o->mark[p] = !mark || pwrite(o->fd, scratch, PAGE, p * PAGE) == (ssize_t)PAGE ? mark : UNKNOWN;
	}
	return o;
}

static void drop_object(struct object *o)
{
	if (o && !o->users)
		close(o->fd);
}

/*
 * An area that is known to be empty. Those that touch each other would be one
 * mapping for the kernel, so that a call for one is in part one for the other:
 * wanted.
 */
static struct area *map_area(int extra)
{
	struct area *a = free_area();
	struct object *o = NULL;
	int kind = rnd() % 8;

	if (!a)
		return NULL;
	memset(a, 0, sizeof(*a));
	a->prot = PROT_READ | PROT_WRITE;
	a->pages = some_pages();
	if (extra >= 0 && kind < 2) {
		o = any_object(kind == 0);
		if (!o)
			return NULL;
		a->of = o;
		a->shared = kind == 1;
		a->at = rnd() % o->pages;
		if (a->pages > o->pages - a->at)
			a->pages = o->pages - a->at;
		for (size_t p = 0; p < a->pages; p++)
			a->mark[p] = o->mark[a->at + p];
	}
	a->mem = mmap(NULL, a->pages * PAGE, a->prot, (a->shared ? MAP_SHARED : MAP_PRIVATE) | (extra > 0 ? extra : 0) |
		      (o ? 0 : MAP_ANONYMOUS), o ? o->fd : -1, a->at * PAGE);
	if (a->mem == MAP_FAILED) {
		a->mem = NULL;
		drop_object(o);
		return NULL;
	}
	if (o)
		o->users++;
	return a;
}

static void forget(struct area *a)
{
	a->mem = NULL;
	if (a->of) {
		a->of->users--;
		drop_object(a->of);
	}
}

/* The first pages, the last ones, or all. Those of the middle are two areas then. */
static void unmap_some(struct area *a)
{
	size_t from = rnd() % a->pages, n = 1 + rnd() % (a->pages - from);
	struct area *rest;

	check_area(a, "before munmap");
	if (one_in(2)) {
		from = 0;
		n = a->pages;
	}
	rest = from && from + n < a->pages ? free_area() : NULL;
	if (from && from + n < a->pages && !rest)
		n = a->pages - from;
	if (munmap(a->mem + from * PAGE, n * PAGE))
		return;
	if (rest) {
		*rest = *a;
		rest->mem += (from + n) * PAGE;
		rest->pages -= from + n;
		rest->at += from + n;
		memmove(rest->mark, rest->mark + from + n, rest->pages * sizeof(*rest->mark));
		if (rest->of)
			rest->of->users++;
		a->pages = from;
	} else if (from) {
		a->pages = from;
	} else if (n < a->pages) {
		a->mem += n * PAGE;
		a->at += n;
		a->pages -= n;
		memmove(a->mark, a->mark + n, a->pages * sizeof(*a->mark));
	} else {
		forget(a);
	}
}

/* Are the colors of this thread strict? Which they are. */
static bool strict_colors(unsigned long *set)
{
	memset(set, 0, LONGS * sizeof(*set));
	return prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_GET, set, bytes(), 0) > 0 &&
	       prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_GET, set, bytes(), 0) & PR_PAGE_COLOR_STRICT;
}

/* The first page that is there and has another color; @only those with a mark that was written. */
static long other_color(int map, const char *mem, size_t pages, const uint64_t *only, const unsigned long *set, int *color)
{
	uint64_t entries[PAGES];
	ssize_t n = pread(map, entries, pages * 8, (uintptr_t)mem / PAGE * 8);

	for (long p = 0; p < n / 8; p++) {
		if (!(entries[p] >> 63) || (only && !(only[p] & WRITTEN)))
			continue;
		/* Without the right to see it the frame is 0. */
		if (!(entries[p] & ((1ULL << 55) - 1)))
			continue;
		*color = color_of((entries[p] & ((1ULL << 55) - 1)) * PAGE);
		if (!has(set, *color))
			return p;
	}
	return -1;
}

/*
 * Pages of private memory that this thread was given since @gen, when it had the
 * colors @set. They were given to it alone, so no other thread of it set others.
 */
static void check_colors(int map, const char *mem, size_t pages, const uint64_t *only, unsigned long gen,
			 const unsigned long *set, const char *what)
{
	unsigned long after[LONGS] = {};
	int color = 0;
	long p;

	if (map < 0 || gen & 1)
		return;
	p = other_color(map, mem, pages, only, set, &color);
	if (!strict_colors(after) || memcmp(set, after, sizeof(after)) || changes() != gen)
		return;
	if (p >= 0)
		fault("%s: page %ld of %zu at %p has color %d", what, p, pages, mem, color);
	__atomic_add_fetch(&shared->looked, pages, __ATOMIC_RELAXED);
}

/* New memory, which is touched and looked up at once. */
static void fresh(void)
{
	unsigned long set[LONGS], gen = changes();
	bool strict = strict_colors(set);
	struct area *a = map_area(-1);

	if (!a)
		return;
	if (one_in(4))
		madvise(a->mem, a->pages * PAGE, MADV_HUGEPAGE);
	if (one_in(4))
		madvise(a->mem, a->pages * PAGE, 23 /* MADV_POPULATE_WRITE */);
	for (size_t p = 0; p < a->pages; p++)
		write_page(a, p);
	if (strict && mm_is_mine)
		check_colors(pagemap, a->mem, a->pages, a->mark, gen, set, "new memory");
}

static void expect(long result, const char *what, const int *allowed)
{
	if (result >= 0)
		return;
	for (; *allowed; allowed++)
		if (errno == *allowed)
			return;
	fault("%s: %s", what, strerror(errno));
}

static bool set_some(void)
{
	static const int allowed[] = { EPERM, EINVAL, EAGAIN, EOPNOTSUPP, ENOMEM, 0 };
	unsigned long set[LONGS] = {};
	int n = one_in(2) ? 1 + rnd() % 4 : 1 + rnd() % nr_colors, c = rnd() % nr_colors;
	bool runs = one_in(2);
	long result;

	while (n--) {
		add(set, c);
		c = runs ? (c + 1) % nr_colors : (int)(rnd() % nr_colors);
	}
	result = prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_SET, set, bytes(),
		       (one_in(2) ? PR_PAGE_COLOR_STRICT : 0) | (one_in(4) ? PR_PAGE_COLOR_PRIVATE : 0));
	expect(result, "PR_PAGE_COLOR_SET", allowed);
	return !result;
}

static void migrate(struct area *a)
{
	static const int allowed[] = { ENODATA, EOPNOTSUPP, ENOMEM, EINTR, EPERM, 0 };
	unsigned long set[LONGS], gen = changes();
	bool strict = strict_colors(set);
	long left;

	if (!a) {
		left = prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_MIGRATE, rnd() % 2 * 0x400000, 1UL << (20 + rnd() % 26), 0);
	} else {
		left = prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_MIGRATE, a->mem, a->pages * PAGE, 0);
		/* What was moved is of the thread's colors if nothing else was swapped in meanwhile. */
		if (left == 0 && strict && mm_is_mine && !a->of && !a->missing)
			check_colors(pagemap, a->mem, a->pages, a->mark, gen, set, "moved memory");
		check_area(a, "after MIGRATE");
	}
	/* A range that ends beyond what can be mapped. */
	if (left < 0 && errno == EINVAL && !a)
		return;
	expect(left, "PR_PAGE_COLOR_MIGRATE", allowed);
}

static void pages_for(int op, const char *what)
{
	static const int allowed[] = { EPERM, ENODATA, ENOSPC, ENOMEM, EOPNOTSUPP, EINVAL, EAGAIN, EINTR, 0 };
	unsigned long n = one_in(4) ? 0 : one_in(16) ? rnd() % 100000 : rnd() % 512;
	long result = prctl(PR_PAGE_COLOR, op, n, 0, 0);

	if (result >= 0 && n && roles[me] == MAY_NOT)
		fault("%s of %lu pages without the right: %ld", what, n, result);
	expect(result, what, allowed);
}

/* Calls for colors by mmap(); never one that registers programs of root, which would be all that is executed. */
static void by_mmap(void)
{
	unsigned long action = 1 + rnd() % 7, kind = one_in(2) ? 0 : rnd() % 3;
	unsigned long number = action == 7 ? rnd() % 3 : rnd() % nr_colors;
	void *result;

	if (action == 7 && (roles[me] == ROOT || !begin_change()))
		action = 2;
	if (action == 1)
		kind = number = 0;
	if (action == 2 || action == 6)
		number = 0;
	if (action == 7)
		kind = 0;
	result = mmap((void *)(number | kind << 16 | action << 20 |
			       (action == 3 || action == 4 || action == 5 || action == 7 ? rnd() % 4 << 24 : 0)),
		      0, PROT_READ | PROT_WRITE | 1 << 30, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (action == 7)
		end_change();
	if (action == 1 && result != MAP_FAILED && result != (void *)1)
		fault("the version of calls by mmap is %p", result);
	if (action == 7 && result != MAP_FAILED && roles[me] == MAY_NOT)
		fault("programs were registered without the right");
}

static void remap(struct area *a)
{
	size_t pages = some_pages();
	void *mem;

	/* What moves is not watched any more. */
	if (a->guarded)
		return;
	check_area(a, "before mremap");
	switch (rnd() % 3) {
	case 0:	/* To another place. */
		mem = mremap(a->mem, a->pages * PAGE, a->pages * PAGE, MREMAP_MAYMOVE | MREMAP_DONTUNMAP);
		if (mem == MAP_FAILED)
			break;
		munmap(a->mem, a->pages * PAGE);
		a->mem = mem;
		break;
	case 1:	/* Shorter. */
		if (pages >= a->pages)
			break;
		if (mremap(a->mem, a->pages * PAGE, pages * PAGE, 0) == a->mem)
			a->pages = pages;
		break;
	case 2:	/* Longer. */
		if (pages <= a->pages || (a->of && pages > a->of->pages - a->at))
			break;
		mem = mremap(a->mem, a->pages * PAGE, pages * PAGE, MREMAP_MAYMOVE);
		if (mem == MAP_FAILED)
			break;
		a->mem = mem;
		for (size_t p = a->pages; p < pages; p++)
			a->mark[p] = a->of ? a->of->mark[a->at + p] : 0;
		a->pages = pages;
		break;
	}
	check_area(a, "after mremap");
}

static void advise(struct area *a)
{
	static const int advices[] = {
		MADV_DONTNEED, MADV_DONTNEED, MADV_FREE, MADV_FREE, MADV_PAGEOUT, MADV_PAGEOUT, MADV_COLD, MADV_WILLNEED,
		22 /* MADV_POPULATE_READ */, 23 /* MADV_POPULATE_WRITE */, MADV_HUGEPAGE, MADV_NOHUGEPAGE, MADV_COLLAPSE,
		MADV_MERGEABLE, MADV_UNMERGEABLE, MADV_SEQUENTIAL, MADV_RANDOM, MADV_NORMAL, MADV_REMOVE,
	};
	int advice = advices[rnd() % (sizeof(advices) / sizeof(*advices))], result;
	size_t from = rnd() % a->pages, n = 1 + rnd() % (a->pages - from);

	/* Nobody fills what is missing while this waits for it. */
	if (a->missing && (advice == 22 || advice == 23 || advice == MADV_FREE))
		return;
	if (a->wp && advice == 23)
		return;
	if (advice == MADV_REMOVE && (!a->shared || !(a->prot & PROT_WRITE)))
		return;
	result = madvise(a->mem + from * PAGE, n * PAGE, advice);
	for (size_t p = from; p < from + n; p++) {
		uint64_t *mark = mark_of(a, p);

		if (advice == MADV_REMOVE)
			*mark = result ? *mark | LOOSE : 0;
		if (a->shared)
			continue;
		if (advice == MADV_DONTNEED)
			*mark = !result ? below(a, p) : a->of || a->missing ? *mark | UNKNOWN : *mark | LOOSE;
		if (advice == MADV_FREE)
			*mark = a->of ? *mark | UNKNOWN : *mark | LOOSE;
	}
}

static void file_io(void)
{
	struct object *o = &objects[rnd() % OBJECTS];
	uint64_t mark = new_mark();
	size_t p, n;

	if (!o->users)
		return;
	p = rnd() % o->pages;
	if (one_in(2)) {
		if (pread(o->fd, scratch, PAGE, p * PAGE) == (ssize_t)PAGE)
			judge(scratch, o->mark[p], "read from a file");
		return;
	}
	if (o->fixed)
		return;
	if (one_in(3)) {
		n = 1 + rnd() % (o->pages - p);
		if (fallocate(o->fd, FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE, p * PAGE, n * PAGE))
			return;
		memset(&o->mark[p], 0, n * sizeof(*o->mark));
		return;
	}
	memset(scratch, 0, PAGE);
	fill(scratch, mark);
	o->mark[p] = pwrite(o->fd, scratch, PAGE, p * PAGE) == (ssize_t)PAGE ? mark : UNKNOWN;
}

/* A monitor that is this actor itself: pages are filled ahead of who would wait for them. */
static void uffd_on(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = {};
	struct area *a;

	if (uffd < 0) {
		uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | (roles[me] == ROOT ? 0 : UFFD_USER_MODE_ONLY));
		if (uffd >= 0 && ioctl(uffd, UFFDIO_API, &api)) {
			close(uffd);
			uffd = -1;
		}
		return;
	}
	a = any_area();
	if (!a || a->of || a->locked || a->guarded || !(a->prot & PROT_WRITE))
		return;
	check_area(a, "before a userfaultfd");
	range.range.start = (uintptr_t)a->mem;
	range.range.len = a->pages * PAGE;
	range.mode = one_in(4) ? UFFDIO_REGISTER_MODE_WP : UFFDIO_REGISTER_MODE_MISSING | (one_in(2) ? UFFDIO_REGISTER_MODE_WP : 0);
	/* Which pages are there is known only if none is. */
	if (range.mode & UFFDIO_REGISTER_MODE_MISSING && madvise(a->mem, a->pages * PAGE, MADV_DONTNEED)) {
		for (size_t p = 0; p < a->pages; p++)
			a->mark[p] |= LOOSE;
		return;
	}
	if (range.mode & UFFDIO_REGISTER_MODE_MISSING)
		memset(a->mark, 0, sizeof(a->mark));
	if (ioctl(uffd, UFFDIO_REGISTER, &range))
		return;
	a->guarded = true;
	a->missing = range.mode & UFFDIO_REGISTER_MODE_MISSING;
	for (size_t p = 0; a->missing && p < a->pages; p++)
		a->mark[p] = ABSENT;
}

static void uffd_fill(struct area *a)
{
	unsigned long set[LONGS], gen = changes();
	bool strict = strict_colors(set);
	size_t from = rnd() % a->pages, n = 0, done;
	struct area *src;
	int way = rnd() % 5;

	if (way == 4) {
		struct uffdio_writeprotect wp = {
			.range = { (uintptr_t)a->mem, a->pages * PAGE },
			.mode = a->wp ? 0 : UFFDIO_WRITEPROTECT_MODE_WP,
		};

		/* An error may come after the first pages. */
		if (!ioctl(uffd, UFFDIO_WRITEPROTECT, &wp))
			a->wp = !a->wp;
		else if (errno != EINVAL && errno != ENOENT)
			a->wp = true;
		return;
	}
	if (!a->missing || a->wp)
		return;
	while (from + n < a->pages && n < 16 && a->mark[from + n] == ABSENT)
		n++;
	if (!n)
		return;
	if (way < 2) {
		struct uffdio_copy copy = { .dst = (uintptr_t)a->mem + from * PAGE, .src = (uintptr_t)scratch, .len = n * PAGE };
		uint64_t marks[16];

		memset(scratch, 0, sizeof(scratch));
		for (size_t p = 0; p < n; p++) {
			marks[p] = new_mark();
			fill(scratch + p * PAGE, marks[p]);
		}
		ioctl(uffd, UFFDIO_COPY, &copy);
		done = copy.copy > 0 ? copy.copy / PAGE : 0;
		memcpy(&a->mark[from], marks, done * sizeof(*marks));
		if (done && strict && mm_is_mine)
			check_colors(pagemap, a->mem + from * PAGE, done, &a->mark[from], gen, set, "memory filled by UFFDIO_COPY");
	} else if (way == 2) {
		struct uffdio_zeropage zero = { .range = { (uintptr_t)a->mem + from * PAGE, n * PAGE } };

		ioctl(uffd, UFFDIO_ZEROPAGE, &zero);
		done = zero.zeropage > 0 ? zero.zeropage / PAGE : 0;
		memset(&a->mark[from], 0, done * sizeof(*a->mark));
	} else {
		struct uffdio_move move = { .dst = (uintptr_t)a->mem + from * PAGE };

		src = any_area();
		if (!src || src == a || src->of || src->guarded || !(src->prot & PROT_WRITE))
			return;
		if (n > src->pages)
			n = src->pages;
		move.src = (uintptr_t)src->mem;
		move.len = n * PAGE;
		ioctl(uffd, UFFDIO_MOVE, &move);
		done = move.move > 0 ? move.move / PAGE : 0;
		/* What was given away before it was moved goes away at any time: whoever read it then would wait. */
		for (size_t p = 0; p < done; p++)
			a->mark[from + p] = src->mark[p] & LOOSE ? ABSENT | UNKNOWN : src->mark[p];
		memset(src->mark, 0, done * sizeof(*src->mark));
		check_area(src, "after UFFDIO_MOVE");
	}
	check_area(a, "after a userfaultfd's call");
}

static void unguard(struct area *a)
{
	for (size_t p = 0; p < a->pages; p++)
		if (a->mark[p] & ABSENT)
			a->mark[p] &= UNKNOWN;
	a->guarded = a->missing = a->wp = false;
}

static void uffd_off(struct area *a)
{
	if (a) {
		struct uffdio_range range = { (uintptr_t)a->mem, a->pages * PAGE };

		if (ioctl(uffd, UFFDIO_UNREGISTER, &range))
			return;
		unguard(a);
		return;
	}
	close(uffd);
	uffd = -1;
	for (int i = 0; i < AREAS; i++)
		if (areas[i].mem && areas[i].guarded)
			unguard(&areas[i]);
}

/* A child has a copy of what is private. What is shared it must not write: it leaves that. */
static void be_child(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	is_double = true;
	for (int i = 0; i < AREAS; i++) {
		if (!areas[i].mem)
			continue;
		if (areas[i].shared) {
			munmap(areas[i].mem, areas[i].pages * PAGE);
			forget(&areas[i]);
		} else if (areas[i].guarded) {
			unguard(&areas[i]);
		}
	}
	memset(mates, 0, sizeof(mates));
	memset(jobs, 0, sizeof(jobs));
	if (uffd >= 0)
		close(uffd);
	uffd = -1;
	/* That is the parent's memory. */
	if (pagemap >= 0)
		close(pagemap);
	pagemap = -1;
	mm_is_mine = false;
}

/* Its end: in vain only by SIGKILL, for want of memory. */
static void join_child(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) != pid)
		if (errno != EINTR)
			return;
	if (WIFEXITED(status) && WEXITSTATUS(status))
		fault("child ended with %d", WEXITSTATUS(status));
	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
		fault("child was ended by signal %d", WTERMSIG(status));
}

static void step(void);

static void child(int kind)
{
	pid_t pid = fork();

	if (pid > 0)
		join_child(pid);
	if (pid)
		return;
	be_child();
	if (kind == EXEC) {
		execl("/proc/self/exe", "color_calls", "exec", NULL);
		/* A strict program without colors left; no memory, also for the arguments. */
		if (errno != EAGAIN && errno != ENOMEM && errno != E2BIG)
			fault("exec: %s", strerror(errno));
		_exit(0);
	}
	for (int i = 0; i < AREAS; i++) {
		if (!areas[i].mem)
			continue;
		check_area(&areas[i], "in a child");
		if (one_in(2))
			write_page(&areas[i], rnd() % areas[i].pages);
	}
	for (int i = kind == DOUBLE ? 40 : 0; i && !shared->stop; i--)
		step();
	for (int i = 0; i < AREAS; i++)
		if (areas[i].mem)
			check_area(&areas[i], "at a child's end");
	for (int i = 0; i < MATES; i++)
		if (mates[i].pid)
			must_end(mates[i].pid);
	_exit(0);
}

/* Memory of its own, again and again, until it is ended. */
static void walk(void)
{
	for (;;) {
		size_t size = some_pages() * PAGE;
		char *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (mem == MAP_FAILED)
			continue;
		set_some();
		for (size_t i = 0; i < size; i += PAGE)
			mem[i] = 1;
		munmap(mem, size);
	}
}

static void wait_for_monitor(char *mem)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .range = { (uintptr_t)mem, MATE_PAGES * PAGE }, .mode = UFFDIO_REGISTER_MODE_MISSING };
	int fd = syscall(SYS_userfaultfd, UFFD_USER_MODE_ONLY);

	if (fd >= 0 && !ioctl(fd, UFFDIO_API, &api) && !ioctl(fd, UFFDIO_REGISTER, &range))
		*mem = 1;
	pause();
}

static void live(struct mate *m)
{
	/* While it is open here, memory of the actor that has closed it waits for a monitor. */
	if (uffd >= 0)
		close(uffd);
	signal(SIGBUS, SIG_DFL);
	switch (m->mode) {
	case WALKS:
		walk();
		break;
	case RECOLORS:
		for (;;) {
			set_some();
			prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_MIGRATE, 0, 1UL << 46, 0);
			for (int i = 0; i < MATE_PAGES; i++)
				m->mem[i * PAGE] = 1;
		}
	case FAULTS:
		wait_for_monitor(m->mem);
		break;
	case HOGS:
		for (;;) {
			char *mem = mmap(NULL, 64 * MB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

			for (size_t i = 0; mem != MAP_FAILED && i < 64 * MB; i += PAGE)
				mem[i] = 1;
			munmap(mem, 64 * MB);
			set_some();
		}
	case RECLAIMS:
		for (;;) {
			puts_to(groups[rnd() % GROUPS], "memory.reclaim", "4M");
			puts_to(groups[rnd() % GROUPS], "cpuset.colors.migrate", "1");
		}
	case EXECS:
		for (;;) {
			if (!fork()) {
				prctl(PR_SET_PDEATHSIG, SIGKILL);
				execl("/proc/self/exe", "color_calls", "exec", NULL);
				_exit(0);
			}
			wait(NULL);
		}
	}
	for (;;)
		pause();
}

static pid_t fork_into(const char *group)
{
	struct clone_args args = { .flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD };
	int fd = open(group, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	pid_t pid = -1;

	if (fd >= 0) {
		args.cgroup = fd;
		pid = syscall(SYS_clone3, &args, sizeof(args));
		close(fd);
	}
	return pid;
}

static void new_mate(void)
{
	struct mate *m = &mates[rnd() % MATES];
	pid_t parent = getpid();
	bool elsewhere;

	if (m->pid)
		return;
	memset(m, 0, sizeof(*m));
	m->mode = one_in(2) ? WAITS : (int)(rnd() % MODES);
	m->mem = mmap(NULL, MATE_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (m->mem == MAP_FAILED)
		return;
	m->gen = changes();
	m->strict = strict_colors(m->set);
	elsewhere = one_in(4);
	m->pid = elsewhere ? fork_into(groups[rnd() % GROUPS]) : fork();
	if (!m->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(0);
		is_double = true;
		live(m);
	}
	munmap(m->mem, MATE_PAGES * PAGE);
	m->known = m->mode == WAITS;
	if (elsewhere)
		m->strict = false;
	if (m->pid < 0)
		m->pid = 0;
}

/* A mate that lives; what was killed for want of memory is forgotten. */
static struct mate *any_mate(void)
{
	struct mate *m = &mates[rnd() % MATES];

	if (m->pid && waitpid(m->pid, NULL, WNOHANG) != 0)
		m->pid = 0;
	return m->pid ? m : NULL;
}

/* A mate is stopped by ptrace: as long as it lives it stops soon. */
static bool trace(const struct mate *m)
{
	struct wait wait = {};
	int status;

	if (ptrace(PTRACE_ATTACH, m->pid, 0, 0))
		return false;
	while (waitpid(m->pid, &status, WNOHANG | __WALL) == 0) {
		/* Frozen, or it waits for somebody. */
		if (too_long(&wait, 1))
			return false;
	}
	return WIFSTOPPED(status);
}

static void check_mate(struct mate *m, int p)
{
	unsigned long set[LONGS];
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/pagemap", m->pid);
	if (!m->strict || (fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
		return;
	memcpy(set, m->set, sizeof(set));
	/* It has what its parent had; to compare is left out, as the parent may have others now. */
	if (!(m->gen & 1)) {
		int color = 0;
		long other = other_color(fd, m->mem + p * PAGE, 1, NULL, set, &color);

		if (changes() == m->gen) {
			if (other >= 0)
				fault("memory of %d that another filled at %p has color %d", m->pid, m->mem + p * PAGE, color);
			__atomic_add_fetch(&shared->looked, 1, __ATOMIC_RELAXED);
		}
	}
	close(fd);
}

static void poke(struct mate *m)
{
	int p = rnd() % MATE_PAGES, fd, n = 0;
	uint64_t mark = new_mark();
	char *at = m->mem + p * PAGE;
	struct iovec local = { scratch, PAGE }, remote = { at, PAGE };
	char path[64];

	if (!m->known)
		return;
	memset(scratch, 0, PAGE);
	fill(scratch, mark);
	switch (rnd() % 3) {
	case 0:
		n = process_vm_writev(m->pid, &local, 1, &remote, 1, 0) == (ssize_t)PAGE;
		break;
	case 1:
		snprintf(path, sizeof(path), "/proc/%d/mem", m->pid);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			return;
		n = pwrite(fd, scratch, PAGE, (uintptr_t)at) == (ssize_t)PAGE;
		close(fd);
		break;
	case 2:
		if (!trace(m))
			return;
		for (int i = 0; i < WORDS; i++)
			n += !ptrace(PTRACE_POKEDATA, m->pid, at + WORD(i) * 8, ((uint64_t *)scratch)[WORD(i)]);
		ptrace(PTRACE_DETACH, m->pid, 0, 0);
		n = n == WORDS;
		break;
	}
	m->mark[p] = n ? mark : UNKNOWN;
	if (n)
		check_mate(m, p);
}

static void peek_mate(struct mate *m)
{
	int p = rnd() % MATE_PAGES;
	struct iovec local = { scratch, PAGE }, remote = { m->mem + p * PAGE, PAGE };

	if (m->known && process_vm_readv(m->pid, &local, 1, &remote, 1, 0) == (ssize_t)PAGE)
		judge(scratch, m->mark[p], "memory of a mate");
}

static void advise_mate(struct mate *m)
{
	static const int advices[] = { MADV_WILLNEED, MADV_COLD, MADV_PAGEOUT, MADV_COLLAPSE };
	struct iovec remote = { m->mem, MATE_PAGES * PAGE };
	int fd = syscall(SYS_pidfd_open, m->pid, 0);

	if (fd < 0)
		return;
	syscall(SYS_process_madvise, fd, &remote, 1UL, advices[rnd() % 4], 0);
	close(fd);
}

static void move_mate(struct mate *m)
{
	unsigned long from = 1 + rnd() % 15, to = 1 << rnd() % 4;
	void *pages[MATE_PAGES];
	int nodes[MATE_PAGES], status[MATE_PAGES];

	if (one_in(2)) {
		syscall(SYS_migrate_pages, m->pid, 5UL, &from, &to);
		return;
	}
	for (int i = 0; i < MATE_PAGES; i++) {
		pages[i] = m->mem + i * PAGE;
		nodes[i] = rnd() % 4;
	}
	syscall(SYS_move_pages, m->pid, (unsigned long)MATE_PAGES, pages, one_in(4) ? NULL : nodes, status, one_in(2) ? 2 : 4);
}

static void end_mate(struct mate *m)
{
	if (one_in(4))
		kill(m->pid, SIGSTOP);
	must_end(m->pid);
	m->pid = 0;
}

/* A thread with colors of its own. */
static void *thread(void *arg)
{
	struct job *job = arg;
	unsigned long set[LONGS], gen;
	size_t pages = 1 + (job->seed >> 8) % 48;
	uint64_t *mem, mark;
	char text[16];
	bool strict;

	state = job->seed | 1;
	if (one_in(3)) {
		snprintf(text, sizeof(text), "%d", (int)syscall(SYS_gettid));
		change(groups[rnd() % GROUPS], "cgroup.threads", text);
	}
	for (int i = 1 + rnd() % 4; i; i--) {
		if (one_in(2))
			set_some();
		gen = changes();
		strict = strict_colors(set);
		mem = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (mem == MAP_FAILED)
			break;
		mark = new_mark();
		for (size_t p = 0; p < pages; p++)
			fill((char *)mem + p * PAGE, mark + p * (FLAGS + 1));
		if (strict)
			check_colors(pagemap, (char *)mem, pages, NULL, gen, set, "new memory of a thread");
		if (one_in(2))
			madvise(mem, pages * PAGE, MADV_PAGEOUT);
		if (one_in(3))
			prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_MIGRATE, mem, pages * PAGE, 0);
		for (size_t p = 0; p < pages; p++)
			judge((char *)mem + p * PAGE, mark + p * (FLAGS + 1), "memory of a thread");
		munmap(mem, pages * PAGE);
	}
	return NULL;
}

static void join(struct job *job)
{
	if (job->started)
		pthread_join(job->thread, NULL);
	job->started = false;
}

static void new_thread(void)
{
	struct job *job = &jobs[rnd() % THREADS];

	join(job);
	job->seed = rnd();
	/* What others fill has the colors that one of the threads set last. */
	mm_is_mine = false;
	job->started = !pthread_create(&job->thread, NULL, thread, job);
}

static bool has_threads(void)
{
	bool any = false;

	for (int i = 0; i < THREADS; i++)
		any |= jobs[i].started;
	return any;
}

static void nodes(struct area *a)
{
	unsigned long mask = 1 + rnd() % 15;
	void *pages[16];
	int to[16], status[16], n = 0;

	switch (rnd() % 4) {
	case 0:
		syscall(SYS_set_mempolicy, rnd() % 6, &mask, 5UL);
		return;
	case 1:
		syscall(SYS_set_mempolicy, 0, NULL, 0UL);
		return;
	case 2:
		if (a)
			syscall(SYS_mbind, a->mem, a->pages * PAGE, rnd() % 6, &mask, 5UL, rnd() % 4);
		return;
	}
	for (; a && n < 16 && n < (int)a->pages; n++) {
		pages[n] = a->mem + rnd() % a->pages * PAGE;
		to[n] = rnd() % 4;
	}
	if (n)
		syscall(SYS_move_pages, 0, (unsigned long)n, pages, to, status, 2);
}

static const char *some_list(void)
{
	static char text[256];
	int n = 0;

	for (int i = rnd() % 3; i >= 0; i--) {
		int from = rnd() % nr_colors, to = one_in(2) ? from : from + (int)(rnd() % nr_colors);

		if (to >= nr_colors && !one_in(16))
			to = nr_colors - 1;
		n += snprintf(text + n, sizeof(text) - n, "%s%d-%d", n ? "," : "", from, to);
	}
	return text;
}

static const char *some_size(void)
{
	static char text[32];

	if (one_in(3))
		return "max";
	snprintf(text, sizeof(text), "%luM", 8 + rnd() % 120);
	return text;
}

static void group(void)
{
	static const char * const sizes[] = { "memory.max", "memory.high", "memory.low", "memory.min", "memory.swap.max" };
	static const char * const cpus[] = { "", "0-1", "0-3", "2", "1-3" };
	const char *dir = groups[rnd() % GROUPS];
	char text[32];

	switch (rnd() % 16) {
	case 0 ... 4:
		change(dir, "cpuset.colors", one_in(5) ? "\n" : some_list());
		break;
	case 5 ... 6:
		change(dir, "cpuset.colors.strict", one_in(2) ? "1" : "0");
		break;
	case 7:
		change(dir, "cpuset.colors.migrate", "1");
		break;
	case 8 ... 9:
		puts_to(dir, sizes[rnd() % 5], some_size());
		break;
	case 10:
		snprintf(text, sizeof(text), "%luM", rnd() % 16);
		puts_to(dir, "memory.reclaim", text);
		break;
	case 11:
		puts_to(dir, "memory.oom.group", one_in(4) ? "1" : "0");
		break;
	case 12:
		/* Whoever else could thaw it may be in it: who has begun the round does. */
		puts_to(dir, "cgroup.freeze", one_in(4) ? "1" : "0");
		break;
	case 13:
		puts_to(dir, one_in(2) ? "cpuset.mems" : "cpuset.cpus", cpus[rnd() % 5]);
		break;
	case 14:
		change(dir, "cgroup.subtree_control", one_in(3) ? "-cpuset" : one_in(2) ? "+memory" : "+cpuset");
		break;
	case 15:
		puts_to(dir, "pids.max", one_in(2) ? "max" : "30");
		break;
	}
}

static void group_move(void)
{
	struct mate *m = any_mate();
	char text[16] = "0";

	if (m && one_in(2)) {
		snprintf(text, sizeof(text), "%d", m->pid);
		m->strict = false;
	}
	change(groups[rnd() % GROUPS], one_in(4) ? "cgroup.threads" : "cgroup.procs", text);
}

static void group_make(void)
{
	const char *dir = groups[rnd() % GROUPS];

	if (!begin_change())
		return;
	if (one_in(2)) {
		if (!mkdir(dir, 0755) && strstr(dir, "/t/"))
			puts_to(dir, "cgroup.type", "threaded");
	} else {
		rmdir(dir);
	}
	end_change();
}

static void some_swap(void)
{
	/* Pages come back for those whose memory it is, as their colors are then. */
	if (!begin_change())
		return;
	if (one_in(2))
		swapoff("/dev/vda");
	else
		swapon("/dev/vda", one_in(2) ? 0 : SWAP_FLAG_PREFER | 5);
	end_change();
}

static char map_text[4096];

static void sysfs(void)
{
	static const char * const maps[] = { "0x10", "0x2000,0x2000@", "0x2000@0-1:0", "0x", "@", "0x1000-", "0x3000,0x7000,0x0" };
	static const char * const limits[] = { "policies", "user_policies", "user_share", "users_share", "ahead" };
	char text[64];

	if (!begin_change())
		return;
	switch (rnd() % 6) {
	case 0:
		if (puts_to(DIR, "enabled", "0"))
			puts_to(DIR, "map", map_text);
		puts_to(DIR, "enabled", "1");
		break;
	case 1:
		puts_to(DIR, "map", maps[rnd() % 7]);
		break;
	case 2:
		puts_to(DIR, "cache_bits", one_in(2) ? "0-1" : some_list());
		break;
	case 3:
		snprintf(text, sizeof(text), "%lu", one_in(4) ? rnd() % 20 : rnd() % 20000);
		puts_to(DIR "limits", limits[rnd() % 5], text);
		break;
	case 4:
		snprintf(text, sizeof(text), "%s%d %s colors=%lu%s%s", one_in(3) ? "-" : "", one_in(2) ? MEMBER : NOBODY,
			 one_in(2) ? "/bin/color_calls" : "/bin/color_*", 1 + rnd() % 4, one_in(2) ? " strict" : "",
			 one_in(3) ? " private" : one_in(3) ? " ahead=64" : "");
		puts_to("/proc/page_color", "programs", text);
		break;
	case 5:
		puts_to("/proc/page_color", "programs", "99999999999 /x colors=0");
		break;
	}
	end_change();
}

static void read_files(void)
{
	static const char * const names[] = {
		"enabled", "map", "colors", "owned", "spilled", "cache_bits", "stats/indexed", "stats/ahead", "stats/reserved",
		"limits/policies",
	};
	static const char * const more[] = {
		"/sys/kernel/debug/page_color/zones", "/sys/kernel/debug/page_color/colors", "/proc/page_color/programs",
		"/proc/page_color/tasks", "/proc/self/page_colors", "/proc/self/smaps", "/proc/self/numa_maps", "/proc/pagetypeinfo",
		"/proc/zoneinfo", "/proc/vmstat",
	};
	static const char * const per_pid[] = { "page_colors", "smaps_rollup", "numa_maps", "maps", "status" };
	const struct mate *m = any_mate();
	char path[128], text[65536];

	switch (rnd() % 4) {
	case 0:
		get(DIR, names[rnd() % 10], text, sizeof(text));
		return;
	case 1:
		get(groups[rnd() % GROUPS], one_in(2) ? "cpuset.colors.effective" : "cpuset.colors", text, sizeof(text));
		return;
	case 2:
		read_file(more[rnd() % 10], text, sizeof(text));
		return;
	}
	if (m) {
		snprintf(path, sizeof(path), "/proc/%d/%s", m->pid, per_pid[rnd() % 5]);
		read_file(path, text, sizeof(text));
	}
}

/* In a child: it may be ended for want of such memory. */
static void special(int kind)
{
	pid_t pid = fork();
	size_t size = kind == HUGETLB ? 2 * MB : 16 * PAGE;
	char *mem = MAP_FAILED;
	int fd;

	if (pid > 0) {
		waitpid(pid, NULL, 0);
		return;
	}
	if (pid < 0)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGBUS, SIG_DFL);
	if (kind == HUGETLB) {
		if (roles[me] == ROOT)
			write_file("/proc/sys/vm/nr_hugepages", one_in(2) ? "2" : "0");
		mem = mmap(NULL, size, PROT_READ | PROT_WRITE, (one_in(2) ? MAP_PRIVATE : MAP_SHARED) | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	} else {
		fd = syscall(447 /* memfd_secret */, 0);
		if (fd >= 0 && !ftruncate(fd, size))
			mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	}
	if (mem == MAP_FAILED)
		_exit(0);
	for (size_t i = 0; i < size; i += PAGE)
		mem[i] = 1;
	set_some();
	prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_MIGRATE, mem, size, 0);
	for (size_t i = 0; i < size; i += PAGE)
		if (mem[i] != 1)
			fault("special memory has lost a byte");
	if (kind == HUGETLB && !fork()) {
		mem[0] = 2;
		_exit(0);
	}
	_exit(0);
}

static void knob(void)
{
	static const char * const knobs[][2] = {
		{ "/proc/sys/vm/compact_memory", "1" }, { "/proc/sys/vm/drop_caches", "1" }, { "/proc/sys/vm/drop_caches", "2" },
		{ "/sys/kernel/mm/ksm/run", "1" }, { "/sys/kernel/mm/ksm/run", "2" }, { "/sys/kernel/mm/ksm/run", "0" },
		{ "/proc/sys/kernel/numa_balancing", "1" }, { "/proc/sys/kernel/numa_balancing", "0" },
		{ "/sys/kernel/mm/transparent_hugepage/enabled", "always" }, { "/sys/kernel/mm/transparent_hugepage/enabled", "madvise" },
		{ "/sys/kernel/mm/transparent_hugepage/hugepages-64kB/enabled", "always" },
		{ "/sys/kernel/mm/transparent_hugepage/hugepages-64kB/enabled", "never" },
		{ "/proc/sys/vm/swappiness", "0" }, { "/proc/sys/vm/swappiness", "200" }, { "/proc/sys/vm/swappiness", "60" },
		{ "/proc/sys/vm/compact_unevictable_allowed", "0" }, { "/proc/sys/vm/compact_unevictable_allowed", "1" },
		{ "/proc/sys/vm/unprivileged_userfaultfd", "1" }, { "/sys/kernel/mm/lru_gen/enabled", "0" },
		{ "/sys/kernel/mm/lru_gen/enabled", "7" },
	};
	int n = rnd() % (sizeof(knobs) / sizeof(*knobs));

	/* Pages that KSM takes apart are of the colors that are set then. */
	if (!begin_change())
		return;
	write_file(knobs[n][0], knobs[n][1]);
	end_change();
}

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

static void become(enum role role)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct caps[2] = {};
	struct rlimit locked = { MB, MB };
	uid_t user = role == MAY ? MEMBER : NOBODY;

	setrlimit(RLIMIT_MEMLOCK, &locked);
	write_file("/proc/self/oom_score_adj", "500");
	/* The frames are shown to who opened it. */
	pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	if (role == ROOT)
		return;
	prctl(PR_SET_KEEPCAPS, role == MAY, 0, 0, 0);
	if (setresgid(user, user, user) || setresuid(user, user, user))
		fault("setresuid: %s", strerror(errno));
	caps[0].effective = caps[0].permitted = role == MAY ? 1 << CAP_SYS_NICE : 0;
	if (syscall(SYS_capset, &head, caps))
		fault("capset: %s", strerror(errno));
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
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

/* Pages in the zones, in the lists of the CPUs, and in slab, which has some of what is freed. */
static long free_pages(void)
{
	FILE *file;
	char line[256];
	long n = 0, one;

	write_file("/proc/sys/vm/drop_caches", "3");
	write_file("/proc/sys/vm/compact_memory", "1");
	sleep(2);
	file = fopen("/proc/zoneinfo", "r");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, " pages free %ld", &one) == 1 || sscanf(line, " count: %ld", &one) == 1 ||
		    sscanf(line, " nr_slab_reclaimable %ld", &one) == 1 || sscanf(line, " nr_slab_unreclaimable %ld", &one) == 1)
			n += one;
	if (file)
		fclose(file);
	return n;
}

static void thaw(void)
{
	for (int i = 0; i < GROUPS; i++)
		puts_to(groups[i], "cgroup.freeze", "0");
}

static const char * const saved_names[] = {
	DIR "limits/policies", DIR "limits/user_policies", DIR "limits/user_share", DIR "limits/users_share", DIR "limits/ahead",
	"/proc/sys/vm/swappiness", "/proc/sys/kernel/numa_balancing", "/proc/sys/vm/compact_unevictable_allowed",
};
#define SAVED	((int)(sizeof(saved_names) / sizeof(*saved_names)))
static char saved[SAVED][64];

/* One way of it per round; functions that depend on each other, ranges, colors that do not exist. */
static void set_map(void)
{
	static const char * const maps[] = {
		"0x2000,0x4000,0x8000,0x10000,0x20000,0x40000,0x80000,0x100000",
		"0x22000,0x44000,0x88000,0x110000,0x2000000",
		"0x1000,0x2000,0x80000,0x100000",
		"0x2000,0x4000,0x6000,0x8000,0x10000@0-0x40000000:0,0x40000000-0x100000000:0x40000000",
	};

	snprintf(map_text, sizeof(map_text), "%s", maps[round_now % 4]);
	if (!puts_to(DIR, "enabled", "0") || !puts_to(DIR, "map", map_text) || !puts_to(DIR, "enabled", "1"))
		fault("the map %s cannot be set: %s", map_text, strerror(errno));
	nr_masks = nr_ranges = 0;
	read_map();
}

/* The lower half of the colors, as far as they exist. */
static void lower_half(char *list, size_t size)
{
	char text[4096], *p = text;
	int n = 0;

	if (get(DIR, "colors", text, sizeof(text)) <= 0)
		fault("no colors");
	while (*p >= '0' && *p <= '9') {
		long from = strtol(p, &p, 10), to = from;

		if (*p == '-')
			to = strtol(p + 1, &p, 10);
		if (to >= nr_colors / 2)
			to = nr_colors / 2 - 1;
		if (from <= to)
			n += snprintf(list + n, size - n, "%s%ld-%ld", n ? "," : "", from, to);
		p += *p == ',';
	}
}

static void prepare(void)
{
	static const char * const given[MADE] = { "max", "max", "160M", "max" };
	char list[1024];

	set_map();
	if (!access("/dev/vda", F_OK) && swapon("/dev/vda", 0) && errno != EBUSY)
		fault("swapon: %s", strerror(errno));
	puts_to(TOP, "cgroup.subtree_control", "+cpuset +memory +pids");
	if (mkdir(ALL, 0755) || !puts_to(ALL, "memory.max", "600M") || !puts_to(ALL, "pids.max", "200") ||
	    !puts_to(ALL, "cgroup.subtree_control", "+cpuset +memory +pids"))
		fault("no cgroup: %s", strerror(errno));
	for (int i = 0; i < MADE; i++) {
		if (mkdir(groups[i], 0755))
			fault("no cgroup %s: %s", groups[i], strerror(errno));
		puts_to(groups[i], "memory.max", given[i]);
		puts_to(groups[i], "cgroup.subtree_control", "+cpuset");
	}
	/* Who has nothing else has the lower half to divide. */
	lower_half(list, sizeof(list));
	if (!puts_to(groups[2], "cpuset.colors", list))
		fault("colors for %s: %s", groups[2], strerror(errno));
	if (chown(groups[2], NOBODY, NOBODY) || chown(ALL "/d/cgroup.procs", NOBODY, NOBODY) ||
	    chown(ALL "/d/cgroup.subtree_control", NOBODY, NOBODY) || chown(ALL "/d/cgroup.threads", NOBODY, NOBODY))
		fault("chown: %s", strerror(errno));
}

/* All lines are taken out of the table of programs. */
static void clear_programs(void)
{
	char text[16384], line[1100], *at, *next;
	int user;

	if (read_file("/proc/page_color/programs", text, sizeof(text)) <= 0)
		return;
	for (at = text; *at; at = next) {
		char path[1024];

		next = strchrnul(at, '\n');
		if (*next)
			*next++ = '\0';
		if (sscanf(at, "%d %1023s", &user, path) == 2) {
			snprintf(line, sizeof(line), "-%d %s", user, path);
			puts_to("/proc/page_color", "programs", line);
		}
	}
}

/* Everything is killed wherever it is, and has to be gone soon. */
static void end_all(void)
{
	double begun = now();
	struct wait wait = {};
	char text[256];
	pid_t pid;

	if (!puts_to(ALL, "cgroup.kill", "1"))
		fault("cgroup.kill: %s", strerror(errno));
	for (;;) {
		while ((pid = waitpid(-1, NULL, WNOHANG | __WALL)) > 0)
			;
		if (pid < 0 && get(ALL, "cgroup.events", text, sizeof(text)) > 0 && strstr(text, "populated 0"))
			break;
		if (too_long(&wait, END_WITHIN)) {
			FILE *list = popen("for g in $(find " ALL " -name cgroup.procs); do cat $g; done", "r");

			while (list && fscanf(list, "%d", &pid) == 1)
				tell(pid);
			fault("not all have ended %.0f s after SIGKILL", now() - begun);
		}
	}
	note_end(begun);
}

static void clean(void)
{
	swapoff("/dev/vda");
	write_file("/proc/sys/vm/nr_hugepages", "0");
	write_file("/sys/kernel/mm/ksm/run", "2");
	write_file("/sys/kernel/mm/ksm/run", "0");
	write_file("/sys/kernel/mm/transparent_hugepage/enabled", "madvise");
	write_file("/sys/kernel/mm/transparent_hugepage/hugepages-64kB/enabled", "never");
	for (int i = 0; i < SAVED; i++)
		if (saved[i][0])
			write_file(saved_names[i], saved[i]);
	clear_programs();
	for (int tries = 0; tries < 500 && !access(ALL, F_OK); tries++) {
		for (int i = GROUPS - 1; i >= 0; i--)
			rmdir(groups[i]);
		rmdir(ALL);
		usleep(10000);
	}
	if (!access(ALL, F_OK))
		fault(ALL " is still there");
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
