/* SPDX-License-Identifier: GPL-2.0-only */
/* What all files of color_calls.c share: what pages have, actors and their roles, the kinds of steps. */

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
	int entered;		/* Actors that are in their cgroups. */
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
