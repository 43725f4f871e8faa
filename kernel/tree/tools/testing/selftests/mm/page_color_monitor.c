// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: memory whose faults a monitor answers (userfaultfd) has the
 * colors of whose memory it is, as the table of fillers in
 * Documentation/admin-guide/mm/page_color.rst says.
 *
 * Needs root, and coloring switched on (/sys/kernel/mm/page_color/enabled).
 */
#define _GNU_SOURCE
#include <pthread.h>
#include "page_color_filler.h"

#ifndef UFFDIO_MOVE
#define UFFD_FEATURE_MOVE	0x10000
#define UFFDIO_MOVE		_IOWR(UFFDIO, 0x05, struct uffdio_move)
struct uffdio_move {
	uint64_t dst, src, len, mode;
	int64_t move;
};
#endif

#ifndef UFFDIO_POISON
#define UFFDIO_POISON		_IOWR(UFFDIO, 0x08, struct uffdio_poison)
struct uffdio_poison {
	struct uffdio_range range;
	uint64_t mode;
	int64_t updated;
};
#endif

#ifndef UFFD_FEATURE_WP_UNPOPULATED
#define UFFD_FEATURE_WP_UNPOPULATED	0x2000
#endif

static bool copy(void)
{
	struct uffdio_copy args = {
		.dst = (uintptr_t)mem, .src = (uintptr_t)words(), .len = SIZE,
	};

	return !ioctl(fd, UFFDIO_COPY, &args);
}

static bool test_copy(void)
{
	mem = new_pages();
	fd = watch_faults(mem, SIZE, UFFDIO_REGISTER_MODE_MISSING, 0);
	if (!filled(copy) || !right("UFFDIO_COPY"))
		return false;
	/* It moves when asked to, watched as it is. */
	return !set_colors(other_half(), PR_PAGE_COLOR_STRICT) &&
	       !move_to_colors(mem, SIZE) && pure(mem, SIZE, other_half(), "moved") &&
	       words_are_right(mem, SIZE, "moved");
}

static bool test_copy_shared(void)
{
	mem = map_fd(memory_file(SIZE), SIZE, PROT_READ | PROT_WRITE, MAP_SHARED);
	fd = watch_faults(mem, SIZE, UFFDIO_REGISTER_MODE_MISSING, 0);
	return filled(copy) && right("UFFDIO_COPY, memfd");
}

/* More than there is of one color, a MiB at a time: refused, nobody is killed. */
static bool test_copy_full(void)
{
	size_t all = sysconf(_SC_PHYS_PAGES) * page_size / nr_colors * 5 / 4, at = 0;
	struct uffdio_copy args;
	int error = 0, status = 0, begin[2];
	struct count n;
	pid_t pid, owner;
	long spilled;
	char byte = 0;

	if (pipe(begin))
		return false;
	all = (all + MB - 1) / MB * MB;
	mem = map_pages(all);
	madvise(mem, all, MADV_NOHUGEPAGE);
	fd = watch_faults(mem, all, UFFDIO_REGISTER_MODE_MISSING, 0);
	spilled = read_long(DIR "spilled");
	if (set_colors(one, PR_PAGE_COLOR_STRICT))
		return false;
	/* Compaction moves what nobody owns, to any color: one more owner to the end. */
	owner = fork();
	if (!owner)
		for (;;)
			pause();
	pid = fork();
	if (!pid) {
		char *from;

		prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_CLEAR, 0, 0, 0);
		from = words();
		error = read(begin[0], &byte, 1) == 1 ? 0 : EPIPE;

		for (; !error && at < all; at += MB) {
			args = (struct uffdio_copy) {
				.dst = (uintptr_t)mem + at, .src = (uintptr_t)from, .len = MB,
			};
			/* A part is done before what fails. */
			while (args.len && ioctl(fd, UFFDIO_COPY, &args)) {
				if (errno != EAGAIN || args.copy <= 0) {
					error = errno;
					break;
				}
				args.dst += args.copy;
				args.src += args.copy;
				args.len -= args.copy;
			}
		}
		_exit(error);
	}
	/* Has copies of its pages that fork() shared while there are any of the color. */
	waitpid(pid, &status, WNOHANG);
	if (write(begin[1], &byte, 1) != 1)
		kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	/* This task would be killed for want of its next page. */
	prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_CLEAR, 0, 0, 0);
	write_file("/proc/sys/vm/compact_memory", "1");
	n = look(mem, all, one, true);
	kill(owner, SIGKILL);
	waitpid(owner, NULL, 0);
	spilled = read_long(DIR "spilled") - spilled;
	ksft_print_msg("%ld of %zu pages, %ld wrong, %ld spilled, then: %s\n", n.present,
		       all / page_size, n.wrong, spilled, strerror(WEXITSTATUS(status)));
	return WIFEXITED(status) && WEXITSTATUS(status) == ENOMEM && n.present > 0 &&
	       !n.wrong && !spilled;
}

static bool fill_zero(void)
{
	struct uffdio_zeropage args = { .range = { (uintptr_t)mem, SIZE } };

	return !ioctl(fd, UFFDIO_ZEROPAGE, &args);
}

