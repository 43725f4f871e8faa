/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reserved pages of one node: how many there are, and what the node has.
 */
#ifndef PAGE_COLOR_RESERVED_H
#define PAGE_COLOR_RESERVED_H

#include <sys/syscall.h>
#include "page_color_util.h"

#ifndef PR_PAGE_COLOR_RESERVE
#define PR_PAGE_COLOR_RESERVE	6
#endif

#define STATS		DIR "stats/"
#define BOOST		"/proc/sys/vm/watermark_boost_factor"
#define FRACTION	"/proc/sys/vm/percpu_pagelist_high_fraction"
/* All of it is on one node, so that there is less to fill. */
#define NODE		1
/* A task that waits has faults for its stack and data, too. */
#define OWN		64L

/* Pages that are reserved, less than the node has of one color. */
static long many = 1500;

/* What the machine had before the tests. */
static char boost[64], fraction[64];

static inline long reserve(unsigned long pages)
{
	long n = prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_RESERVE, pages, 0, 0);

	return n < 0 ? -errno : n;
}

static inline long reserved(void)
{
	return read_long(STATS "reserved");
}

static inline long held(void)
{
	return read_long(STATS "reserve_held");
}

/*
 * So many are reserved in all, and free but for what the test itself has used.
 * Those of tasks that have exited go a bit later.
 */
static inline bool is_reserved(long pages)
{
	for (int i = 0; i < 200; i++) {
		if (reserved() == pages && held() <= pages && held() >= pages - OWN)
			return true;
		usleep(10000);
	}
	ksft_print_msg("%ld pages reserved, %ld held, not %ld\n", reserved(), held(),
		       pages);
	return false;
}

/* A number of the node's zone in /proc/zoneinfo; of the last that has pages. */
static inline long zone_number(const char *key)
{
	long n = -1, value = -1, managed;
	char line[256];
	FILE *file;
	int node = -1;

	/* What CPUs have counted and not added yet. */
	read_long("/proc/sys/vm/stat_refresh");
	file = fopen("/proc/zoneinfo", "r");
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "Node %d, zone", &node) == 1 || node != NODE)
			continue;
		if (strstr(line, key))
			value = strtol(strstr(line, key) + strlen(key), NULL, 10);
		/* It follows the numbers that are asked for. */
		if (sscanf(line, " managed %ld", &managed) == 1 && managed)
			n = value;
	}
	if (file)
		fclose(file);
	return n;
}

/* Stay on a CPU of the node. */
static inline bool go_to_node(void)
{
	unsigned int cpu, node;

	for (int i = 0; i < sysconf(_SC_NPROCESSORS_ONLN); i++)
		if (stay_on(i) && !syscall(SYS_getcpu, &cpu, &node, NULL) && node == NODE)
			return true;
	ksft_print_msg("no CPU on node %d\n", NODE);
	return false;
}

/*
 * Watermarks that rise meanwhile, and thousands of pages that a CPU takes at
 * once and gives back later, kill who stops a bit above, or make room.
 */
static inline void begin(unsigned int tests)
{
	long managed;

	start(tests);
	managed = zone_number("managed ");
	if (managed < 0)
		ksft_exit_skip("no node %d\n", NODE);
	if (many > managed / nr_colors * 3 / 4)
		many = managed / nr_colors * 3 / 4;
	if (read_file(BOOST, boost, sizeof(boost)) <= 0 || !write_file(BOOST, "0") ||
	    read_file(FRACTION, fraction, sizeof(fraction)) <= 0 ||
	    !write_file(FRACTION, "4000"))
		ksft_exit_fail_msg("no " BOOST " or " FRACTION "\n");
}

/* Two checks. */
static inline void end(void)
{
	write_file(BOOST, boost);
	write_file(FRACTION, fraction);
	ksft_test_result(nobody_owns() && is_reserved(0),
			 "nothing is reserved, nobody owns colors\n");
	ksft_test_result(zones_are_right(), "free lists and counters agree\n");
}

#endif /* PAGE_COLOR_RESERVED_H */
