// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: calls by mmap(), one per color (CONFIG_PAGE_COLOR_TINT).
 *
 * Usage: page_color_tint            needs root, and coloring switched on
 *        page_color_tint absent     succeeds if the kernel does not know the calls
 */
#define _GNU_SOURCE
#include <pthread.h>
#include "../../../../include/uapi/linux/page_color.h"
#include "page_color_util.h"

#define BITS		DIR "cache_bits"
#define PROGRAMS	"/proc/page_color/programs"
#define RW		(PROT_READ | PROT_WRITE)
#define ANON		(MAP_PRIVATE | MAP_ANONYMOUS)
#define SIZE		MB

/* Returns what the call says, or less than 0: the error. */
static long call(unsigned long arg)
{
	void *result = mmap((void *)arg, 0, RW | PAGE_COLOR_PROT, ANON, -1, 0);

	return result == MAP_FAILED ? -errno : (long)result;
}

/* The kernel's answer is asked for in the same way by every program. */
static bool known(void)
{
	return call(PAGE_COLOR_VERSION) == PAGE_COLOR_CALLS_VERSION;
}

/* What prctl() says of the thread's colors; -ENODATA if it has none. */
static long colors_of(unsigned long *set)
{
	long flags;

	memset(set, 0, LONGS * 8);
	for (size_t size = 8; size <= LONGS * 8; size += 8) {
		flags = prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_GET, set, size, 0);
		if (flags >= 0 || errno != EINVAL)
			return flags < 0 ? -errno : flags;
	}
	return -EINVAL;
}

static bool none(void)
{
	unsigned long set[LONGS];

	return colors_of(set) == -ENODATA;
}

static bool exists(const unsigned long *set)
{
	for (int i = 0; i < LONGS; i++) {
		if (set[i])
			return true;
	}
	return false;
}

/* Are the thread's colors these, and new pages of them? */
static bool have(const unsigned long *set, long flags)
{
	unsigned long now[LONGS];
	long got = colors_of(now);
	char *mem;
	bool ok;

	if (got != flags || memcmp(now, set, sizeof(now))) {
		ksft_print_msg("flags %ld for %ld, colors %#lx... for %#lx...\n",
			       got, flags, now[0], set[0]);
		return false;
	}
	mem = map_pages(SIZE);
	madvise(mem, SIZE, MADV_NOHUGEPAGE);
	touch(mem, SIZE, 1);
	ok = pure(mem, SIZE, set, "new pages");
	munmap(mem, SIZE);
	return ok;
}

static bool switched(const char *on)
{
	return write_file(DIR "enabled", on);
}

/* The number that some bits of a color are: the second implementation. */
static int part(int c, unsigned long bits)
{
	int value = 0, place = 0;

	for (; bits; bits >>= 1, c >>= 1) {
		if (bits & 1)
			value |= (c & 1) << place++;
	}
	return value;
}

static bool test_version(void)
{
	bool ok = known() && call(PAGE_COLOR_COUNT) == nr_colors && switched("0");

	ok &= known() && call(PAGE_COLOR_COUNT) == -EOPNOTSUPP &&
	      call(PAGE_COLOR_SET | 1) == -EOPNOTSUPP &&
	      call(PAGE_COLOR_CLEAR) == -EOPNOTSUPP &&
	      call(PAGE_COLOR_USER | 1) == -EOPNOTSUPP && call(0) == -EINVAL;
	return switched("1") && ok && none();
}

static bool test_whole(void)
{
	unsigned long set[LONGS] = {};
	bool ok;

	add(set, 1);
	ok = !call(PAGE_COLOR_SET | 1) && have(set, 0);
	add(set, nr_colors - 1);
	add(set, 2);
	ok &= !call(PAGE_COLOR_ADD | (nr_colors - 1)) && !call(PAGE_COLOR_ADD | 2) &&
	      !call(PAGE_COLOR_ADD | 2) && have(set, 0);
	set[0] &= ~2UL;
	ok &= !call(PAGE_COLOR_REMOVE | 1) && have(set, 0) &&
	      call(PAGE_COLOR_REMOVE | 1) == -ENODATA && have(set, 0);
	/* The last one is not removed: none would be any. */
	memset(set, 0, sizeof(set));
	add(set, 2);
	ok &= !call(PAGE_COLOR_REMOVE | (nr_colors - 1)) &&
	      call(PAGE_COLOR_REMOVE | 2) == -EINVAL && have(set, 0);
	/* Together with prctl: the one continues what the other began. */
	ok &= !set_colors(one, PR_PAGE_COLOR_STRICT);
	add(set, 1);
	ok &= !call(PAGE_COLOR_ADD | 2 | PAGE_COLOR_CALL_STRICT |
		    PAGE_COLOR_CALL_PRIVATE) &&
	      have(set, PR_PAGE_COLOR_STRICT | PR_PAGE_COLOR_PRIVATE);
	ok &= !call(PAGE_COLOR_CLEAR) && none();
	return ok && call(PAGE_COLOR_REMOVE | 2) == -ENODATA && none();
}

