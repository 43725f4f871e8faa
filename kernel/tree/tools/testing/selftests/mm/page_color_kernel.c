// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: rings that the kernel shares with a process, and those who work
 * for a process in the kernel, as the tables in
 * Documentation/admin-guide/mm/page_color.rst say.
 *
 * Needs root, coloring switched on (/sys/kernel/mm/page_color/enabled), CONFIG_AIO,
 * CONFIG_IO_URING, CONFIG_PACKET and CONFIG_COREDUMP.
 */
#define _GNU_SOURCE
#include <glob.h>
#include <linux/aio_abi.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/memfd.h>
#include <net/if.h>
#include <arpa/inet.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include "page_color_uring.h"

#define OWN	(PR_PAGE_COLOR_STRICT | PR_PAGE_COLOR_PRIVATE)
#define PATTERN	"/proc/sys/kernel/core_pattern"
#define CORE	"/tmp/page_color_core"
#define RAMFS	"/tmp/page_color_ramfs"

/* Words in a file in memory, which is not mapped any more. */
static int file_of_words(size_t size)
{
	int fd = memory_file(size);
	char *mem = map_fd(fd, size, PROT_READ | PROT_WRITE, MAP_SHARED);

	write_words(mem, size);
	munmap(mem, size);
	return fd;
}

static char *small_pages(size_t size)
{
	char *mem = map_pages(size);

	madvise(mem, size, MADV_NOHUGEPAGE);
	return mem;
}

static bool same_frames(const uint64_t *before, const char *mem, size_t size)
{
	uint64_t *after = frames_of(mem, size);
	bool same = true;

	for (size_t i = 0; i < size / page_size; i++)
		same &= before[i] && before[i] == after[i];
	free(after);
	return same;
}

/*
 * Pages that the kernel has for a ring are of any color, also for who has one alone;
 * they are left where they are, and those of other colors counted.
 */
static bool stays(const char *mem, size_t size, const char *what)
{
	size_t pages = size / page_size;
	uint64_t *frames = frames_of(mem, size);
	long left = move_to_colors(mem, size), wrong;
	bool same = same_frames(frames, mem, size);

	wrong = look(mem, size, one, true).wrong;
	ksft_print_msg("%s: %ld of %zu pages of other colors, %ld left\n", what, wrong,
		       pages, left);
	free(frames);
	/* Of a block all are counted if it has one of another color. */
	return same && wrong > 0 && left >= wrong && left <= (long)pages;
}

static bool test_uring(void)
{
	struct io_uring_sqe nop = { .opcode = IORING_OP_NOP };
	long spilled = read_long(DIR "spilled");
	struct uring u;

	if (set_colors(one, OWN))
		return false;
	u = new_uring(1024, 0);
	spilled = read_long(DIR "spilled") - spilled;
	ksft_print_msg("%ld pages spilled\n", spilled);
	return !spilled && stays(u.ring, u.ring_size, "queues") &&
	       stays(u.sqes, u.sqes_size, "requests") && !uring_do(&u, &nop);
}

static bool aio_read(aio_context_t ctx, int fd, char *mem, size_t size)
{
	struct iocb cb = {
		.aio_lio_opcode = IOCB_CMD_PREAD,
		.aio_fildes = fd,
		.aio_buf = (uintptr_t)mem,
		.aio_nbytes = size,
	}, *list = &cb;
	struct io_event event;

	return syscall(SYS_io_submit, ctx, 1L, &list) == 1 &&
	       syscall(SYS_io_getevents, ctx, 1L, 1L, &event, NULL) == 1 &&
	       event.res == (long)size && words_are_right(mem, size, "AIO");
}

/* Its context is the address of the ring; it is in use before it moves and after. */
static bool test_aio(void)
{
	aio_context_t ctx = 0;
	int fd = file_of_words(MB);
	size_t size = 0;
	struct count n;
	long left;
	char *ring;
	bool ok;

	if (set_colors(one, OWN) || syscall(SYS_io_setup, 2000L, &ctx))
		return false;
	ring = (char *)ctx;
	/* So many entries of 32 bytes, and a head. */
	for (; size < 2000 * 32; size += page_size)
		peek(ring + size);
	n = look(ring, size, one, true);
	ok = aio_read(ctx, fd, small_pages(MB), MB);
	left = move_to_colors(ring, size);
	ksft_print_msg("%ld of %ld pages of other colors, then %ld left\n", n.wrong,
		       n.present, left);
	return ok && n.wrong > 0 && !left && pure(ring, size, one, "moved") &&
	       aio_read(ctx, fd, small_pages(MB), MB) && !syscall(SYS_io_destroy, ctx);
}

