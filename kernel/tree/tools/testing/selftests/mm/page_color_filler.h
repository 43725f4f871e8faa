/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Page coloring: memory of one task that another fills.
 */
#ifndef PAGE_COLOR_FILLER_H
#define PAGE_COLOR_FILLER_H

#include "page_color_kinds.h"

#define SIZE	MB

/* Where and whose the memory is that is filled, and what it is filled by. */
static char *mem;
static pid_t owner;
static int fd;

static inline char *new_pages(void)
{
	char *pages = map_pages(SIZE);

	madvise(pages, SIZE, MADV_NOHUGEPAGE);
	return pages;
}

static inline char *words(void)
{
	char *from = new_pages();

	write_words(from, SIZE);
	return from;
}

/*
 * A task that has all the other colors, and no page of ours, fills the memory of
 * one that has ours and no page of another; nothing is spilled.
 */
static inline bool filled(bool (*fill)(void))
{
	long spilled;
	int status;
	pid_t pid;

	owner = getpid();
	if (set_colors(half, PR_PAGE_COLOR_STRICT))
		return false;
	spilled = read_long(DIR "spilled");
	pid = fork();
	if (!pid)
		_exit(set_colors(other_half(), PR_PAGE_COLOR_STRICT) || !fill());
	while (waitpid(pid, &status, 0) != pid)
		;
	spilled = read_long(DIR "spilled") - spilled;
	if (status || spilled)
		ksft_print_msg("status %#x, %ld pages spilled\n", status, spilled);
	return !status && !spilled;
}

static inline bool right(const char *what)
{
	return pure(mem, SIZE, half, what) && words_are_right(mem, SIZE, what);
}

#endif /* PAGE_COLOR_FILLER_H */
