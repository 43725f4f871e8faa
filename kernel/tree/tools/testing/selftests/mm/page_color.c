// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: which pages a task with colors gets, by kind of memory.
 *
 * Needs root, and coloring switched on (/sys/kernel/mm/page_color/enabled).
 */
#define _GNU_SOURCE
#include <pthread.h>
#include "page_color_blocks.h"

static bool test_arguments(void)
{
	unsigned long none[LONGS] = {};

	return prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_COUNT, 0, 0, 0) == nr_colors &&
	       prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_COUNT, 1, 0, 0) == -1 &&
	       prctl(PR_PAGE_COLOR, 77, 0, 0, 0) == -1 && errno == EINVAL &&
	       set_colors(none, 0) == -1 && errno == EINVAL &&
	       set_colors(half, 4) == -1 && errno == EINVAL &&
	       set_colors(NULL, 0) == -1 && errno == EFAULT &&
	       prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_SET, half, 0, 0) == -1 &&
	       prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_SET, half, 12, 0) == -1 &&
	       prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_SET, half, 1 << 20, 0) == -1 &&
	       prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_MIGRATE, 1, page_size, 0) == -1 &&
	       prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_MIGRATE, 0, page_size, 0) == -1 &&
	       errno == ENODATA;
}

static int get(unsigned long *got, size_t size)
{
	return prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_GET, got, size, 0);
}

/*
 * Bitmaps of any size, in 64-bit words: what they have more is cleared and must be
 * clear, what they have less may not be lost.
 */
static bool test_sizes(void)
{
	size_t least = (nr_colors / 2 + 63) / 64 * 8;
	unsigned long got[LONGS], more[LONGS] = {};
	bool ok = get(got, 8) == -1 && errno == ENODATA &&
		  !set_colors(half, PR_PAGE_COLOR_STRICT);

	for (size_t size = 0; size <= sizeof(got); size += 8) {
		memset(got, 0xff, sizeof(got));
		if (size < least)
			ok &= get(got, size) == -1 && errno == EINVAL && got[0] == ~0UL;
		else
			ok &= get(got, size) == PR_PAGE_COLOR_STRICT &&
			      !memcmp(got, half, size) &&
			      (size == sizeof(got) || got[size / 8] == ~0UL);
	}
	ok &= get(got, page_size + 8) == -1 && errno == E2BIG &&
	      get(got, 12) == -1 && errno == EINVAL && get(got, 4) == -1 && errno == EINVAL &&
	      get(NULL, least) == -1 && errno == EFAULT;
	/* From a program that knows more colors than the kernel. */
	ok &= !prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_SET, half, sizeof(half), 0) &&
	      !get(got, sizeof(got)) && !memcmp(got, half, sizeof(got));
	add(more, 1);
	more[LONGS - 1] = 1UL << 63;
	ok &= prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_SET, more, sizeof(more), 0) == -1 &&
	      errno == E2BIG && !get(got, sizeof(got)) && !memcmp(got, half, sizeof(got));
	return ok && !prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_CLEAR, 0, 0, 0);
}

#ifdef __x86_64__
/* A system call of 32-bit programs; its arguments are below 4 GiB. */
static long call32(long nr, long a, long b, long c, long d, long e)
{
	long result;

	asm volatile("int $0x80" : "=a" (result)
		     : "a" (nr), "b" (a), "c" (b), "d" (c), "S" (d), "D" (e)
		     : "memory", "r8", "r9", "r10", "r11");
	return (int)result;
}

/* What a 32-bit program has are the same words. */
static bool test_32_bit(void)
{
	unsigned long *words = mmap(NULL, page_size, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	long at = (long)words;

	if (words == MAP_FAILED)
		return false;
	memcpy(words, half, sizeof(half));
	if (call32(172, PR_PAGE_COLOR, PR_PAGE_COLOR_SET, at, sizeof(half),
		   PR_PAGE_COLOR_STRICT))
		return false;
	memset(words, 0xff, page_size);
	return call32(172, PR_PAGE_COLOR, PR_PAGE_COLOR_GET, at, sizeof(half), 0) ==
		PR_PAGE_COLOR_STRICT && !memcmp(words, half, sizeof(half)) &&
	       words[LONGS] == ~0UL;
}

/* Without the system calls of 32-bit programs the interrupt is a fault. */
static bool has_32_bit(void)
{
	int status;
	pid_t pid = fork();

	/* getpid(), which cannot fail. */
	if (!pid)
		_exit(call32(20, 0, 0, 0, 0, 0) <= 0);
	waitpid(pid, &status, 0);
	return !status;
}
#else
static bool test_32_bit(void)
{
	return false;
}

static bool has_32_bit(void)
{
	return false;
}
#endif

static bool test_privilege(void)
{
	if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534))
		return false;
	return set_colors(half, 0) == -1 && errno == EPERM &&
	       prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_COUNT, 0, 0, 0) == nr_colors;
}

