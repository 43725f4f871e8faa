/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Page coloring: what tests of kinds of memory share: rows of a table that are
 * tests if the kernel has what they need, and contents that are looked at again.
 */
#ifndef PAGE_COLOR_KINDS_H
#define PAGE_COLOR_KINDS_H

#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include "page_color_util.h"

/* A row of the table in the documentation, and how it is tested. */
struct row {
	const char *name;
	bool (*test)(void);
	/* Has the kernel what this is about? NULL if each kernel has. */
	bool (*there)(void);
};

static inline void run_rows(const struct row *rows, size_t n)
{
	unsigned int tests = 2;

	for (size_t i = 0; i < n; i++)
		tests += !rows[i].there || rows[i].there();
	start(tests);
	for (size_t i = 0; i < n; i++) {
		if (!rows[i].there || rows[i].there())
			run(rows[i].name, rows[i].test);
		else
			ksft_print_msg("not in this kernel: %s\n", rows[i].name);
	}
	end_tests();
}

static inline uint64_t word_at(size_t at)
{
	return (at + 8) * 0x9e3779b97f4a7c15ULL;
}

static inline void write_words(char *mem, size_t size)
{
	for (size_t at = 0; at < size; at += 8)
		*(uint64_t *)(mem + at) = word_at(at);
}

/* Bytes of @mem that are not what write_words() wrote are told. */
static inline bool words_are_right(const char *mem, size_t size, const char *what)
{
	size_t wrong = 0;

	for (size_t at = 0; at < size; at += 8)
		wrong += *(const uint64_t *)(mem + at) != word_at(at);
	if (wrong)
		ksft_print_msg("%s: %zu of %zu bytes lost\n", what, wrong * 8, size);
	return !wrong;
}

/* Pages left with other colors, or an error. */
static inline long move_to_colors(const void *mem, size_t size)
{
	return prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_MIGRATE, mem, size, 0);
}

/* All that the process has: a range ends where its addresses do. */
static inline long move_all_to_colors(void)
{
	return move_to_colors(NULL, 1UL << 63);
}

/* The upper half of the colors. */
static inline const unsigned long *other_half(void)
{
	static unsigned long upper[LONGS];

	memset(upper, 0, sizeof(upper));
	add_rest(upper, half);
	return upper;
}

/* A mapping of a new file in memory; of each process its own. */
static inline int memory_file(size_t size)
{
	int fd = memfd_create("page_color", 0);

	if (fd < 0 || ftruncate(fd, size))
		ksft_exit_fail_msg("memfd: %s\n", strerror(errno));
	return fd;
}

static inline char *map_fd(int fd, size_t size, int prot, int flags)
{
	char *mem = mmap(NULL, size, prot, flags, fd, 0);

	if (mem == MAP_FAILED)
		ksft_exit_fail_msg("mmap: %s\n", strerror(errno));
	return mem;
}

/* The faults of a mapping go to a file descriptor. */
static inline int watch_faults(char *mem, size_t size, uint64_t mode,
			       uint64_t features)
{
	struct uffdio_api api = { .api = UFFD_API, .features = features };
	struct uffdio_register reg = {
		.range = { (uintptr_t)mem, size },
		.mode = mode,
	};
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) ||
	    ioctl(fd, UFFDIO_REGISTER, &reg))
		ksft_exit_fail_msg("userfaultfd: %s\n", strerror(errno));
	return fd;
}

static inline bool stop_watching(int fd, char *mem, size_t size)
{
	struct uffdio_range range = { (uintptr_t)mem, size };

	return !ioctl(fd, UFFDIO_UNREGISTER, &range) && !close(fd);
}

/* Bits of the entries of pagemap. */
enum { PM_SOFT_DIRTY = 55, PM_UFFD_WP = 57, PM_PRESENT = 63 };

static inline size_t pages_with(const char *mem, size_t size, int bit)
{
	int fd = open("/proc/self/pagemap", O_RDONLY);
	size_t n = 0;

	for (size_t i = 0; i < size; i += page_size)
		n += page_entry(fd, mem + i, false) >> bit & 1;
	close(fd);
	return n;
}

#endif /* PAGE_COLOR_KINDS_H */
