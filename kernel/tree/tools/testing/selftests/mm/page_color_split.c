// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: PR_PAGE_COLOR_MIGRATE of large folios of files, mapped by single pages.
 * They are split for it, which unmaps them. What another process maps stays where it
 * is, and what was not moved is counted.
 *
 * Needs root, coloring switched on (/sys/kernel/mm/page_color/enabled), and huge pages.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mount.h>
#include "page_color_kinds.h"

/* Where a huge page begins in the file is not where a page table begins. */
#define SHIFT	(16 * page_size)
#define HUGE	(2 * MB)
#define USED	(300 * page_size)
#define ROUNDS	40

static bool own_tmpfs(void)
{
	return !unshare(CLONE_NEWNS) &&
	       !mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	       !mount("huge", "/tmp", "tmpfs", 0, "huge=always");
}

/* A file of one huge page, with words in it. */
static int huge_file(void)
{
	int fd = open("/tmp/page_color", O_RDWR | O_CREAT, 0600);
	char *fill = map_pages(HUGE);

	write_words(fill, HUGE);
	if (fd < 0 || unlink("/tmp/page_color") || ftruncate(fd, HUGE) ||
	    pwrite(fd, fill, HUGE, 0) != (ssize_t)HUGE)
		ksft_exit_fail_msg("no file: %s\n", strerror(errno));
	munmap(fill, HUGE);
	return fd;
}

static char *map_shifted(int fd, size_t at)
{
	char *area = mmap(NULL, 3 * HUGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *mem;

	mem = (char *)(((uintptr_t)area + HUGE - 1) & ~(HUGE - 1)) + SHIFT + at;
	return mmap(mem, HUGE - at, PROT_READ, MAP_SHARED | MAP_FIXED, fd, at);
}

static bool look_at_all(const char *mem, size_t size)
{
	for (size_t i = 0; i < size; i += page_size)
		peek(mem + i);
	return true;
}

/* Of a process with one color, which maps what another one uses as well. */
static int move_of_another(int fd)
{
	char *mem = map_shifted(fd, SHIFT);

	if (set_colors(one, PR_PAGE_COLOR_STRICT))
		return 0;
	/* The first pages after those with which the folio begins. */
	peek(mem);
	return move_to_colors(mem, HUGE - SHIFT) > 0 ? 1 : 2;
}

static bool test_others(void)
{
	uint64_t *before, *after;
	int fd, status, moved = 0;
	char *mem;
	pid_t pid;

	if (!own_tmpfs())
		return false;
	fd = huge_file();
	mem = map_shifted(fd, 0);
	look_at_all(mem, USED);
	before = frames_of(mem, USED);
	pid = fork();
	if (!pid) {
		munmap(mem, HUGE);
		_exit(move_of_another(fd));
	}
	waitpid(pid, &status, 0);
	after = frames_of(mem, USED);
	for (size_t i = 0; i < USED / page_size; i++)
		moved += before[i] != after[i];
	ksft_print_msg("%d of %zu pages moved, status %#x\n", moved, USED / page_size, status);
	return !moved && WIFEXITED(status) && WEXITSTATUS(status) == 1 &&
	       words_are_right(mem, USED, "of another");
}

static bool over;

static void *look_again(void *mem)
{
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED))
		look_at_all(mem, HUGE);
	return NULL;
}

/*
 * A thread maps the pages again all the while, which holds them for a moment, so some
 * folio is not split: it has been unmapped then.
 */
static bool test_fails(void)
{
	long failed = vm_event("thp_split_page_failed"), left = 0, wrong = 0;
	bool told = true;

	if (!own_tmpfs())
		return false;
	for (int i = 0; i < ROUNDS && told && vm_event("thp_split_page_failed") == failed; i++) {
		int fd = huge_file();
		char *mem = map_shifted(fd, 0);
		pthread_t thread;

		look_at_all(mem, HUGE);
		over = false;
		pthread_create(&thread, NULL, look_again, mem);
		usleep(10000);
		if (set_colors(one, 0))
			return false;
		left = move_to_colors(mem, HUGE);
		prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_CLEAR, 0, 0, 0);
		__atomic_store_n(&over, true, __ATOMIC_RELAXED);
		pthread_join(thread, NULL);
		look_at_all(mem, HUGE);
		wrong = look(mem, HUGE, one, true).wrong;
		told = left >= wrong && words_are_right(mem, HUGE, "moved");
		munmap(mem, HUGE);
		close(fd);
	}
	ksft_print_msg("%ld splits failed; %ld pages left, %ld of another color\n",
		       vm_event("thp_split_page_failed") - failed, left, wrong);
	return told;
}

int main(void)
{
	if (!is_there(HUGE_PAGES, "huge pages")) {
		start(2);
		end_tests();
	}
	start(4);
	run("a large folio of a file that another process maps", test_others);
	run("a large folio of a file that cannot be split", test_fails);
	end_tests();
}