/* In a network of its own, whose lo nobody else has. */
static int packet_socket(struct sockaddr_ll *to)
{
	struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int fd;

	if (unshare(CLONE_NEWNET))
		ksft_exit_fail_msg("network: %s\n", strerror(errno));
	fd = socket(AF_PACKET, SOCK_DGRAM, htons(ETH_P_ALL));
	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &lo) || ioctl(fd, SIOCGIFINDEX, &lo))
		ksft_exit_fail_msg("packet socket: %s\n", strerror(errno));
	*to = (struct sockaddr_ll) {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_LOOP),
		.sll_ifindex = lo.ifr_ifindex,
		.sll_halen = ETH_ALEN,
	};
	return fd;
}

/* What comes in is in the first frame of the ring, also after MIGRATE. */
static bool test_packet(void)
{
	struct sockaddr_ll lo;
	int fd = packet_socket(&lo);
	struct tpacket_req req = {
		.tp_block_size = page_size,
		.tp_block_nr = 64,
		.tp_frame_size = page_size / 2,
		.tp_frame_nr = 128,
	};
	const size_t size = 64 * page_size;
	long spilled = read_long(DIR "spilled");
	static const char text[] = "through the ring";
	struct tpacket_hdr *first;
	char *mem;

	if (set_colors(one, OWN) ||
	    setsockopt(fd, SOL_PACKET, PACKET_RX_RING, &req, sizeof(req)))
		return false;
	spilled = read_long(DIR "spilled") - spilled;
	mem = map_fd(fd, size, PROT_READ | PROT_WRITE, MAP_SHARED);
	if (spilled || !stays(mem, size, "packet ring") ||
	    sendto(fd, text, sizeof(text), 0, (void *)&lo, sizeof(lo)) != sizeof(text))
		return false;
	first = (struct tpacket_hdr *)mem;
	for (int i = 0; i < 100 && !(first->tp_status & TP_STATUS_USER); i++)
		usleep(10000);
	return first->tp_status & TP_STATUS_USER &&
	       !memcmp(mem + first->tp_net, text, sizeof(text));
}

/* Huge pages are of all colors, and there for who has one alone. */
static bool test_hugetlb(void)
{
	const size_t size = 2 * MB;
	uint64_t *frames;
	char *mem;
	long wrong;
	bool ok;

	if (!write_file("/proc/sys/vm/nr_hugepages", "4") || set_colors(one, OWN))
		return false;
	mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	if (mem == MAP_FAILED)
		return false;
	write_words(mem, size);
	frames = frames_of(mem, size);
	wrong = look(mem, size, one, true).wrong;
	ok = wrong > 0 && !move_to_colors(mem, size) && same_frames(frames, mem, size);
	ksft_print_msg("%ld of %zu pages of other colors\n", wrong, size / page_size);
	ok = ok && words_are_right(mem, size, "hugetlb");
	free(frames);
	munmap(mem, size);
	return write_file("/proc/sys/vm/nr_hugepages", "0") && ok;
}

/* The newest thread of the kernel that works for this process; 0 without one. */
static pid_t worker(const char *name)
{
	pid_t newest = 0, pid;
	char comm[64];
	glob_t files;

	if (glob("/proc/self/task/*/comm", 0, NULL, &files))
		return 0;
	for (size_t i = 0; i < files.gl_pathc; i++) {
		if (read_file(files.gl_pathv[i], comm, sizeof(comm)) <= 0 ||
		    strncmp(comm, name, strlen(name)))
			continue;
		pid = atoi(files.gl_pathv[i] + strlen("/proc/self/task/"));
		newest = pid > newest ? pid : newest;
	}
	globfree(&files);
	return newest;
}

