// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: a process that has pages of files for itself, and moves what it
 * has to its colors, loses no byte of any kind of mapping.
 *
 * Needs root, coloring switched on (/sys/kernel/mm/page_color/enabled), and a file
 * system of type ext2 on /dev/ram1.
 */
#define _GNU_SOURCE
#include <glob.h>
#include <pthread.h>
#include <time.h>
#include "page_color_disk.h"
#include "page_color_kinds.h"

#define OWN	(PR_PAGE_COLOR_STRICT | PR_PAGE_COLOR_PRIVATE)
#define KSM	"/sys/kernel/mm/ksm/"

/* What was written before is there after it was moved, and nothing was left. */
static bool kept(char *mem, size_t size, const char *what)
{
	long left;

	write_words(mem, size);
	if (set_colors(half, OWN))
		return false;
	left = move_to_colors(mem, size);
	if (left)
		ksft_print_msg("%s: %ld left\n", what, left);
	return words_are_right(mem, size, what) && !left;
}

/* Huge pages of hugetlb are not colored, not moved and not given up. */
static bool test_hugetlb(void)
{
	const size_t size = 4 * MB;
	char *mem;
	bool ok;
	int fd;

	if (!write_file("/proc/sys/vm/nr_hugepages", "8"))
		return false;
	mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	fd = memfd_create("page_color", MFD_HUGETLB);
	if (mem == MAP_FAILED || fd < 0 || ftruncate(fd, size))
		return false;
	ok = kept(mem, size, "anonymous");
	munmap(mem, size);
	mem = map_fd(fd, size, PROT_READ | PROT_WRITE, MAP_PRIVATE);
	ok &= kept(mem, size, "copied on write");
	munmap(mem, size);
	mem = map_fd(fd, size, PROT_READ | PROT_WRITE, MAP_SHARED);
	ok &= kept(mem, size, "shared");
	munmap(mem, size);
	close(fd);
	return write_file("/proc/sys/vm/nr_hugepages", "0") && ok;
}

/* Of a private mapping: what was written stays, what was not is copied. */
static bool half_written(int fd)
{
	const size_t size = MB, step = 2 * page_size;
	char *file = map_fd(fd, size, PROT_READ | PROT_WRITE, MAP_SHARED);
	char *mem = map_fd(fd, size, PROT_READ | PROT_WRITE, MAP_PRIVATE);
	bool ok = true;

	write_words(file, size);
	for (size_t at = 0; at < size; at += step) {
		memset(mem + at, 0x55, page_size);
		peek(mem + at + page_size);
	}
	if (set_colors(half, OWN) || move_to_colors(mem, size))
		return false;
	for (size_t at = 0; at < size; at += step) {
		for (size_t i = 0; i < page_size; i++)
			ok &= mem[at + i] == 0x55;
		ok &= !memcmp(mem + at + page_size, file + at + page_size, page_size);
	}
	return ok && words_are_right(file, size, "file") &&
	       pure(mem, size, half, "written and copied");
}

static bool test_private_memory(void)
{
	return half_written(memory_file(MB));
}

static bool test_private_disk(void)
{
	return half_written(disk_file(MB));
}

/* What is mapped as shared shows what others write, also if it is only read. */
static bool test_shared_read_only(void)
{
	const size_t size = MB;
	char path[64], *mem;
	int fd = memory_file(size);
	bool ok = true;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	mem = map_fd(open(path, O_RDONLY), size, PROT_READ, MAP_SHARED);
	if (set_colors(half, OWN))
		return false;
	for (size_t at = 0; at < size; at += page_size)
		ok &= !peek(mem + at);
	for (uint64_t at = 0; at < size / 2; at += 8)
		pwrite(fd, &(uint64_t) { word_at(at) }, 8, at);
	ok &= words_are_right(mem, size / 2, "read before");
	ok &= move_to_colors(mem, size) == 0;
	for (uint64_t at = size / 2; at < size; at += 8)
		pwrite(fd, &(uint64_t) { word_at(at) }, 8, at);
	return words_are_right(mem, size, "moved before") && ok;
}

static bool all_zero(const char *mem, size_t size)
{
	size_t wrong = 0;

	for (size_t at = 0; at < size; at++)
		wrong += mem[at] != 0;
	if (wrong)
		ksft_print_msg("%zu of %zu bytes lost\n", wrong, size);
	return !wrong;
}

