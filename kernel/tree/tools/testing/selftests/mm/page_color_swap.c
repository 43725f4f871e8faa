// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: pages of its colors are reclaimed before a strict task is killed,
 * and every byte of them is right afterwards.
 *
 * Needs root, coloring switched on (/sys/kernel/mm/page_color/enabled), a disk to
 * swap to of 256 MiB or more, /dev/vda, which is overwritten, and a file system of
 * type ext2 on /dev/vdb.
 */
#define _GNU_SOURCE
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include "page_color_swap.h"

#define FILES	"/dev/vdb"
/* What is in swap when that is taken away. */
#define SWAPPED	MB

/* More than the colors have, by a quarter, as in the attack that found it missing. */
static bool test_swap(void)
{
	long reclaimed = read_long(STATS "reclaimed");
	long looked = read_long(STATS "reclaim_looked");
	size_t size = own_size / 4 * 5;
	double begun = now();
	int status;

	if (!swap_on(256 * MB))
		return false;
	status = strict_task(size, 1);
	reclaimed = read_long(STATS "reclaimed") - reclaimed;
	looked = read_long(STATS "reclaim_looked") - looked;
	ksft_print_msg("%zu of %zu MiB, %ld reclaimed, %ld frames looked at, %.1f s\n",
		       size / MB, own_size / MB, reclaimed, looked, now() - begun);
	return was_right(status) && reclaimed >= (long)((size - own_size) / page_size);
}

/* Each page is written to swap and read again, more than once. */
static bool test_cycle(void)
{
	long in = vm_event("pswpin"), out = vm_event("pswpout");
	long reclaimed = read_long(STATS "reclaimed");
	long looked = read_long(STATS "reclaim_looked");
	double begun = now();
	int status = strict_task(2 * own_size, 2);

	reclaimed = read_long(STATS "reclaimed") - reclaimed;
	looked = read_long(STATS "reclaim_looked") - looked;
	in = vm_event("pswpin") - in;
	out = vm_event("pswpout") - out;
	ksft_print_msg("%ld swapped in, %ld out, %ld reclaimed, %ld frames looked at, %.1f s\n",
		       in, out, reclaimed, looked, now() - begun);
	return was_right(status) && in > (long)(own_size / page_size) &&
	       out > (long)(2 * own_size / page_size);
}

/* With random accesses by two processes that share the pages copied on write. */
static bool test_shared(void)
{
	size_t size = own_size, pages = size / page_size;
	char *mem = small_pages(size);
	long wrong;
	int status;
	bool ok;

	if (set_colors(own, PR_PAGE_COLOR_STRICT))
		return false;
	for (size_t i = 0; i < pages; i++)
		fill(mem, i, 0);
	fflush(stdout);
	if (!fork()) {
		for (size_t i = 0; i < pages; i += 2)
			fill(mem, i, 1);
		for (size_t i = 0; i < pages; i++)
			if (!is_right(mem, i, !(i % 2)))
				_exit(1);
		_exit(0);
	}
	for (size_t i = 0; i < pages; i += 3)
		fill(mem, i, 2);
	wait(&status);
	ok = was_right(status);
	for (size_t i = 0; i < pages && ok; i++)
		ok = is_right(mem, i, i % 3 ? 0 : 2);
	wrong = look(mem, size, own, false).wrong;
	if (wrong)
		ksft_print_msg("%ld pages of other colors\n", wrong);
	return ok && !wrong;
}

/* Locked memory is not swapped out: the task is killed as if there was no swap. */
static bool test_locked(void)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		char *mem = small_pages(own_size / 4 * 5);

		if (set_colors(own, PR_PAGE_COLOR_STRICT) || mlockall(MCL_FUTURE | MCL_CURRENT))
			_exit(3);
		_exit(!mlock(mem, own_size / 4 * 5));
	}
	waitpid(pid, &status, 0);
	return was_killed(status);
}