static bool test_zero(void)
{
	uint64_t *frames;
	bool one_page;

	mem = new_pages();
	fd = watch_faults(mem, SIZE, UFFDIO_REGISTER_MODE_MISSING, 0);
	if (!filled(fill_zero))
		return false;
	for (size_t i = 0; i < SIZE; i++)
		if (mem[i])
			return false;
	/* Not the zero page, whatever its color is. */
	frames = frames_of(mem, SIZE);
	one_page = frames[0] == frames[1];
	free(frames);
	return pure(mem, SIZE, half, "UFFDIO_ZEROPAGE") && !one_page;
}

static char *source;

static void *move_in(void *failed)
{
	struct uffdio_move args = {
		.dst = (uintptr_t)mem, .src = (uintptr_t)source, .len = SIZE,
	};

	return set_colors(other_half(), PR_PAGE_COLOR_STRICT) ||
	       ioctl(fd, UFFDIO_MOVE, &args) ? failed : NULL;
}

/* Pages of the same process, which only its own threads may move: as they are. */
static bool test_move(void)
{
	pthread_t thread;
	void *failed;

	if (set_colors(half, PR_PAGE_COLOR_STRICT))
		return false;
	mem = new_pages();
	source = words();
	fd = watch_faults(mem, SIZE, UFFDIO_REGISTER_MODE_MISSING, UFFD_FEATURE_MOVE);
	pthread_create(&thread, NULL, move_in, &fd);
	pthread_join(thread, &failed);
	return !failed && right("UFFDIO_MOVE");
}

static int file;

static bool go_on(void)
{
	struct uffdio_continue args = { .range = { (uintptr_t)mem, SIZE } };

	write_words(map_fd(file, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED), SIZE);
	return !ioctl(fd, UFFDIO_CONTINUE, &args);
}

/* The page of the file as it is, of who brought it in; it moves when asked to. */
static bool test_continue(void)
{
	file = memory_file(SIZE);
	mem = map_fd(file, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED);
	fd = watch_faults(mem, SIZE, UFFDIO_REGISTER_MODE_MINOR,
			  UFFD_FEATURE_MINOR_SHMEM);
	return filled(go_on) && pure(mem, SIZE, other_half(), "as it was") &&
	       !move_to_colors(mem, SIZE) && right("UFFDIO_CONTINUE");
}

static bool poison(void)
{
	struct uffdio_poison args = { .range = { (uintptr_t)mem, SIZE } };

	return !ioctl(fd, UFFDIO_POISON, &args);
}

/* No page, and none when it is used: the kernel cannot read it for us. */
static bool test_poison(void)
{
	int ends[2];

	mem = new_pages();
	fd = watch_faults(mem, SIZE, UFFDIO_REGISTER_MODE_MISSING, 0);
	return filled(poison) && !pipe(ends) && write(ends[1], mem, 1) < 0 &&
	       errno == EFAULT && !move_to_colors(mem, SIZE) &&
	       !pages_with(mem, SIZE, PM_PRESENT);
}

static bool protect(void)
{
	struct uffdio_writeprotect args = {
		.range = { (uintptr_t)mem, SIZE },
		.mode = UFFDIO_WRITEPROTECT_MODE_WP,
	};

	return !ioctl(fd, UFFDIO_WRITEPROTECT, &args);
}

/* What is there is protected as it is, what is not gets no page for it. */
static bool test_protect(void)
{
	bool ok;

	if (set_colors(half, PR_PAGE_COLOR_STRICT))
		return false;
	mem = words();
	/* What a child shares would not show whose page it is. */
	madvise(mem, SIZE, MADV_DONTFORK);
	fd = watch_faults(mem, SIZE, UFFDIO_REGISTER_MODE_WP, 0);
	ok = filled(protect) && pages_with(mem, SIZE, PM_UFFD_WP) == SIZE / page_size &&
	     right("UFFDIO_WRITEPROTECT");
	mem = new_pages();
	fd = watch_faults(mem, SIZE, UFFDIO_REGISTER_MODE_WP, UFFD_FEATURE_WP_UNPOPULATED);
	return ok && filled(protect) && !pages_with(mem, SIZE, PM_PRESENT) &&
	       pages_with(mem, SIZE, PM_UFFD_WP) == SIZE / page_size;
}

int main(void)
{
	static const struct row rows[] = {
		{ "UFFDIO_COPY", test_copy, NULL },
		{ "UFFDIO_COPY to shared memory", test_copy_shared, NULL },
		{ "UFFDIO_COPY of more than there is", test_copy_full, NULL },
		{ "UFFDIO_ZEROPAGE", test_zero, NULL },
		{ "UFFDIO_MOVE", test_move, NULL },
		{ "UFFDIO_CONTINUE", test_continue, NULL },
		{ "UFFDIO_POISON", test_poison, NULL },
		{ "UFFDIO_WRITEPROTECT", test_protect, NULL },
	};

	run_rows(rows, sizeof(rows) / sizeof(*rows));
}