/* A private mapping of a file that has no zeroes. */
static char *over_a_file(size_t size)
{
	int fd = memory_file(size);

	memset(map_fd(fd, size, PROT_READ | PROT_WRITE, MAP_SHARED), 'A', size);
	return map_fd(fd, size, PROT_READ | PROT_WRITE, MAP_PRIVATE);
}

/* Zeroes that were written over a file, and which KSM has made the zero page. */
static bool test_ksm_zero_page(void)
{
	const size_t size = MB;
	char *mem = over_a_file(size);
	time_t end = time(NULL) + 30;
	long merged, left;
	bool ok;

	memset(mem, 0, size);
	if (madvise(mem, size, MADV_MERGEABLE) ||
	    !write_file(KSM "use_zero_pages", "1") ||
	    !write_file(KSM "pages_to_scan", "10000") ||
	    !write_file(KSM "sleep_millisecs", "0") || !write_file(KSM "run", "1"))
		return false;
	do {
		usleep(100000);
		merged = read_long(KSM "ksm_zero_pages");
	} while (merged < (long)(size / page_size) && time(NULL) < end);
	write_file(KSM "run", "0");
	ksft_print_msg("%ld pages are the zero page\n", merged);
	if (set_colors(half, OWN))
		return false;
	left = move_to_colors(mem, size);
	ok = merged > 0 && left >= 0 && all_zero(mem, size);
	write_file(KSM "run", "2");
	write_file(KSM "use_zero_pages", "0");
	return ok && all_zero(mem, size);
}

/* The same by a monitor, which then goes away. */
static bool test_userfaultfd_zero_page(void)
{
	const size_t size = MB;
	char *mem = over_a_file(size);
	int fd = watch_faults(mem, size, UFFDIO_REGISTER_MODE_MISSING, 0);
	struct uffdio_zeropage zero = { .range = { (uintptr_t)mem, size } };

	if (ioctl(fd, UFFDIO_ZEROPAGE, &zero) || !stop_watching(fd, mem, size))
		return false;
	if (set_colors(half, OWN) || move_to_colors(mem, size))
		return false;
	return all_zero(mem, size);
}

/* What is there already of a mapping whose missing pages a monitor fills stays mapped. */
static bool test_userfaultfd_missing(void)
{
	const size_t size = MB;
	int file = memory_file(size), fd;
	char *mem = map_fd(file, size, PROT_READ | PROT_WRITE, MAP_PRIVATE);
	size_t there;

	write_words(map_fd(file, size, PROT_READ | PROT_WRITE, MAP_SHARED), size);
	for (size_t at = 0; at < size; at += page_size)
		peek(mem + at);
	fd = watch_faults(mem, size, UFFDIO_REGISTER_MODE_MISSING, 0);
	if (set_colors(half, OWN) || move_to_colors(mem, size) < 0)
		return false;
	there = pages_with(mem, size, PM_PRESENT);
	ksft_print_msg("%zu of %zu pages are still there\n", there, size / page_size);
	return there == size / page_size && words_are_right(mem, size, "missing") &&
	       stop_watching(fd, mem, size);
}

/* Pages that a monitor has let through stay: nobody would answer a second fault. */
static bool test_userfaultfd_minor(void)
{
	const size_t size = MB;
	int file = memory_file(size);
	char *mem = map_fd(file, size, PROT_READ | PROT_WRITE, MAP_PRIVATE);
	struct uffdio_continue let = { .range = { (uintptr_t)mem, size } };
	size_t there;
	int fd;

	write_words(map_fd(file, size, PROT_READ | PROT_WRITE, MAP_SHARED), size);
	fd = watch_faults(mem, size, UFFDIO_REGISTER_MODE_MINOR,
			  UFFD_FEATURE_MINOR_SHMEM);
	if (ioctl(fd, UFFDIO_CONTINUE, &let) || set_colors(half, OWN) ||
	    move_to_colors(mem, size) < 0)
		return false;
	there = pages_with(mem, size, PM_PRESENT);
	ksft_print_msg("%zu of %zu pages are still there\n", there, size / page_size);
	return stop_watching(fd, mem, size) && there == size / page_size &&
	       words_are_right(mem, size, "minor");
}