/* No swap, or too little: the strict task is killed, a bigger one is not. */
static bool kill_it(size_t size)
{
	int status;
	pid_t big;
	bool ok;

	fflush(stdout);
	big = fork();
	if (!big) {
		char *mem = map_pages(3 * own_size);

		touch(mem, 3 * own_size, 1);
		pause();
	}
	status = strict_task(size, 1);
	ok = !waitpid(big, NULL, WNOHANG);
	if (!ok)
		ksft_print_msg("another task was killed\n");
	kill(big, SIGKILL);
	waitpid(big, NULL, 0);
	return ok && was_killed(status);
}

static bool test_full(void)
{
	bool ok;

	swapoff(SWAP);
	ok = swap_on(MB) && kill_it(own_size / 4 * 5);
	swapoff(SWAP);
	return ok;
}

static bool test_none(void)
{
	return kill_it(own_size / 4 * 5);
}

/* All other colors have an owner, so that nothing can be moved to them. */
static pid_t own_rest(void)
{
	unsigned long rest[LONGS] = {};
	pid_t pid = fork();
	char c;
	int fds[2];

	add_rest(rest, own);
	if (pid)
		return pid;
	if (set_colors(rest, 0) || pipe(fds))
		_exit(1);
	_exit(read(fds[0], &c, 1));
}

/*
 * Page cache that is dirty is written, then dropped: files may be larger than the
 * colors, without any swap.
 */
static bool cache(bool mapped)
{
	size_t size = own_size / 2 * 3, pages = size / page_size;
	static char page[65536];
	double begun = now();
	char *mem = NULL;
	bool ok = true;
	pid_t pid, owner;
	int fd, status;

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount(FILES, "/tmp", "ext2", 0, NULL))
		ksft_exit_fail_msg("no ext2 on " FILES ": %s\n", strerror(errno));
	fd = open("/tmp/page_color", O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || unlink("/tmp/page_color") || ftruncate(fd, size))
		return false;
	owner = own_rest();
	usleep(500000);
	pid = fork();
	if (!pid) {
		if (set_colors(own, PR_PAGE_COLOR_STRICT))
			_exit(2);
		if (mapped) {
			mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
			for (size_t i = 0; i < pages; i++)
				fill(mem, i, 5);
			_exit(0);
		}
		for (size_t i = 0; i < pages; i++) {
			/* As if it was the first page. */
			for (size_t at = 0; at < page_size / 8; at += 16)
				((uint64_t *)page)[at] = word(i, 5) + at;
			if (pwrite(fd, page, page_size, i * page_size) != (ssize_t)page_size)
				_exit(3);
		}
		_exit(0);
	}
	waitpid(pid, &status, 0);
	kill(owner, SIGKILL);
	waitpid(owner, NULL, 0);
	ksft_print_msg("%zu MiB written, %.1f s\n", size / MB, now() - begun);
	mem = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	for (size_t i = 0; i < pages && ok && !status; i++)
		ok = is_right(mem, i, 5);
	return was_right(status) && ok;
}

static bool test_written(void)
{
	return cache(false);
}

static bool test_mapped(void)
{
	return cache(true);
}

/*
 * A page that was swapped out while a pipe has it, as a device would. A strict task that
 * wants other colors from then on gets this one, not a copy: what is written to it is in
 * the pipe.
 */
static bool test_referenced(void)
{
	static const char before[] = "before", after[] = "after";
	char *page = small_pages(page_size), got[16] = "";
	unsigned long rest[LONGS] = {};
	struct iovec iov = { page, page_size };
	int fds[2];

	add_rest(rest, own);
	if (set_colors(rest, PR_PAGE_COLOR_STRICT))
		return false;
	memcpy(page, before, sizeof(before));
	if (!pure(page, page_size, rest, "in the other colors") || pipe(fds) ||
	    vmsplice(fds[1], &iov, 1, 0) != (ssize_t)page_size)
		return false;
	if (madvise(page, page_size, MADV_PAGEOUT) ||
	    look(page, page_size, rest, false).present) {
		ksft_print_msg("the page is not swapped out\n");
		return false;
	}
	if (set_colors(own, PR_PAGE_COLOR_STRICT))
		return false;
	memcpy(page, after, sizeof(after));
	if (read(fds[0], got, sizeof(got) - 1) < 0)
		return false;
	ksft_print_msg("written '%s', in the pipe '%s'\n", page, got);
	return !strcmp(got, after);
}