/* New memory that a request fills has the colors that the process is given. */
static bool worker_fills(struct uring *u, int file, int flags, const unsigned long *set)
{
	char *mem = small_pages(MB);
	bool ok = !set_colors(set, PR_PAGE_COLOR_STRICT) &&
		  uring_read(u, file, mem, MB, IORING_OP_READ, flags) &&
		  pure(mem, MB, set, "filled by a worker") &&
		  words_are_right(mem, MB, "filled by a worker");

	munmap(mem, MB);
	return ok;
}

/*
 * A worker is made when the process has other colors than later, and keeps these for
 * itself. What it writes into memory that nobody has touched is in the colors that
 * the process has then. Tried again if there is a new one, which may be made at any time.
 */
static bool filled_by_worker(unsigned int setup, int flags, const char *name)
{
	long spilled = read_long(DIR "spilled");
	int file = file_of_words(MB), tries = 0;
	struct uring u;
	pid_t before;

	if (set_colors(other_half(), PR_PAGE_COLOR_STRICT))
		return false;
	u = new_uring(8, setup);
	do {
		if (!worker_fills(&u, file, flags, other_half()))
			return false;
		before = worker(name);
		if (!worker_fills(&u, file, flags, half))
			return false;
	} while ((!before || worker(name) != before) && ++tries < 10);
	spilled = read_long(DIR "spilled") - spilled;
	ksft_print_msg("%d times by a new %s, %ld pages spilled\n", tries, name, spilled);
	return tries < 10 && !spilled;
}

static bool test_worker(void)
{
	return filled_by_worker(0, IOSQE_ASYNC, "iou-wrk-");
}

static bool test_poller(void)
{
	return filled_by_worker(IORING_SETUP_SQPOLL, 0, "iou-sqp-");
}

/* Buffers that are registered are pinned: in the colors, and left there. */
static bool test_fixed(void)
{
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	int file = file_of_words(MB);
	char *mem = small_pages(MB);
	struct iovec buffer = { mem, MB };
	struct uring u;
	long left;

	setrlimit(RLIMIT_MEMLOCK, &all);
	if (set_colors(half, OWN))
		return false;
	u = new_uring(8, 0);
	if (syscall(SYS_io_uring_register, u.fd, IORING_REGISTER_BUFFERS, &buffer, 1) ||
	    !pure(mem, MB, half, "registered") || set_colors(other_half(), OWN))
		return false;
	left = move_to_colors(mem, MB);
	ksft_print_msg("%ld of %zu pages left\n", left, MB / page_size);
	return left == (long)(MB / page_size) && pure(mem, MB, half, "as before") &&
	       uring_read(&u, file, mem, MB, IORING_OP_READ_FIXED, IOSQE_ASYNC) &&
	       words_are_right(mem, MB, "fixed buffer");
}

/* Pages of a file that are in memory, and those of them with other colors. */
static struct count resident(int fd, size_t size, const unsigned long *set)
{
	char *mem = map_fd(fd, size, PROT_READ, MAP_SHARED);
	unsigned char *there = malloc(size / page_size);
	struct count n = {};

	if (!there || mincore(mem, size, there))
		ksft_exit_fail_msg("mincore: %s\n", strerror(errno));
	for (size_t i = 0; i < size / page_size; i++) {
		struct count page;

		if (!(there[i] & 1))
			continue;
		peek(mem + i * page_size);
		page = look(mem + i * page_size, page_size, set, true);
		n.present += page.present;
		n.wrong += page.wrong;
	}
	free(there);
	munmap(mem, size);
	return n;
}

#define UNTOUCHED	(64 * MB)

/* What dies: with memory that it wrote, and some that it did not touch. */
static void crash(int shared)
{
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };

	if (setrlimit(RLIMIT_CORE, &all) || !write_file("/proc/self/coredump_filter", "0xf") ||
	    set_colors(half, PR_PAGE_COLOR_STRICT))
		_exit(1);
	/* Of a mapping that was not touched at all nothing is dumped. */
	touch(small_pages(UNTOUCHED), 1, 1);
	map_fd(shared, MB, PROT_READ | PROT_WRITE, MAP_SHARED);
	write_words(small_pages(MB), MB);
	raise(SIGABRT);
	_exit(1);
}

