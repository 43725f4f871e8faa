// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: pages that KSM merged before their process got colors. KSM merges no
 * more of them, but knows those that it merged: so they can be taken apart, and moved.
 *
 * Needs root, coloring switched on (/sys/kernel/mm/page_color/enabled), and KSM.
 */
#define _GNU_SOURCE
#include "page_color_util.h"

#define KSM	"/sys/kernel/mm/ksm/"
#define PAGES	64UL

static size_t size;
static char *first, *second, *third;

/* As often as a scan may need: pages are looked at twice before they are merged. */
static bool scanned(int times)
{
	long until = read_long(KSM "full_scans") + times;

	for (int i = 0; i < 3000; i++) {
		if (read_long(KSM "full_scans") >= until)
			return true;
		usleep(10000);
	}
	ksft_print_msg("ksmd does not go on\n");
	return false;
}

/* One more process, so that ksmd has something to scan, whatever it forgets. */
static void keep_ksmd_busy(void)
{
	char *mem;

	if (fork())
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	mem = map_pages(page_size);
	*mem = 1;
	madvise(mem, page_size, MADV_MERGEABLE);
	for (;;)
		pause();
}

static void write_pages(char *mem, char with)
{
	for (size_t i = 0; i < size; i += page_size) {
		memset(mem + i, with, page_size);
		*(size_t *)(mem + i) = i;
	}
}

static char *pages(char with)
{
	char *mem = map_pages(size);

	write_pages(mem, with);
	return mem;
}

/*
 * How many pages of two mappings are the same frames. Compaction moves pages that are
 * merged: one moved after the first look and before the second has two.
 */
static int merged(const char *a, const char *b)
{
	bool moved;
	int n;

	do {
		uint64_t *before = frames_of(a, size), *of_b = frames_of(b, size);
		uint64_t *after = frames_of(a, size);

		moved = memcmp(before, after, PAGES * sizeof(*before));
		n = 0;
		for (size_t i = 0; i < PAGES; i++)
			n += after[i] && after[i] == of_b[i];
		free(before);
		free(of_b);
		free(after);
	} while (moved);
	return n;
}

static bool scan(void)
{
	/* Not what was looked at in vain for a while. */
	if (!access(KSM "smart_scan", F_OK) && !write_file(KSM "smart_scan", "0"))
		return false;
	return write_file(KSM "pages_to_scan", "5000") &&
	       write_file(KSM "sleep_millisecs", "10") && write_file(KSM "run", "1");
}

/* Two mappings that are alike, merged; then the process gets colors. */
static bool merge_and_color(void)
{
	unsigned long n;

	size = PAGES * page_size;
	keep_ksmd_busy();
	first = pages('a');
	second = pages('a');
	if (madvise(first, size, MADV_MERGEABLE) || madvise(second, size, MADV_MERGEABLE) ||
	    !scan() || !scanned(4))
		return false;
	n = merged(first, second);
	ksft_print_msg("%lu of %lu pages merged\n", n, PAGES);
	if (n != PAGES)
		return false;
	if (!set_colors(half, 0))
		return true;
	ksft_print_msg("no colors: %s\n", strerror(errno));
	return false;
}

/* They stay known, and none is merged any more. */
static bool test_known(void)
{
	long before, after;

	if (!merge_and_color())
		return false;
	before = read_long(KSM "pages_sharing");
	third = pages('a');
	if (madvise(third, size, MADV_MERGEABLE) || !scanned(4))
		return false;
	after = read_long(KSM "pages_sharing");
	ksft_print_msg("%ld pages are merged to others, then %ld\n", before, after);
	return before == PAGES && after == before && !merged(first, third) &&
	       pure(third, size, half, "not merged");
}

/* So KSM takes them apart, in the colors of the process. */
static bool test_apart(void)
{
	if (!merge_and_color() || !scanned(4) || !write_file(KSM "run", "2"))
		return false;
	ksft_print_msg("%d pages are still merged\n", merged(first, second));
	return !merged(first, second) && !read_long(KSM "pages_shared") &&
	       pure(first, size, half, "taken apart") && pure(second, size, half, "taken apart");
}

/* Nor does it forget the process: without colors its pages are merged again. */
static bool test_again(void)
{
	int before;

	if (!merge_and_color() || !scanned(4) ||
	    prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_CLEAR, 0, 0, 0))
		return false;
	write_pages(first, 'b');
	write_pages(second, 'b');
	before = merged(first, second);
	if (!scanned(4))
		return false;
	ksft_print_msg("%d pages merged when they were written to, then %d\n", before,
		       merged(first, second));
	return !before && merged(first, second) == PAGES;
}

int main(void)
{
	static const char * const files[] = {
		"run", "pages_to_scan", "sleep_millisecs", "smart_scan",
	};
	long values[4];
	char path[64], text[32];

	start(5);
	if (access(KSM "run", F_OK))
		ksft_exit_skip("no KSM\n");
	for (int i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), KSM "%s", files[i]);
		values[i] = read_long(path);
	}
	run("merged pages of a process that gets colors stay known", test_known);
	run("they are taken apart in its colors", test_apart);
	run("its pages are merged again without colors", test_again);
	/* What they had is gone with them; nothing stays merged. */
	write_file(KSM "run", "2");
	for (int i = 3; i >= 0; i--) {
		snprintf(path, sizeof(path), KSM "%s", files[i]);
		snprintf(text, sizeof(text), "%ld", values[i]);
		if (values[i] >= 0)
			write_file(path, text);
	}
	end_tests();
}
