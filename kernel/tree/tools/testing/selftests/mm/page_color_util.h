/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests of page coloring share: the map, read from sysfs and computed
 * a second time; colors of mapped pages from /proc/self/pagemap; TAP.
 */
#ifndef PAGE_COLOR_UTIL_H
#define PAGE_COLOR_UTIL_H

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "../kselftest.h"

#ifndef PR_PAGE_COLOR
#define PR_PAGE_COLOR		0x50434f4c
#define PR_PAGE_COLOR_COUNT	0
#define PR_PAGE_COLOR_SET	1
#define PR_PAGE_COLOR_GET	2
#define PR_PAGE_COLOR_CLEAR	3
#define PR_PAGE_COLOR_MIGRATE	4
#define PR_PAGE_COLOR_STRICT	1UL
#define PR_PAGE_COLOR_PRIVATE	2UL
#endif

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE	25
#endif

#define DIR		"/sys/kernel/mm/page_color/"
#define MAX_COLORS	4096
#define LONGS		(MAX_COLORS / 64)
#define MB		1048576UL

struct range {
	uint64_t start, end, base;
};

static uint64_t masks[16];
static struct range ranges[16];
static int nr_masks, nr_ranges, nr_colors;
static size_t page_size;
/* What the policies of the tests have: the lower half of the colors, one. */
static unsigned long half[LONGS], one[LONGS];

static inline bool has(const unsigned long *set, int c)
{
	return c >= 0 && set[c / 64] >> (c % 64) & 1;
}

static inline void add(unsigned long *set, int c)
{
	set[c / 64] |= 1UL << (c % 64);
}

/* All colors that are not in the set. */
static inline void add_rest(unsigned long *rest, const unsigned long *set)
{
	for (int c = 0; c < nr_colors; c++)
		if (!has(set, c))
			add(rest, c);
}

/* The other half is where a low bit of the address is the other. */
static inline void every_second(unsigned long *set)
{
	for (int c = 0; c < nr_colors; c += 2)
		add(set, c);
}

static inline size_t bytes(void)
{
	return (nr_colors + 63) / 64 * 8;
}

static inline int read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY), n;

	if (fd < 0)
		return -1;
	n = read(fd, text, size - 1);
	close(fd);
	if (n < 0)
		return -1;
	text[n] = '\0';
	return n;
}

/* Seconds since some time. */
static inline double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1000000000.0;
}

/* A counter of /proc/vmstat; -1 without it. */
static inline long vm_event(const char *name)
{
	static char text[65536];
	char key[64], *at;

	snprintf(key, sizeof(key), "\n%s ", name);
	if (read_file("/proc/vmstat", text, sizeof(text)) <= 0)
		return -1;
	at = strstr(text, key);
	return at ? strtol(at + strlen(key), NULL, 10) : -1;
}

/* Bytes of a node, of a line of its meminfo; -1 without it. */
static inline long node_info(int node, const char *key)
{
	FILE *file;
	char path[64], line[128], *at;
	long n = -1;

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/meminfo", node);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file)) {
		at = strstr(line, key);
		if (at)
			n = strtol(at + strlen(key), NULL, 10) * 1024;
	}
	if (file)
		fclose(file);
	return n;
}

static inline bool write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return ok;
}

/* Memory that was there at boot: arm64 never takes it offline. */
#ifdef __aarch64__
#define BOOT_MEMORY_STAYS	true
#else
#define BOOT_MEMORY_STAYS	false
#endif

/* How much kcompactd does by itself. */
#define PROACTIVE	"/proc/sys/vm/compaction_proactiveness"

/* Take a memory block offline by its file; 0 or the error. */
static inline int take_offline(const char *path)
{
	int fd = open(path, O_WRONLY), err = 0;

	if (fd < 0 || write(fd, "offline", 7) != 7)
		err = errno;
	if (fd >= 0)
		close(fd);
	return err;
}

static inline void read_map(void)
{
	char text[4096], *p = text;

	if (read_file(DIR "map", text, sizeof(text)) <= 1)
		ksft_exit_skip("no map in " DIR "map\n");
	do {
		masks[nr_masks++] = strtoull(p, &p, 0);
	} while (*p++ == ',');
	if (p[-1] == '@') {
		do {
			struct range *r = &ranges[nr_ranges++];

			r->start = strtoull(p, &p, 0);
			r->end = strtoull(p + 1, &p, 0);
			r->base = strtoull(p + 1, &p, 0);
		} while (*p++ == ',');
	}
	nr_colors = 1 << nr_masks;
}

