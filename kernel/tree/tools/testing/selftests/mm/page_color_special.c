// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: each kind of mapping gets what the table in
 * Documentation/admin-guide/mm/page_color.rst says, when it is faulted in and when
 * it is moved to the colors.
 *
 * Needs root, coloring switched on (/sys/kernel/mm/page_color/enabled), and file
 * systems of type ext2 on /dev/ram1, and on /dev/pmem0 with blocks of a page. Newer
 * kernels than 6.12 have DAX for ext2 by CONFIG_EXT4_FS alone.
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <time.h>
#include "page_color_disk.h"
#include "page_color_kinds.h"

#ifndef MAP_DROPPABLE
#define MAP_DROPPABLE	0x08
#endif
#ifndef SYS_memfd_secret
#define SYS_memfd_secret	447
#endif

#define OWN	(PR_PAGE_COLOR_STRICT | PR_PAGE_COLOR_PRIVATE)

/* Pages that are protected against writes are when they have moved, too. */
static bool test_userfaultfd_wp(void)
{
	const size_t size = MB;
	char *mem = map_pages(size);
	struct uffdio_writeprotect wp = {
		.range = { (uintptr_t)mem, size },
		.mode = UFFDIO_WRITEPROTECT_MODE_WP,
	};
	size_t protected;
	int fd;

	madvise(mem, size, MADV_NOHUGEPAGE);
	write_words(mem, size);
	fd = watch_faults(mem, size, UFFDIO_REGISTER_MODE_WP, 0);
	if (ioctl(fd, UFFDIO_WRITEPROTECT, &wp) || set_colors(half, OWN) ||
	    move_to_colors(mem, size))
		return false;
	protected = pages_with(mem, size, PM_UFFD_WP);
	ksft_print_msg("%zu of %zu pages are still protected\n", protected,
		       size / page_size);
	return pure(mem, size, half, "protected") && protected == size / page_size &&
	       words_are_right(mem, size, "protected") && stop_watching(fd, mem, size);
}

static bool has_soft_dirty(void)
{
	char *mem;

	page_size = sysconf(_SC_PAGESIZE);
	mem = map_pages(page_size);
	*mem = 1;
	return pages_with(mem, page_size, PM_SOFT_DIRTY);
}

static bool test_soft_dirty(void)
{
	const size_t size = MB;
	char *mem = map_pages(size);

	madvise(mem, size, MADV_NOHUGEPAGE);
	write_words(mem, size);
	if (!write_file("/proc/self/clear_refs", "4"))
		return false;
	write_words(mem, size / 2);
	if (set_colors(half, OWN) || move_to_colors(mem, size))
		return false;
	return pages_with(mem, size / 2, PM_SOFT_DIRTY) == size / 2 / page_size &&
	       !pages_with(mem + size / 2, size / 2, PM_SOFT_DIRTY) &&
	       pure(mem, size, half, "soft-dirty");
}

static bool has_secret(void)
{
	int fd = syscall(SYS_memfd_secret, 0);

	return fd >= 0 && !close(fd);
}

/* Memory that not even the kernel sees has the colors, and is not moved. */
static bool test_secret(void)
{
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	const size_t size = MB;
	int fd = syscall(SYS_memfd_secret, 0);
	long left;
	char *mem;

	if (setrlimit(RLIMIT_MEMLOCK, &all) || ftruncate(fd, size))
		return false;
	mem = map_fd(fd, size, PROT_READ | PROT_WRITE, MAP_SHARED);
	if (set_colors(half, OWN))
		return false;
	write_words(mem, size);
	if (!pure(mem, size, half, "secret") || set_colors(other_half(), OWN))
		return false;
	left = move_to_colors(mem, size);
	ksft_print_msg("%ld of %zu pages left\n", left, size / page_size);
	return left == (long)(size / page_size) && pure(mem, size, half, "as before") &&
	       words_are_right(mem, size, "secret");
}

/* Faulted in with the colors, then moved to others. */
static bool follows(char *mem, size_t size)
{
	if (set_colors(half, OWN))
		return false;
	write_words(mem, size);
	return pure(mem, size, half, "first") && !set_colors(other_half(), OWN) &&
	       !move_to_colors(mem, size) && pure(mem, size, other_half(), "then") &&
	       words_are_right(mem, size, "moved");
}

