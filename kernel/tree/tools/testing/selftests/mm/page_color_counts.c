// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: what the counters, the trace events and /proc/PID/page_colors
 * say, against what was done and what /proc/self/pagemap shows.
 *
 * Needs root, and coloring switched on (/sys/kernel/mm/page_color/enabled).
 */
#define _GNU_SOURCE
#include <linux/capability.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include "page_color_util.h"

#define TRACE	"/sys/kernel/tracing/"
#define STATS	DIR "stats/"

/* Sums of /sys/kernel/debug/page_color/colors for a set of colors. */
struct tally {
	long pages, free, user;
};

static bool tally(const unsigned long *set, struct tally *sum)
{
	FILE *file = fopen("/sys/kernel/debug/page_color/colors", "r");
	struct tally one;
	int color, lines = 0;

	*sum = (struct tally) {};
	if (!file)
		return false;
	while (fscanf(file, " node %*d zone %*s color %d pages %ld free %ld user %ld",
		      &color, &one.pages, &one.free, &one.user) == 4) {
		lines++;
		if (set && !has(set, color))
			continue;
		sum->pages += one.pages;
		sum->free += one.free;
		sum->user += one.user;
	}
	fclose(file);
	return lines;
}

static long mem_info(const char *key)
{
	FILE *file = fopen("/proc/meminfo", "r");
	char line[128];
	long n = -1;

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, key, strlen(key)))
			n = strtol(line + strlen(key), NULL, 10) * 1024 / page_size;
	if (file)
		fclose(file);
	return n;
}

/* Of pages that the task takes: used are its colors and no others. */
static bool pages_taken(char *mem, long size, const unsigned long *rest)
{
	struct tally all, mine, mine_later, others, others_later;
	long free_pages, n = size / page_size;

	madvise(mem, size, MADV_DONTNEED);
	drain();
	set_colors(half, PR_PAGE_COLOR_STRICT);
	/* What CPUs have counted, but not yet added. */
	write_file("/proc/sys/vm/stat_refresh", "1");
	free_pages = mem_info("MemFree:");
	if (!tally(NULL, &all) || !tally(half, &mine) || !tally(rest, &others))
		return false;
	touch(mem, size, 1);
	if (!tally(half, &mine_later) || !tally(rest, &others_later))
		return false;
	ksft_print_msg("free %ld (counted %ld); own: user %+ld, free %+ld; others: free %+ld\n",
		       free_pages, all.free, mine_later.user - mine.user,
		       mine_later.free - mine.free, others_later.free - others.free);
	/* A batch of a CPU is neither free nor used. */
	return labs(all.free - free_pages) <= 1024 && all.pages > all.free &&
	       mine.pages + others.pages <= all.pages &&
	       labs(mine_later.user - mine.user - n) <= 64 &&
	       labs(mine.free - mine_later.free - n) <= 256 &&
	       labs(others.free - others_later.free) <= 256;
}

/* Pages that a task takes show up as used, in its colors and no others. */
static bool test_pages_per_color(void)
{
	long size = 32 * MB;
	unsigned long rest[LONGS] = {};
	char *mem = map_pages(size);

	add_rest(rest, half);
	/* This starts a thread per CPU; not while pages are counted. */
	write_file("/proc/sys/vm/stat_refresh", "1");
	if (set_colors(half, PR_PAGE_COLOR_STRICT))
		return false;
	/* The tables of these pages, too. */
	touch(mem, size, 1);
	/* Meanwhile other CPUs may fill the lists that were drained, with 63 pages each. */
	for (int i = 0; i < 5; i++)
		if (pages_taken(mem, size, rest))
			return true;
	return false;
}

static long stat_of(const char *name)
{
	char path[96];

	snprintf(path, sizeof(path), STATS "%s", name);
	return read_long(path);
}

/* What comes from the index and what is carved is what tasks were given. */
static bool test_stats(void)
{
	static const char * const names[] = {
		"indexed", "split", "carved", "scanned", "scan_max", "claimed",
		"stolen", "missed", "kept", "stayed", "lost", "recolored",
		"evicted", "dropped", "found", "evict_looked", "evict_max",
	};
	long size = 16 * MB, n = size / page_size, given, split, recolored;
	char *mem = map_pages(size), *plain = map_pages(MB);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (stat_of(names[i]) < 0) {
			ksft_print_msg("no %s\n", names[i]);
			return false;
		}
	}
	madvise(plain, MB, MADV_NOHUGEPAGE);
	touch(plain, MB, 1);
	if (set_colors(half, PR_PAGE_COLOR_STRICT))
		return false;
	given = stat_of("indexed") + stat_of("carved");
	split = stat_of("split");
	touch(mem, size, 1);
	given = stat_of("indexed") + stat_of("carved") - given;
	split = stat_of("split") - split;
	recolored = stat_of("recolored");
	/* Pages that have a right color by chance stay. */
	n = look(plain, MB, half, true).wrong;
	if (prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_MIGRATE, plain, MB, 0))
		return false;
	recolored = stat_of("recolored") - recolored;
	ksft_print_msg("%ld given, %ld blocks split, %ld of %ld recolored\n",
		       given, split, recolored, n);
	return given >= size / (long)page_size &&
	       given <= size / (long)page_size + 256 && recolored == n;
}

/* The line "Colors:" of the mapping that starts at @mem. */
static bool mapping(const void *mem, char *text, size_t size)
{
	FILE *file = fopen("/proc/self/page_colors", "r");
	char start[32];
	bool found = false;

	snprintf(start, sizeof(start), "%08lx-", (unsigned long)mem);
	while (file && fgets(text, size, file)) {
		if (found)
			break;
		found = !strncmp(text, start, strlen(start));
	}
	if (file)
		fclose(file);
	return found && !strncmp(text, "Colors: ", 8);
}