/* Is the last of the words in it, at the end of a page? */
static bool has_words(int fd, size_t size)
{
	const uint64_t first = word_at(0), last = word_at(MB - 8);
	uint64_t word;

	for (size_t at = 0; at + MB <= size; at += page_size)
		if (pread(fd, &word, 8, at) == 8 && word == first &&
		    pread(fd, &word, 8, at + MB - 8) == 8 && word == last)
			return true;
	return false;
}

/*
 * Private memory that was not touched gets no page for it. Shared memory does, and the
 * file that is written: of who crashes.
 */
static bool test_core(void)
{
	long spilled = read_long(DIR "spilled");
	int shared = memory_file(MB), status, fd;
	struct count core, brought;
	char before[256];
	struct stat st;
	pid_t pid;
	bool ok;

	if (read_file(PATTERN, before, sizeof(before)) < 0 || !write_file(PATTERN, CORE))
		return false;
	pid = fork();
	if (!pid)
		crash(shared);
	ok = waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) && WCOREDUMP(status);
	write_file(PATTERN, before);
	fd = open(CORE, O_RDONLY);
	if (!ok || fd < 0 || unlink(CORE) || fstat(fd, &st)) {
		ksft_print_msg("status %#x, core: %s\n", status, strerror(errno));
		return false;
	}
	spilled = read_long(DIR "spilled") - spilled;
	brought = resident(shared, MB, half);
	core = resident(fd, st.st_size / page_size * page_size, half);
	ksft_print_msg("core: %ld of %ld pages, %ld of other colors; %ld spilled\n",
		       core.present, (long)(st.st_size / page_size), core.wrong, spilled);
	ksft_print_msg("shared: %ld pages, %ld of other colors\n", brought.present,
		       brought.wrong);
	return st.st_size > (off_t)UNTOUCHED && !spilled &&
	       core.present > (long)(2 * MB / page_size) &&
	       core.present < (long)(UNTOUCHED / page_size) && !core.wrong &&
	       brought.present == (long)(MB / page_size) && !brought.wrong &&
	       has_words(fd, st.st_size);
}

/*
 * Page cache whose file system does not ask for it as movable memory of users: of any
 * color, until MIGRATE moves it.
 */
static bool any_color(int fd, const char *what)
{
	size_t pages = MB / page_size;
	long left, wrong;
	char *mem;

	if (fd < 0 || set_colors(one, OWN))
		return false;
	mem = map_fd(fd, MB, PROT_READ, MAP_SHARED);
	for (size_t i = 0; i < MB; i += page_size)
		peek(mem + i);
	wrong = look(mem, MB, one, true).wrong;
	left = move_to_colors(mem, MB);
	/* Large folios, which newer kernels than 6.12 have here, are unmapped when split. */
	for (size_t i = 0; i < MB; i += page_size)
		peek(mem + i);
	ksft_print_msg("%s: %ld of %zu pages of other colors, %ld left\n", what, wrong,
		       pages, left);
	return wrong > 0 && !left && pure(mem, MB, one, what);
}

static bool test_block(void)
{
	return any_color(open("/dev/ram2", O_RDONLY), "block device");
}

static bool test_ramfs(void)
{
	bool ok;
	int fd;

	if (mkdir(RAMFS, 0755) || mount("ramfs", RAMFS, "ramfs", 0, NULL))
		return false;
	fd = open(RAMFS "/file", O_RDWR | O_CREAT, 0600);
	ok = !ftruncate(fd, MB) && any_color(fd, "ramfs");
	umount2(RAMFS, MNT_DETACH);
	return !rmdir(RAMFS) && ok;
}

int main(void)
{
	static const struct row rows[] = {
		{ "rings of io_uring", test_uring, NULL },
		{ "ring of AIO", test_aio, NULL },
		{ "packet ring", test_packet, NULL },
		{ "block device", test_block, NULL },
		{ "ramfs", test_ramfs, NULL },
		{ "hugetlb", test_hugetlb, NULL },
		{ "workers of io_uring", test_worker, NULL },
		{ "thread of io_uring that polls", test_poller, NULL },
		{ "fixed buffers of io_uring", test_fixed, NULL },
		{ "core dump", test_core, NULL },
	};

	run_rows(rows, sizeof(rows) / sizeof(*rows));
}