/* Is a number in a set of some of the first 32, or of all? */
static bool chosen(int set, int number)
{
	return set < 0 || (number < 32 && set >> number & 1);
}

/* Colors of the banks and the parts of the cache that are in two such sets. */
static void expect(unsigned long *set, unsigned long cache, int banks, int parts)
{
	memset(set, 0, LONGS * 8);
	for (int c = 0; c < nr_colors; c++) {
		if (chosen(banks, part(c, nr_colors - 1 - cache)) &&
		    chosen(parts, part(c, cache)))
			add(set, c);
	}
}

static bool has_kinds(unsigned long cache, int banks, int parts)
{
	unsigned long set[LONGS];

	expect(set, cache, banks, parts);
	return exists(set) && have(set, 0);
}

static bool two_kinds(unsigned long cache)
{
	int parts = 1 << __builtin_popcountl(cache);
	unsigned long set[LONGS];
	bool ok;

	ok = call(PAGE_COLOR_COUNT | PAGE_COLOR_LLC) == parts &&
	     call(PAGE_COLOR_COUNT | PAGE_COLOR_BANK) == nr_colors / parts &&
	     call(PAGE_COLOR_SET | PAGE_COLOR_LLC | parts) == -EINVAL &&
	     call(PAGE_COLOR_SET | PAGE_COLOR_BANK | nr_colors / parts) == -EINVAL &&
	     none();
	/* Only banks, then both, then both with more of each. */
	ok &= !call(PAGE_COLOR_SET | PAGE_COLOR_BANK | 1) && has_kinds(cache, 2, -1);
	ok &= !call(PAGE_COLOR_SET | PAGE_COLOR_LLC | 1) && has_kinds(cache, 2, 2);
	ok &= !call(PAGE_COLOR_ADD | PAGE_COLOR_LLC) && has_kinds(cache, 2, 3);
	ok &= !call(PAGE_COLOR_ADD | PAGE_COLOR_BANK | 3) && has_kinds(cache, 10, 3);
	ok &= !call(PAGE_COLOR_REMOVE | PAGE_COLOR_BANK | 1) && has_kinds(cache, 8, 3);
	ok &= call(PAGE_COLOR_REMOVE | PAGE_COLOR_BANK | 3) == -EINVAL &&
	      call(PAGE_COLOR_REMOVE | PAGE_COLOR_BANK | 2) == -ENODATA;
	ok &= !call(PAGE_COLOR_SET | PAGE_COLOR_LLC) && has_kinds(cache, 8, 1);
	/* One kind is given up, the other one stays. */
	ok &= !call(PAGE_COLOR_CLEAR | PAGE_COLOR_BANK) && has_kinds(cache, -1, 1);
	ok &= !call(PAGE_COLOR_CLEAR | PAGE_COLOR_BANK) && has_kinds(cache, -1, 1);
	ok &= !call(PAGE_COLOR_CLEAR | PAGE_COLOR_LLC) && none();
	/* The cache first. */
	ok &= !call(PAGE_COLOR_ADD | PAGE_COLOR_LLC | 1) && has_kinds(cache, -1, 2);
	ok &= !call(PAGE_COLOR_ADD | PAGE_COLOR_BANK) && has_kinds(cache, 1, 2);
	/* Bits of all kinds, one by one, are all colors and still a choice. */
	for (int i = 0; i < parts; i++)
		ok &= !call(PAGE_COLOR_ADD | PAGE_COLOR_LLC | i);
	ok &= has_kinds(cache, 1, -1);
	ok &= !call(PAGE_COLOR_ADD | PAGE_COLOR_LLC) && has_kinds(cache, 1, -1);
	/* Colors of the map are another choice; so are banks after them. */
	memset(set, 0, sizeof(set));
	add(set, 5);
	ok &= !call(PAGE_COLOR_SET | 5) && have(set, 0);
	ok &= !call(PAGE_COLOR_ADD | PAGE_COLOR_BANK | 2) && has_kinds(cache, 4, -1);
	return !call(PAGE_COLOR_CLEAR) && ok && none();
}