/*
 * Has pages written to swap until none of them is in memory: what was written waits in
 * the swap cache otherwise, where swapoff finds it in the colors that it had. One that
 * is mapped again is clean, and then dropped at once, but for those that wait in a list
 * of the CPU that wrote them, which is emptied before caches are dropped.
 */
static bool swap_out(char *mem, size_t size)
{
	size_t pages = size / page_size, cached = pages;
	unsigned char in[pages];

	for (int tries = 0; tries < 50 && cached; tries++) {
		if (tries) {
			usleep(20000);
			write_file("/proc/sys/vm/drop_caches", "1");
		}
		if (madvise(mem, size, MADV_PAGEOUT) || mincore(mem, size, in))
			return false;
		cached = 0;
		for (size_t i = 0; i < pages; i++) {
			if (!(in[i] & 1))
				continue;
			cached++;
			peek(mem + i * page_size);
		}
	}
	if (cached)
		ksft_print_msg("%zu of %zu pages are still in memory\n", cached, pages);
	return !cached;
}

/* A child that has memory in swap, and all memory of its colors locked. */
static pid_t locked_child(void)
{
	size_t most = own_size / 4 * 5, had = 0, some = SWAPPED;
	int status, fd;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid) {
		waitpid(pid, &status, WUNTRACED);
		return WIFSTOPPED(status) ? pid : -1;
	}
	char *swapped, *mem;

	/* What it runs is in tmpfs, and not to be swapped out. */
	if (mlockall(MCL_CURRENT))
		_exit(1);
	swapped = small_pages(some);
	mem = small_pages(most);
	touch(swapped, some, 3);
	if (!swap_out(swapped, some) || set_colors(own, PR_PAGE_COLOR_STRICT))
		_exit(1);
	fd = open("/proc/self/mem", O_RDWR);
	if (syscall(SYS_mlock2, mem, most, 1))
		_exit(1);
	/* Such writes fail where faults would have it killed. */
	while (had < most && pwrite(fd, "x", 1, (uintptr_t)mem + had) == 1)
		had += page_size;
	kill(getpid(), SIGSTOP);
	for (size_t i = 0; i < some; i += page_size)
		if (swapped[i] != 3)
			_exit(2);
	_exit(had == most);
}

/* The administrator takes the swap away. It goes to pages of other colors. */
static bool test_swapoff(void)
{
	long spilled = read_long(DIR "spilled"), pages = SWAPPED / page_size;
	int status, err;
	pid_t pid;

	if (!swap_on(256 * MB))
		return false;
	pid = locked_child();
	if (pid < 0) {
		ksft_print_msg("no process whose colors are used up\n");
		swapoff(SWAP);
		return false;
	}
	err = swapoff(SWAP) ? errno : 0;
	spilled = read_long(DIR "spilled") - spilled;
	ksft_print_msg("swapoff: %s, %ld of %ld pages of other colors\n", strerror(err), spilled,
		       pages);
	kill(pid, SIGCONT);
	waitpid(pid, &status, 0);
	swapoff(SWAP);
	return !err && was_right(status) && spilled > pages / 4 * 3;
}

/* Four passes through the frames of the colors, and as often as it waits for disks. */
static bool test_bound(void)
{
	long most = read_long(STATS "reclaim_max"), frames = own_size / page_size;

	ksft_print_msg("%ld frames looked at for one page, the colors have %ld\n", most,
		       frames);
	return most > 0 && most <= frames * 2 * (4 + 16);
}

int main(void)
{
	struct stat st;

	start_swap(13);
	if (stat(FILES, &st))
		ksft_exit_skip("needs " FILES "\n");
	run("a strict task without swap is killed", test_none);
	run("and with too little", test_full);
	run("a strict task is swapped before it is killed", test_swap);
	run("twice as much as the colors have, again and again", test_cycle);
	run("pages that are copied on write", test_shared);
	run("locked pages stay", test_locked);
	run("a page that somebody else has a reference to", test_referenced);
	swapoff(SWAP);
	run("swapoff beside colors that are used up", test_swapoff);
	run("files that are written", test_written);
	run("files that are mapped", test_mapped);
	ksft_test_result(test_bound(), "work is bounded\n");
	end_tests();
}