static bool test_droppable(void)
{
	const size_t size = MB;
	char *mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_DROPPABLE | MAP_ANONYMOUS, -1, 0);

	return mem != MAP_FAILED && follows(mem, size);
}

static bool test_anonymous(void)
{
	return follows(map_pages(MB), MB);
}

static bool test_anonymous_shared(void)
{
	return follows(map_fd(-1, MB, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS), MB);
}

static bool test_memory_file(void)
{
	return follows(map_fd(memory_file(MB), MB, PROT_READ | PROT_WRITE, MAP_SHARED), MB);
}

static bool test_disk_file(void)
{
	return follows(map_fd(disk_file(MB), MB, PROT_READ | PROT_WRITE, MAP_SHARED), MB);
}

static bool test_dev_zero(void)
{
	return follows(map_fd(open("/dev/zero", O_RDWR), MB, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE), MB);
}

static bool has_sysv(void)
{
	int id = shmget(IPC_PRIVATE, 4096, 0600);

	return id >= 0 && !shmctl(id, IPC_RMID, NULL);
}

static bool test_sysv(void)
{
	int id = shmget(IPC_PRIVATE, MB, 0600);
	char *mem = shmat(id, NULL, 0);

	return mem != (void *)-1 && !shmctl(id, IPC_RMID, NULL) && follows(mem, MB);
}

static int perf_event(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_PAGE_FAULTS,
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

static bool has_perf(void)
{
	int fd = perf_event();

	return fd >= 0 && !close(fd);
}

/* What a driver allocates and maps is its own, and goes on. */
static bool test_ring(void)
{
	const size_t size = 9 * page_size;
	struct perf_event_mmap_page *ring;
	int fd = perf_event();
	char *mem = map_fd(fd, size, PROT_READ | PROT_WRITE, MAP_SHARED);
	uint64_t before, count;
	long left, wrong, shown;

	for (size_t at = 0; at < size; at += page_size)
		peek(mem + at);
	if (set_colors(half, OWN))
		return false;
	wrong = look(mem, size, half, true).wrong;
	left = move_to_colors(mem, size);
	ksft_print_msg("%ld of %ld left\n", left, wrong);
	ring = (void *)mem;
	if (read(fd, &before, 8) != 8)
		return false;
	touch(map_pages(MB), MB, 1);
	/* Newer kernels than 6.12 map it as memory of a device: none is shown. */
	shown = pages_with(mem, size, PM_PRESENT);
	return left == wrong && ring->data_offset == page_size &&
	       ring->data_size == size - page_size && read(fd, &count, 8) == 8 &&
	       count > before && (shown == 9 || !shown);
}

static bool has_frames(const uint64_t *frames, const char *mem, size_t size)
{
	uint64_t *now = frames_of(mem, size);
	size_t differ = 0;

	for (size_t i = 0; i < size / page_size; i++)
		differ += !frames[i] || frames[i] != now[i];
	free(now);
	if (differ)
		ksft_print_msg("%zu of %zu pages moved\n", differ, size / page_size);
	return !differ;
}

#ifdef __x86_64__
/* Is a file mapped without the page cache? A mount does not fail for want of that. */
static bool is_dax(int fd)
{
	struct statx st;

	return !statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &st) &&
	       st.stx_attributes & STATX_ATTR_DAX;
}

/* A file of words on persistent memory, which is mapped without the page cache. */
static int dax_file(size_t size)
{
	char *mem;
	int fd;

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    (mount("/dev/pmem0", "/tmp", "ext4", 0, "dax") &&
	     mount("/dev/pmem0", "/tmp", "ext2", 0, "dax")))
		ksft_exit_fail_msg("no ext2 with DAX on /dev/pmem0: %s\n", strerror(errno));
	fd = open("/tmp/page_color", O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || unlink("/tmp/page_color") || ftruncate(fd, size))
		ksft_exit_fail_msg("no file on /dev/pmem0: %s\n", strerror(errno));
	if (!is_dax(fd))
		ksft_exit_fail_msg("files on /dev/pmem0 are in the page cache\n");
	mem = map_fd(fd, size, PROT_READ | PROT_WRITE, MAP_SHARED);
	write_words(mem, size);
	munmap(mem, size);
	return fd;
}