/* Bits of the cache at the top, and among the others. */
static bool test_kinds(void)
{
	char text[4096], map[4096];
	bool ok = switched("0") && !write_file(BITS, "20") && !write_file(BITS, "x") &&
		  !write_file(BITS, "0-99");

	snprintf(text, sizeof(text), "%d", nr_masks);
	if (nr_masks < 8)
		ok &= !write_file(BITS, text);
	snprintf(text, sizeof(text), "%d-%d", nr_masks - 1, nr_masks - 1);
	ok &= write_file(BITS, text) && switched("1") && !write_file(BITS, "1") &&
	      two_kinds(1UL << (nr_masks - 1));
	ok &= switched("0") && write_file(BITS, "0,2") && switched("1") && two_kinds(5);
	/* Another map has other bits. */
	ok &= switched("0") && read_file(DIR "map", map, sizeof(map)) > 0 &&
	      write_file(BITS, "1") && read_file(BITS, text, sizeof(text)) > 0 &&
	      !strcmp(text, "1\n") && write_file(DIR "map", map) &&
	      read_file(BITS, text, sizeof(text)) > 0 && !strcmp(text, "\n");
	return switched("1") && ok && call(PAGE_COLOR_COUNT | PAGE_COLOR_LLC) == 0 &&
	       call(PAGE_COLOR_SET | PAGE_COLOR_LLC) == -EINVAL &&
	       call(PAGE_COLOR_COUNT | PAGE_COLOR_BANK) == nr_colors && none();
}

/* What a thread does at its start; its memory has its colors alone. */
static void *thread(void *arg)
{
	unsigned long set[LONGS] = {};
	int color = *(int *)arg;

	add(set, color);
	return (void *)(long)(!call(PAGE_COLOR_SET | color) && have(set, 0));
}

static bool test_threads(void)
{
	int colors[] = { 0, 1, 2, 3 };
	pthread_t threads[4];
	bool ok = true;
	void *result;

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, thread, &colors[i]);
	for (int i = 0; i < 4; i++)
		ok &= !pthread_join(threads[i], &result) && result;
	return ok && none();
}

static long raw(unsigned long arg, size_t size, int prot, int flags, off_t offset)
{
	void *result = mmap((void *)arg, size, prot, flags, -1, offset);

	return result == MAP_FAILED ? -errno : (long)result;
}

/* Nothing that is wrong changes anything. */
static bool test_wrong(void)
{
	static const unsigned long wrong[] = {
		0, 1, PAGE_COLOR_BANK, PAGE_COLOR_VERSION | 1,
		PAGE_COLOR_VERSION | PAGE_COLOR_LLC, PAGE_COLOR_COUNT | 1,
		PAGE_COLOR_COUNT | 3UL << 16, PAGE_COLOR_SET | 0xffff,
		PAGE_COLOR_SET | 3UL << 16, PAGE_COLOR_SET | 1UL << 26,
		PAGE_COLOR_SET | 1UL << 32, PAGE_COLOR_SET | 1UL << 63,
		PAGE_COLOR_ADD | PAGE_COLOR_LLC, PAGE_COLOR_CLEAR | 1,
		PAGE_COLOR_CLEAR | PAGE_COLOR_CALL_STRICT, PAGE_COLOR_USER | 128,
		PAGE_COLOR_USER | PAGE_COLOR_BANK | 1,
		PAGE_COLOR_USER | PAGE_COLOR_CALL_STRICT, 8UL << 20, 15UL << 20,
		PAGE_COLOR_COUNT | PAGE_COLOR_CALL_PRIVATE, -4096UL, ~0UL,
	};
	const unsigned long set = PAGE_COLOR_SET | 2;
	const int prot = RW | PAGE_COLOR_PROT;
	long result;
	bool ok;

	ok = !call(PAGE_COLOR_SET | 1);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		result = call(wrong[i]);
		if (result == -EINVAL)
			continue;
		ksft_print_msg("call %#lx: %ld\n", wrong[i], result);
		ok = false;
	}
	ok &= call(PAGE_COLOR_SET | nr_colors) == -EINVAL;
	/* Arguments of mmap() that no call has. */
	ok &= raw(set, 0, prot, MAP_SHARED | MAP_ANONYMOUS, 0) == -EINVAL &&
	      raw(set, 0, prot, MAP_PRIVATE, 0) == -EINVAL &&
	      raw(set, 0, prot, ANON | MAP_FIXED, 0) == -EINVAL &&
	      raw(set, 0, prot, ANON | MAP_HUGETLB, 0) == -EINVAL &&
	      raw(set, 0, prot, ANON, page_size) == -EINVAL &&
	      raw(set, 0, prot | 1 << 29, ANON, 0) == -EINVAL;
	/* Without the bit, or with a length, it is a mapping as ever. */
	ok &= raw(set, 0, RW, ANON, 0) == -EINVAL;
	result = raw(set, page_size, prot, ANON, 0);
	ok &= result > 0;
	if (result > 0) {
		*(char *)result = 1;
		munmap((void *)result, page_size);
	}
	return ok && have(one, 0);
}