/* The view of a mapping against pagemap, page by page. */
static bool test_mapping(void)
{
	long hist[MAX_COLORS] = {}, pages, own, anon, large, n, seen = 0;
	char *mem, text[65536], *p;
	int at, color;

	/* Between pages without access, so that nothing is merged with it. */
	mem = map_pages(6 * MB) + MB;
	mprotect(mem - MB, MB, PROT_NONE);
	mprotect(mem + 4 * MB, MB, PROT_NONE);
	madvise(mem, 4 * MB, MADV_NOHUGEPAGE);
	/* One MiB before there are colors. */
	touch(mem, MB, 1);
	if (set_colors(half, PR_PAGE_COLOR_STRICT))
		return false;
	touch(mem + MB, 2 * MB, 1);
	if (!mapping(mem, text, sizeof(text)) ||
	    sscanf(text, "Colors: pages %ld own %ld anon %ld large %ld%n",
		   &pages, &own, &anon, &large, &at) != 4)
		return false;
	for (int c = 0; c < nr_colors; c++) {
		unsigned long set[LONGS] = {};

		add(set, c);
		hist[c] = look(mem, 3 * MB, set, true).max;
	}
	for (p = text + at; sscanf(p, " %d:%ld%n", &color, &n, &at) == 2; p += at) {
		if (color < 0 || color >= nr_colors || hist[color] != n)
			return false;
		seen += n;
		if (p[at] == ',')
			at++;
	}
	ksft_print_msg("%ld pages, %ld own, %ld by color\n", pages, own, seen);
	return pages == 3 * (long)(MB / page_size) && anon == pages && !large &&
	       own == pages - look(mem, 3 * MB, half, true).wrong &&
	       seen == pages;
}

static bool test_mapping_privilege(void)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (access("/proc/self/page_colors", R_OK))
		return false;
	/* Root, but without the capability. */
	if (syscall(SYS_capget, &header, data))
		return false;
	data[0].effective &= ~(1U << CAP_SYS_ADMIN);
	if (syscall(SYS_capset, &header, data))
		return false;
	return open("/proc/self/page_colors", O_RDONLY) < 0 && errno == EPERM;
}

static bool trace(const char *file, const char *text)
{
	char path[96];

	snprintf(path, sizeof(path), TRACE "%s", file);
	return write_file(path, text);
}

#define MIGRATE_EVENT \
	"page_color_migrate: from=%lx to=%lx from_color=%d to_color=%d"

/* Events of this process in the trace, and how many of them are as expected. */
struct seen {
	long alloc, wrong, split, taken, migrate, spill;
};

static void read_trace(struct seen *n)
{
	FILE *file = fopen(TRACE "trace", "r");
	char line[256], me[32];

	*n = (struct seen) {};
	snprintf(me, sizeof(me), "-%d ", getpid());
	while (file && fgets(line, sizeof(line), file)) {
		unsigned long pfn, to;
		int color, to_color, order, taken;
		char *p;

		if (!strstr(line, me))
			continue;
		/* Behind the name of the program, which begins like this, too. */
		p = strstr(line, ": page_color_");
		if (!p)
			continue;
		p += 2;
		if (sscanf(p, "page_color_alloc: pfn=%lx color=%d", &pfn, &color) == 2) {
			n->alloc++;
			n->wrong += !has(half, color) ||
				    color_of(pfn * page_size) != color;
		} else if (sscanf(p, "page_color_split: pfn=%*x order=%d taken=%d",
				  &order, &taken) == 2) {
			n->split++;
			n->taken += taken;
			n->wrong += taken < 1 || taken > 1 << order;
		} else if (sscanf(p, MIGRATE_EVENT, &pfn, &to, &color,
				  &to_color) == 4) {
			n->migrate++;
			n->wrong += color_of(pfn * page_size) != color ||
				    color_of(to * page_size) != to_color ||
				    !has(half, to_color);
		} else if (strstr(p, "page_color_spill: ")) {
			n->spill++;
		}
	}
	if (file)
		fclose(file);
}

static bool test_trace(void)
{
	size_t size = 4 * MB, n = size / page_size;
	char *mem = map_pages(size), *plain = map_pages(MB);
	struct seen seen;
	long moved;

	if (access(TRACE "trace", F_OK) &&
	    mount("trace", "/sys/kernel/tracing", "tracefs", 0, NULL)) {
		ksft_print_msg("no tracefs\n");
		return false;
	}
	madvise(plain, MB, MADV_NOHUGEPAGE);
	touch(plain, MB, 1);
	if (set_colors(half, PR_PAGE_COLOR_STRICT))
		return false;
	moved = look(plain, MB, half, true).wrong;
	if (!trace("buffer_size_kb", "4096") || !trace("trace", "\n") ||
	    !trace("events/page_color/enable", "1"))
		return false;
	touch(mem, size, 1);
	if (prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_MIGRATE, plain, MB, 0))
		return false;
	trace("events/page_color/enable", "0");
	read_trace(&seen);
	trace("trace", "\n");
	ksft_print_msg("%ld allocated, %ld split, %ld migrated, %ld spilled, %ld wrong\n",
		       seen.alloc, seen.split, seen.migrate, seen.spill, seen.wrong);
	return seen.alloc >= (long)n + moved && seen.alloc <= (long)n + moved + 64 &&
	       seen.migrate == moved && !seen.spill && !seen.wrong &&
	       pure(mem, size, half, "traced");
}

int main(void)
{
	start(7);

	run("pages per color", test_pages_per_color);
	run("counters", test_stats);
	run("colors of a mapping", test_mapping);
	run("colors of a mapping are for the privileged", test_mapping_privilege);
	run("trace events", test_trace);
	end_tests();
}