/* Only the medium has the pages: one color is not enough, and nothing moves. */
static bool test_dax(void)
{
	long spilled = read_long(DIR "spilled"), left;
	const size_t size = MB;
	int fd = dax_file(size);
	char *mem = map_fd(fd, size, PROT_READ | PROT_WRITE, MAP_SHARED);
	uint64_t *frames;
	struct count n;

	if (set_colors(one, OWN) || !words_are_right(mem, size, "DAX"))
		return false;
	write_words(mem, size);
	n = look(mem, size, one, true);
	frames = frames_of(mem, size);
	left = move_to_colors(mem, size);
	spilled = read_long(DIR "spilled") - spilled;
	ksft_print_msg("%ld of %ld pages of other colors, then %ld left, %ld spilled\n",
		       n.wrong, n.present, left, spilled);
	return n.present == (long)(size / page_size) && n.wrong > 0 && !left && !spilled &&
	       has_frames(frames, mem, size) && words_are_right(mem, size, "DAX");
}

/* A private mapping shows the medium; who has pages for itself gets copies instead. */
static bool test_dax_private(void)
{
	const size_t size = MB;
	int fd = dax_file(size);
	char *before = map_fd(fd, size, PROT_READ | PROT_WRITE, MAP_PRIVATE);
	char *mem = map_fd(fd, size, PROT_READ | PROT_WRITE, MAP_PRIVATE);
	uint64_t *frames;
	struct count n;

	if (set_colors(one, PR_PAGE_COLOR_STRICT) ||
	    !words_are_right(before, size, "DAX"))
		return false;
	n = look(before, size, one, true);
	frames = frames_of(before, size);
	if (set_colors(one, OWN) || move_to_colors(before, size))
		return false;
	ksft_print_msg("%ld of %ld pages of other colors\n", n.wrong, n.present);
	return n.wrong > 0 && has_frames(frames, before, size) &&
	       words_are_right(mem, size, "copied") && pure(mem, size, one, "copied") &&
	       words_are_right(before, size, "DAX");
}
#endif

/* That of the kernel is there for all processes. */
static bool test_vdso(void)
{
	char *vdso = (char *)getauxval(AT_SYSINFO_EHDR);
	uint64_t *frames;

	if (!vdso || set_colors(half, OWN))
		return false;
	peek(vdso);
	frames = frames_of(vdso, page_size);
	return move_to_colors(vdso, page_size) >= 0 &&
	       has_frames(frames, vdso, page_size) && !memcmp(vdso, "\177ELF", 4);
}

/* All of a process, with what the kernel maps for it: the vDSO, its data. */
static bool test_everything(void)
{
	char *mem = map_pages(MB);
	struct timespec a, b;

	write_words(mem, MB);
	clock_gettime(CLOCK_MONOTONIC, &a);
	if (set_colors(half, OWN) || move_all_to_colors() < 0)
		return false;
	clock_gettime(CLOCK_MONOTONIC, &b);
	return b.tv_sec >= a.tv_sec && words_are_right(mem, MB, "heap") &&
	       pure(mem, MB, half, "heap");
}

int main(void)
{
	static const struct row rows[] = {
		{ "anonymous memory", test_anonymous, NULL },
		{ "anonymous shared memory", test_anonymous_shared, NULL },
		{ "memfd", test_memory_file, NULL },
		{ "System V shared memory", test_sysv, has_sysv },
		{ "file on a disk, shared", test_disk_file, NULL },
		{ "/dev/zero", test_dev_zero, NULL },
		{ "userfaultfd, write protection", test_userfaultfd_wp, NULL },
		{ "soft-dirty", test_soft_dirty, has_soft_dirty },
		{ "droppable memory", test_droppable, NULL },
		{ "secret memory", test_secret, has_secret },
		{ "ring of perf", test_ring, has_perf },
#ifdef __x86_64__
		{ "DAX, shared", test_dax, NULL },
		{ "DAX, private", test_dax_private, NULL },
#endif
		{ "vDSO", test_vdso, NULL },
		{ "the whole process", test_everything, NULL },
	};

	run_rows(rows, sizeof(rows) / sizeof(*rows));
}