static inline int color_of(uint64_t phys)
{
	int c = 0;

	for (int i = 0; i < nr_ranges; i++) {
		if (phys >= ranges[i].start && phys < ranges[i].end) {
			phys -= ranges[i].base;
			break;
		}
		if (i == nr_ranges - 1)
			return -1;
	}
	for (int i = 0; i < nr_masks; i++)
		c |= __builtin_parityll(phys & masks[i]) << i;
	return c;
}

struct count {
	long present, wrong, min, max;
};

/* A read that the compiler does not leave out. */
static inline char peek(const char *mem)
{
	char value = *mem;

	asm volatile("" : "+r" (value));
	return value;
}

/*
 * Entry of /proc/self/pagemap. What is being moved is not present, but looks
 * like swapped out: a read waits for the end of that.
 */
static inline uint64_t page_entry(int fd, const char *page, bool wait)
{
	uint64_t entry;

	for (int i = 0; i < 1000; i++) {
		if (pread(fd, &entry, 8, (uintptr_t)page / page_size * 8) != 8)
			ksft_exit_fail_msg("pagemap: %s\n", strerror(errno));
		if (!wait || entry >> 62 != 1)
			break;
		peek(page);
	}
	return entry;
}

/* The frame of each page of a mapping, 0 without one; the caller frees it. */
static inline uint64_t *frames_of(const char *mem, size_t size)
{
	uint64_t *frames = malloc(size / page_size * sizeof(*frames));
	int fd = open("/proc/self/pagemap", O_RDONLY);

	if (!frames || fd < 0)
		ksft_exit_fail_msg("pagemap: %s\n", strerror(errno));
	for (size_t i = 0; i < size / page_size; i++) {
		/* Others compact, too, and pages are on the move just now. */
		uint64_t entry = page_entry(fd, mem + i * page_size, true);

		frames[i] = entry >> 63 ? entry & ((1ULL << 55) - 1) : 0;
	}
	close(fd);
	return frames;
}

/*
 * Pages of a mapping by color; min and max are per color of the set. With
 * @wait pages that are being moved count as well.
 */
static inline struct count look(const void *mem, size_t size,
				const unsigned long *set, bool wait)
{
	static __thread long hist[MAX_COLORS];
	struct count n = { .min = -1 };
	int fd = open("/proc/self/pagemap", O_RDONLY);

	memset(hist, 0, sizeof(hist));
	for (size_t i = 0; i < size; i += page_size) {
		uint64_t entry = page_entry(fd, (const char *)mem + i, wait);
		int c;

		if (!(entry >> 63))
			continue;
		n.present++;
		c = color_of((entry & ((1ULL << 55) - 1)) * page_size);
		if (has(set, c))
			hist[c]++;
		else
			n.wrong++;
	}
	close(fd);
	for (int c = 0; c < nr_colors; c++) {
		if (!has(set, c))
			continue;
		if (n.min < 0 || hist[c] < n.min)
			n.min = hist[c];
		if (hist[c] > n.max)
			n.max = hist[c];
	}
	return n;
}

static inline int set_colors(const unsigned long *set, unsigned long flags)
{
	return prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_SET, set, bytes(), flags);
}

static inline char *map_pages(size_t size)
{
	char *mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED)
		ksft_exit_fail_msg("mmap: %s\n", strerror(errno));
	return mem;
}

static inline void touch(char *mem, size_t size, char value)
{
	for (size_t i = 0; i < size; i += page_size)
		mem[i] = value;
}

/* All pages present and right? */
static inline bool pure(const void *mem, size_t size, const unsigned long *set,
			const char *what)
{
	struct count n = look(mem, size, set, true);

	if (n.present == (long)(size / page_size) && !n.wrong)
		return true;
	ksft_print_msg("%s: %ld of %zu pages present, %ld of another color\n",
		       what, n.present, size / page_size, n.wrong);
	return false;
}