/* Locked memory moves, and is never missing: pages of files stay. */
static bool test_locked(void)
{
	const size_t size = MB;
	char *mem = map_pages(size), *file = over_a_file(size);

	if (mlock(mem, size) || mlock(file, size) || !kept(mem, size, "anonymous"))
		return false;
	return pure(mem, size, half, "locked") &&
	       pages_with(file, size, PM_PRESENT) == size / page_size &&
	       move_to_colors(file, size) >= 0 &&
	       pages_with(file, size, PM_PRESENT) == size / page_size &&
	       file[size - 1] == 'A';
}

/* A resource of a PCI device that can be mapped, and how large it is. */
static char *map_resource(size_t *size)
{
	char *mem = MAP_FAILED;
	glob_t files;

	if (glob("/sys/bus/pci/devices/*/resource[0-5]", 0, NULL, &files))
		return NULL;
	page_size = sysconf(_SC_PAGESIZE);
	for (size_t i = 0; i < files.gl_pathc && mem == MAP_FAILED; i++) {
		int fd = open(files.gl_pathv[i], O_RDWR);

		*size = page_size;
		mem = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
		close(fd);
	}
	globfree(&files);
	return mem == MAP_FAILED ? NULL : mem;
}

static bool has_resource(void)
{
	size_t size;

	return map_resource(&size);
}

/* Registers of a device, which are mapped once: they stay mapped. */
static bool test_device(void)
{
	size_t size;
	char *mem = map_resource(&size);
	char before = peek(mem);

	if (set_colors(half, OWN) || move_to_colors(mem, size))
		return false;
	/* A bus error if not: nothing would map them again. */
	return peek(mem) == before;
}

/* A thread that writes, and looks whether what it wrote last is still there. */
struct writer {
	pthread_t thread;
	char *mem;
	size_t size;
	bool *over;
	long lost;
};

static void *writes(void *arg)
{
	struct writer *w = arg;

	for (uint64_t round = 1; !__atomic_load_n(w->over, __ATOMIC_RELAXED); round++) {
		for (size_t at = 0; at < w->size; at += 1024) {
			uint64_t *word = (void *)(w->mem + at);
			uint64_t last = __atomic_load_n(word, __ATOMIC_RELAXED);

			w->lost += round > 1 && last != round - 1;
			__atomic_store_n(word, round, __ATOMIC_RELAXED);
		}
	}
	return NULL;
}

#define WRITERS	3

/* Nothing that is written while it moves, is copied and unmapped is lost. */
static bool test_written_meanwhile(void)
{
	const size_t size = MB / 2;
	struct writer w[WRITERS] = {};
	bool stop = false, ok = true;
	long lost = 0;
	char *mem[WRITERS];

	mem[0] = map_pages(size);
	mem[1] = over_a_file(size);
	mem[2] = map_fd(memory_file(size), size, PROT_READ | PROT_WRITE, MAP_SHARED);
	for (int i = 0; i < WRITERS; i++) {
		w[i] = (struct writer) { .mem = mem[i], .size = size, .over = &stop };
		pthread_create(&w[i].thread, NULL, writes, &w[i]);
	}
	for (int i = 0; ok && i < 40; i++) {
		ok = !set_colors(i & 1 ? half : other_half(), OWN);
		for (int m = 0; m < WRITERS; m++)
			ok &= move_to_colors(mem[m], size) >= 0;
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (int i = 0; i < WRITERS; i++) {
		pthread_join(w[i].thread, NULL);
		lost += w[i].lost;
	}
	if (lost)
		ksft_print_msg("%ld words lost\n", lost);
	return ok && !lost;
}

int main(void)
{
	static const struct row rows[] = {
		{ "memfd, private", test_private_memory, NULL },
		{ "file on a disk, private", test_private_disk, NULL },
		{ "file shared, opened to be read", test_shared_read_only, NULL },
		{ "zero page by KSM", test_ksm_zero_page, NULL },
		{ "zero page by userfaultfd", test_userfaultfd_zero_page, NULL },
		{ "userfaultfd, missing pages", test_userfaultfd_missing, NULL },
		{ "userfaultfd, minor faults", test_userfaultfd_minor, NULL },
		{ "locked memory", test_locked, NULL },
		{ "hugetlb", test_hugetlb, NULL },
		{ "registers of a device", test_device, has_resource },
		{ "written while it moves", test_written_meanwhile, NULL },
	};

	run_rows(rows, sizeof(rows) / sizeof(*rows));
}