static bool test_anonymous(void)
{
	char *mem = map_pages(32 * MB);
	struct count n;

	if (set_colors(half, PR_PAGE_COLOR_STRICT))
		return false;
	touch(mem, 32 * MB, 1);
	n = look(mem, 32 * MB, half, true);
	ksft_print_msg("%ld pages, %ld wrong, %ld to %ld per color\n",
		       n.present, n.wrong, n.min, n.max);
	return pure(mem, 32 * MB, half, "anonymous");
}

static bool test_one_color(void)
{
	char *mem = map_pages(4 * MB);

	if (set_colors(one, PR_PAGE_COLOR_STRICT))
		return false;
	touch(mem, 4 * MB, 1);
	return pure(mem, 4 * MB, one, "one color");
}

/* Freed and taken again, on this CPU and on another. */
static bool test_recycled(void)
{
	bool ok = true;

	if (set_colors(half, PR_PAGE_COLOR_STRICT))
		return false;
	for (int i = 0; i < 16; i++) {
		char *mem = map_pages(4 * MB);

		stay_on(i % sysconf(_SC_NPROCESSORS_ONLN));
		touch(mem, 4 * MB, 1);
		ok &= pure(mem, 4 * MB, half, "recycled");
		if (i % 3)
			madvise(mem + MB, MB, MADV_DONTNEED);
		touch(mem, 4 * MB, 2);
		ok &= pure(mem, 4 * MB, half, "after MADV_DONTNEED");
		munmap(mem, 4 * MB);
	}
	return ok;
}

static bool test_kinds(void)
{
	char *heap, *shm;
	char stack[MB];
	bool ok = true;
	size_t skip;
	int fd;

	if (set_colors(half, PR_PAGE_COLOR_STRICT))
		return false;

	heap = sbrk(0);
	skip = -(uintptr_t)heap % page_size;
	if (sbrk(skip + MB) == (void *)-1)
		return false;
	touch(heap + skip, MB, 1);
	ok &= pure(heap + skip, MB, half, "heap");

	/* Away from what was touched before the colors were set. */
	touch(stack, MB - 64 * 1024, 1);
	skip = -(uintptr_t)stack % page_size;
	ok &= pure(stack + skip, MB / 2, half, "stack");

	fd = memfd_create("page_color", 0);
	if (fd < 0 || ftruncate(fd, MB))
		return false;
	shm = mmap(NULL, MB, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	touch(shm, MB, 1);
	ok &= pure(shm, MB, half, "tmpfs");
	return ok;
}

static bool test_fork(void)
{
	char *mem = map_pages(4 * MB);
	int status;
	pid_t pid;

	if (set_colors(half, PR_PAGE_COLOR_STRICT))
		return false;
	touch(mem, 4 * MB, 1);
	pid = fork();
	if (!pid) {
		touch(mem, 4 * MB, 2);
		_exit(!pure(mem, 4 * MB, half, "child"));
	}
	waitpid(pid, &status, 0);
	touch(mem, 4 * MB, 3);
	return !status && pure(mem, 4 * MB, half, "parent");
}

static void *thread_body(void *arg)
{
	unsigned long *set = arg, own[LONGS] = {};
	char *mem = map_pages(MB);
	bool ok;

	/* What the creator had, */
	touch(mem, MB, 1);
	ok = pure(mem, MB, set, "inherited by a thread");
	/* and then the thread's own. */
	add(own, nr_colors - 1);
	if (set_colors(own, PR_PAGE_COLOR_STRICT))
		return NULL;
	mem = map_pages(MB);
	touch(mem, MB, 1);
	ok &= pure(mem, MB, own, "own of a thread");
	return ok ? arg : NULL;
}

static bool test_threads(void)
{
	char *mem = map_pages(MB);
	pthread_t thread;
	void *result;

	if (set_colors(half, PR_PAGE_COLOR_STRICT) ||
	    pthread_create(&thread, NULL, thread_body, half) ||
	    pthread_join(thread, &result) || !result)
		return false;
	touch(mem, MB, 1);
	return pure(mem, MB, half, "creator of a thread");
}

static bool test_exec(void)
{
	if (set_colors(half, PR_PAGE_COLOR_STRICT))
		return false;
	execl("/proc/self/exe", "page_color", "after-exec", NULL);
	return false;
}

static char data[64 * 4096] = "not bss";
static char bss[64 * 4096];

static int after_exec(void)
{
	char *mem = map_pages(MB);
	bool ok;

	touch(mem, MB, 1);
	touch(data, sizeof(data), 1);
	touch(bss, sizeof(bss), 1);
	ok = pure(mem, MB, half, "anonymous after exec");
	ok &= pure((char *)(((uintptr_t)data + page_size - 1) & -page_size),
		   sizeof(data) - page_size, half, "data after exec");
	ok &= pure((char *)(((uintptr_t)bss + page_size - 1) & -page_size),
		   sizeof(bss) - page_size, half, "bss after exec");
	return !ok;
}

static bool test_migrate(void)
{
	char *mem = map_pages(8 * MB);
	bool ok = true;
	int left;

	madvise(mem, 8 * MB, MADV_HUGEPAGE);
	for (size_t i = 0; i < 8 * MB; i += 8)
		*(uint64_t *)(mem + i) = i * 0x9e3779b97f4a7c15ULL;
	if (set_colors(half, PR_PAGE_COLOR_STRICT))
		return false;
	left = prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_MIGRATE, mem, 8 * MB, 0);
	if (left) {
		ksft_print_msg("%d pages not moved\n", left);
		ok = false;
	}
	for (size_t i = 0; i < 8 * MB; i += 8)
		ok &= *(uint64_t *)(mem + i) == i * 0x9e3779b97f4a7c15ULL;
	return pure(mem, 8 * MB, half, "migrated") && ok;
}