/* Those that are there and not on the move. */
static inline bool same(const char *mem, size_t size)
{
	struct count n = look(mem, size, half, false);

	if (n.wrong)
		ksft_print_msg("%ld of %ld pages of another color\n", n.wrong,
			       n.present);
	return n.present && !n.wrong;
}

/* The node of a page, negative without one. */
static inline int node_of(void *page)
{
	int status = -1;

	syscall(SYS_move_pages, 0, 1UL, &page, NULL, &status, 0);
	return status;
}

static inline bool stay_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return !sched_setaffinity(0, sizeof(set), &set);
}

/* The last CPU, which is of the last node. */
static inline void last_cpu(void)
{
	stay_on(sysconf(_SC_NPROCESSORS_ONLN) - 1);
}

/* Run a test in a process of its own, so that its colors go with it. */
static inline void run(const char *name, bool (*test)(void))
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(test() ? 0 : 1);
	if (waitpid(pid, &status, 0) != pid)
		ksft_exit_fail_msg("waitpid: %s\n", strerror(errno));
	ksft_test_result(!status, "%s\n", name);
}

static inline long read_long(const char *path)
{
	char text[64];

	return read_file(path, text, sizeof(text)) > 0 ? strtol(text, NULL, 10) : -1;
}

/* Free blocks of order 10 of all zones. */
static inline long large_blocks(void)
{
	char text[8192], *line;
	long n = 0;

	if (read_file("/proc/buddyinfo", text, sizeof(text)) < 0)
		return -1;
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		n += strtol(strrchr(line, ' ') ? line + strlen(line) - 7 : "0", NULL, 10);
	return n;
}

/* Pages on the lists of all CPUs. */
static inline long percpu_pages(void)
{
	FILE *file = fopen("/proc/zoneinfo", "r");
	char line[256];
	long n = 0, one;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, " count: %ld", &one) == 1)
			n += one;
	if (file)
		fclose(file);
	return n;
}

/* Colors that get an owner are taken from the lists of all CPUs. */
static inline void drain(void)
{
	if (!set_colors(half, 0))
		prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_CLEAR, 0, 0, 0);
}

static inline bool zones_are_right(void)
{
	char text[16384];

	/* What CPUs have counted is added up without the zone's lock: not while it is read. */
	read_long("/proc/sys/vm/stat_refresh");
	if (read_file("/sys/kernel/debug/page_color/zones", text, sizeof(text)) <= 0) {
		ksft_print_msg("no debugfs, free lists not checked\n");
		return true;
	}
	if (!strstr(text, "WRONG"))
		return true;
	ksft_print_msg("%s", text);
	return false;
}

static inline bool nobody_owns(void)
{
	char text[256] = "";

	/* Tasks give their colors back when they exit, cgroups a bit later. */
	for (int i = 0; i < 200; i++) {
		if (read_file(DIR "owned", text, sizeof(text)) > 0 &&
		    !strcmp(text, "\n"))
			return true;
		usleep(10000);
	}
	ksft_print_msg("owned: %s", text);
	return false;
}

/* Colors of the tests, and whether there are any. */
static inline void start(unsigned int tests)
{
	page_size = sysconf(_SC_PAGESIZE);
	read_map();
	for (int c = 0; c < nr_colors / 2; c++)
		add(half, c);
	add(one, 1);
	if (!tests)
		return;
	ksft_print_header();
	if (geteuid() || prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_COUNT, 0, 0, 0) < 0)
		ksft_exit_skip("needs root and page coloring switched on\n");
	ksft_set_plan(tests);
}

/* What not every kernel has is told if it is missing. */
#define HUGE_PAGES	"/sys/kernel/mm/transparent_hugepage/"
#define BALANCING	"/proc/sys/kernel/numa_balancing"

static inline bool is_there(const char *path, const char *what)
{
	if (!access(path, F_OK))
		return true;
	ksft_print_msg("not in this kernel: %s\n", what);
	return false;
}

/* The last two of most programs. */
static inline void end_tests(void)
{
	ksft_test_result(nobody_owns(), "colors are given back\n");
	ksft_test_result(zones_are_right(), "free lists and counters agree\n");
	ksft_finished();
}

#endif /* PAGE_COLOR_UTIL_H */