/* Without the right to it there is nothing but the version and the numbers. */
static bool test_unprivileged(void)
{
	if (setresgid(1000, 1000, 1000) || setresuid(1000, 1000, 1000))
		return false;
	return known() && call(PAGE_COLOR_COUNT) == nr_colors &&
	       call(PAGE_COLOR_SET | 1) == -EPERM && call(PAGE_COLOR_ADD | 1) == -EPERM &&
	       call(PAGE_COLOR_SET | PAGE_COLOR_BANK | 1) == -EPERM &&
	       call(PAGE_COLOR_USER | 1) == -EPERM && call(PAGE_COLOR_USER) == -EPERM &&
	       call(PAGE_COLOR_REMOVE | 1) == -ENODATA && !call(PAGE_COLOR_CLEAR) &&
	       none();
}

static bool listed(const char *line)
{
	char text[4096];

	return read_file(PROGRAMS, text, sizeof(text)) > 0 && strstr(text, line);
}

/* So many colors for each program of the user, in one call. */
static bool test_user(void)
{
	int status;
	pid_t pid;
	bool ok;

	ok = call(PAGE_COLOR_USER) == -ENOENT && !call(PAGE_COLOR_USER | 2) &&
	     listed("0 /* colors=2 started=0") &&
	     !call(PAGE_COLOR_USER | 3 | PAGE_COLOR_CALL_STRICT) &&
	     listed("0 /* colors=3 strict started=0");
	/* The call does not color who makes it, but what is executed. */
	ok &= none();
	pid = fork();
	if (!pid) {
		execl("/proc/self/exe", "page_color_tint", "three", NULL);
		_exit(1);
	}
	ok &= waitpid(pid, &status, 0) == pid && !status;
	ok &= listed("0 /* colors=3 strict started=1 refused=0");
	return !call(PAGE_COLOR_USER) && ok && !listed("0 /*") &&
	       call(PAGE_COLOR_USER) == -ENOENT;
}

/* Executed by the test of users: are there three colors, and memory of them? */
static int has_three(void)
{
	unsigned long set[LONGS];
	int n = 0;

	start(0);
	if (colors_of(set) < 0)
		return 1;
	for (int i = 0; i < LONGS; i++)
		n += __builtin_popcountl(set[i]);
	return n == 3 && have(set, PR_PAGE_COLOR_STRICT) ? 0 : 1;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "three"))
		return has_three();
	if (argc > 1 && !strcmp(argv[1], "absent")) {
		/* A kernel without the calls maps nothing, whatever they ask for. */
		return known() || call(PAGE_COLOR_SET | 1) != -EINVAL ||
		       call(PAGE_COLOR_CLEAR) != -EINVAL;
	}
	start(0);
	if (!known()) {
		ksft_print_header();
		ksft_exit_skip("needs CONFIG_PAGE_COLOR_TINT\n");
	}
	nr_masks = 0;
	nr_ranges = 0;
	start(9);
	run("version, also while switched off", test_version);
	run("colors of the map", test_whole);
	run("banks and parts of the cache", test_kinds);
	run("a call in each of four threads", test_threads);
	run("wrong calls", test_wrong);
	run("unprivileged calls", test_unprivileged);
	run("programs of a user", test_user);
	ksft_test_result(nobody_owns(), "nobody owns colors\n");
	ksft_test_result(zones_are_right(), "free lists and counters agree\n");
	ksft_finished();
}