/* More than there is of one color: other colors, and counted. */
static bool test_spill(void)
{
	size_t all = sysconf(_SC_PHYS_PAGES) * page_size;
	size_t size = all / nr_colors / page_size / 4 * 5 * page_size;
	char *mem = map_pages(size);
	long before = read_long(DIR "spilled"), counted;
	struct count n;

	if (set_colors(one, 0))
		return false;
	madvise(mem, size, MADV_NOHUGEPAGE);
	touch(mem, size, 1);
	n = look(mem, size, one, true);
	counted = read_long(DIR "spilled") - before;
	ksft_print_msg("%ld of %zu pages, %ld wrong, %ld counted\n", n.present,
		       size / page_size, n.wrong, counted);
	/* The test itself needs a few: stack, bss. */
	return n.present == (long)(size / page_size) && n.wrong &&
	       n.wrong < n.present && counted >= n.wrong &&
	       counted <= n.wrong + 64;
}

/* The same in strict mode kills the task, and only the task. */
static bool test_strict(void)
{
	size_t size = sysconf(_SC_PHYS_PAGES) * page_size / nr_colors * 5 / 4;
	int status, other_status;
	pid_t pid, other;

	other = fork();
	if (!other) {
		/* A bigger one that the OOM killer would prefer. */
		char *mem = map_pages(2 * size);

		touch(mem, 2 * size, 1);
		pause();
	}
	pid = fork();
	if (!pid) {
		char *mem = map_pages(size);

		if (set_colors(one, PR_PAGE_COLOR_STRICT))
			_exit(1);
		madvise(mem, size, MADV_NOHUGEPAGE);
		touch(mem, size, 1);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	if (waitpid(other, &other_status, WNOHANG)) {
		ksft_print_msg("another task was killed\n");
		return false;
	}
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

int main(int argc, char **argv)
{
	struct in_use was;
	long before;

	if (argc > 1 && !strcmp(argv[1], "after-exec")) {
		start(0);
		return after_exec();
	}
	start(has_32_bit() ? 17 : 16);

	before = blocks_before(&was);

	run("arguments", test_arguments);
	run("bitmaps of any size", test_sizes);
	if (has_32_bit())
		run("bitmaps of 32-bit programs", test_32_bit);
	run("privilege", test_privilege);
	run("anonymous pages of half of the colors", test_anonymous);
	run("anonymous pages of one color", test_one_color);
	run("recycled pages", test_recycled);
	run("heap, stack, tmpfs", test_kinds);
	run("fork and copy on write", test_fork);
	run("threads", test_threads);
	run("exec", test_exec);
	run("migrate", test_migrate);
	run("spill", test_spill);
	run("strict", test_strict);
	ksft_test_result(nobody_owns(), "colors are given back\n");

	ksft_test_result(blocks_are_back(before, &was), "large blocks are back\n");
	ksft_test_result(zones_are_right(), "free lists and counters agree\n");
	ksft_finished();
}
