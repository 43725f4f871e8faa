// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: memory that others fill has the colors of whose memory it is,
 * as the table in Documentation/admin-guide/mm/page_color.rst says.
 *
 * Needs root, coloring switched on, /dev/ram0 for swapping, and CONFIG_GUP_TEST.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/mempolicy.h>
#include <sys/ptrace.h>
#include <sys/swap.h>
#include <sys/uio.h>
#include "page_color_filler.h"

#define KSM	"/sys/kernel/mm/ksm/"

/* As in mm/gup_test.h. */
struct pin_longterm_test {
	uint64_t addr, size;
	uint32_t flags;
};

#define PIN_LONGTERM_TEST_START	_IOW('g', 7, struct pin_longterm_test)
#define PIN_LONGTERM_TEST_STOP	_IO('g', 8)
#define PIN_FOR_WRITING		1

static bool fill_file(void)
{
	write_words(map_fd(fd, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED), SIZE);
	return true;
}

/* A file that both map is of who brings it in; it moves when asked to. */
static bool test_file(void)
{
	fd = memory_file(SIZE);
	mem = map_fd(fd, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED);
	return filled(fill_file) && words_are_right(mem, SIZE, "memfd") &&
	       pure(mem, SIZE, other_half(), "as it was") &&
	       !move_to_colors(mem, SIZE) && right("memfd");
}

static bool write_vm(void)
{
	struct iovec local = { words(), SIZE }, remote = { mem, SIZE };

	return process_vm_writev(owner, &local, 1, &remote, 1, 0) == SIZE;
}

static bool test_write_vm(void)
{
	mem = new_pages();
	return filled(write_vm) && right("process_vm_writev");
}

static bool write_mem(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/mem", owner);
	return pwrite(open(path, O_RDWR), words(), SIZE, (uintptr_t)mem) == SIZE;
}

static bool test_write_mem(void)
{
	mem = new_pages();
	return filled(write_mem) && right("/proc/PID/mem");
}

static bool poke(void)
{
	bool ok = !ptrace(PTRACE_ATTACH, owner, NULL, NULL) &&
		  waitpid(owner, NULL, __WALL) == owner;

	for (size_t at = 0; ok && at < SIZE; at += 512)
		ok = !ptrace(PTRACE_POKEDATA, owner, mem + at, word_at(at));
	return !ptrace(PTRACE_DETACH, owner, NULL, NULL) && ok;
}

static bool poked(const char *what)
{
	for (size_t at = 0; at < SIZE; at += 512)
		if (*(uint64_t *)(mem + at) != word_at(at))
			return false;
	return pure(mem, SIZE, half, what);
}

static bool test_poke(void)
{
	mem = new_pages();
	return filled(poke) && poked("ptrace");
}

/* A breakpoint in what is mapped to be read only, as text is. */
static bool test_poke_text(void)
{
	mem = map_fd(memory_file(SIZE), SIZE, PROT_READ, MAP_PRIVATE);
	for (size_t at = 0; at < SIZE; at += page_size)
		peek(mem + at);
	return filled(poke) && poked("ptrace, text");
}

static bool advise(int advice)
{
	struct iovec all = { mem, SIZE };
	int pidfd = syscall(SYS_pidfd_open, owner, 0);

	return syscall(SYS_process_madvise, pidfd, &all, 1UL, advice, 0) == SIZE;
}

static bool will_need(void)
{
	return advise(MADV_WILLNEED);
}

/* What is in swap is brought in for us by another. */
static bool test_will_need(void)
{
	long in;
	bool ok;

	if (swapon("/dev/ram0", 0) || set_colors(half, PR_PAGE_COLOR_STRICT))
		return false;
	mem = words();
	madvise(mem, SIZE, MADV_PAGEOUT);
	in = vm_event("pswpin");
	ok = filled(will_need);
	in = vm_event("pswpin") - in;
	ksft_print_msg("%ld pages swapped in\n", in);
	ok = ok && in > 0 && right("MADV_WILLNEED");
	return !swapoff("/dev/ram0") && ok;
}

static bool page_out(void)
{
	return advise(MADV_PAGEOUT);
}

static bool make_cold(void)
{
	return advise(MADV_COLD);
}

/* Others make our pages cold, which are there then, and swap them out. */
static bool test_page_out(void)
{
	long out;
	bool ok;

	if (swapon("/dev/ram0", 0) || set_colors(half, PR_PAGE_COLOR_STRICT))
		return false;
	mem = words();
	/* Pages that a child shares stay. */
	madvise(mem, SIZE, MADV_DONTFORK);
	ok = filled(make_cold) && pages_with(mem, SIZE, PM_PRESENT) == SIZE / page_size &&
	     right("MADV_COLD");
	out = vm_event("pswpout");
	ok = ok && filled(page_out);
	out = vm_event("pswpout") - out;
	ksft_print_msg("%ld pages swapped out, %zu are there\n", out,
		       pages_with(mem, SIZE, PM_PRESENT));
	ok = ok && out > 0 && pages_with(mem, SIZE, PM_PRESENT) < SIZE / page_size &&
	     words_are_right(mem, SIZE, "MADV_PAGEOUT") && right("MADV_PAGEOUT");
	return !swapoff("/dev/ram0") && ok;
}

static bool swap_off(void)
{
	return !swapoff("/dev/ram0");
}

/* Shared memory comes back in the colors of who calls swapoff; it moves when asked to. */
static bool test_swapoff_shared(void)
{
	long out, in;
	bool ok;

	if (swapon("/dev/ram0", 0) || set_colors(half, PR_PAGE_COLOR_STRICT))
		return false;
	mem = map_fd(memory_file(SIZE), SIZE, PROT_READ | PROT_WRITE, MAP_SHARED);
	write_words(mem, SIZE);
	out = vm_event("pswpout");
	madvise(mem, SIZE, MADV_PAGEOUT);
	out = vm_event("pswpout") - out;
	in = vm_event("pswpin");
	ok = filled(swap_off);
	in = vm_event("pswpin") - in;
	ksft_print_msg("%ld pages swapped out, %ld in\n", out, in);
	return ok && out == (long)(SIZE / page_size) && in == out &&
	       words_are_right(mem, SIZE, "swapoff") &&
	       pure(mem, SIZE, other_half(), "as it was") && !move_to_colors(mem, SIZE) &&
	       right("swapoff");
}

static bool read_all(void)
{
	return words_are_right(mem, SIZE, "shared since fork");
}

/* A page that is shared since fork comes in by who has other colors. */
static bool test_swap_shared(void)
{
	int ready[2], status;
	char byte;
	pid_t pid;
	bool ok;

	if (pipe(ready) || swapon("/dev/ram0", 0) ||
	    set_colors(half, PR_PAGE_COLOR_STRICT))
		return false;
	mem = words();
	madvise(mem, SIZE, MADV_PAGEOUT);
	pid = fork();
	if (!pid)
		_exit(set_colors(other_half(), PR_PAGE_COLOR_STRICT) || !read_all() ||
		      write(ready[1], "", 1) != 1 || pause());
	ok = read(ready[0], &byte, 1) == 1 && right("swapped in by another");
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return !swapoff("/dev/ram0") && ok;
}

static bool unmerge(void)
{
	return write_file(KSM "run", "2");
}

/* Pages that KSM merged before, and which are taken apart by another. */
static bool test_unmerge(void)
{
	long merged = 0;
	bool ok;

	mem = new_pages();
	memset(mem, 7, SIZE);
	if (madvise(mem, SIZE, MADV_MERGEABLE) ||
	    !write_file(KSM "pages_to_scan", "10000") ||
	    !write_file(KSM "sleep_millisecs", "0") || !write_file(KSM "run", "1"))
		return false;
	for (int i = 0; i < 300 && merged < 200; i++) {
		usleep(100000);
		merged = read_long(KSM "pages_sharing");
	}
	write_file(KSM "run", "0");
	ok = filled(unmerge);
	ksft_print_msg("%ld pages were merged\n", merged);
	for (size_t i = 0; i < SIZE; i++)
		ok &= mem[i] == 7;
	return ok && merged > 0 && pure(mem, SIZE, half, "KSM");
}

/* To another node, and by a task that has other colors. */
static bool move_away(void)
{
	void *pages[SIZE / 4096];
	int nodes[SIZE / 4096], status[SIZE / 4096];
	size_t n = SIZE / page_size;

	for (size_t i = 0; i < n; i++) {
		pages[i] = mem + i * page_size;
		nodes[i] = 1;
	}
	return !syscall(SYS_move_pages, owner, n, pages, nodes, status, MPOL_MF_MOVE_ALL);
}

static bool migrate_away(void)
{
	unsigned long from = ~0UL >> 1, to = 2;

	return syscall(SYS_migrate_pages, owner, 63UL, &from, &to) >= 0;
}

static bool moved(bool (*move)(void), const char *what)
{
	stay_on(0);
	if (set_colors(half, PR_PAGE_COLOR_STRICT))
		return false;
	mem = words();
	/* Of pages that a child shares only some calls move all. */
	madvise(mem, SIZE, MADV_DONTFORK);
	return filled(move) && right(what) && node_of(mem) == 1;
}

static bool has_nodes(void)
{
	return node_info(1, "MemTotal:") > 0;
}

static bool test_move_pages(void)
{
	return moved(move_away, "move_pages");
}

static bool test_migrate_pages(void)
{
	return moved(migrate_away, "migrate_pages");
}

/* Pages that are given to a pipe stay what they are. */
static bool test_gift(void)
{
	char page[4096];
	int ends[2];
	bool ok = true;

	if (pipe(ends) || set_colors(half, PR_PAGE_COLOR_STRICT))
		return false;
	mem = words();
	for (size_t at = 0; ok && at < SIZE; at += page_size) {
		struct iovec one = { mem + at, page_size };

		ok = vmsplice(ends[1], &one, 1, SPLICE_F_GIFT) == (ssize_t)page_size &&
		     read(ends[0], page, page_size) == (ssize_t)page_size &&
		     !memcmp(page, mem + at, page_size);
	}
	return ok && right("vmsplice");
}

/* Pages that are pinned are copied at fork: the child's are of its colors. */
static bool test_fork_pinned(void)
{
	struct pin_longterm_test pin = { .size = SIZE, .flags = PIN_FOR_WRITING };
	int test = open("/sys/kernel/debug/gup_test", O_RDWR), status;

	if (test < 0 || set_colors(half, PR_PAGE_COLOR_STRICT))
		return false;
	mem = words();
	pin.addr = (uintptr_t)mem;
	if (ioctl(test, PIN_LONGTERM_TEST_START, &pin))
		return false;
	if (!fork())
		_exit(!right("of the child"));
	wait(&status);
	return !ioctl(test, PIN_LONGTERM_TEST_STOP) && !status && right("pinned");
}

#define TRACING	"/sys/kernel/debug/tracing/"
#define EVENT	"page_color/hit"

static bool has_uprobes(void)
{
	return !access(TRACING "uprobe_events", W_OK);
}

static int probed(int n)
{
	return n + 1;
}

/* A call that the compiler does not know, and so does not leave out. */
static int call(int n)
{
	int (*to)(int) = probed;

	asm volatile("" : "+r" (to));
	return to(n);
}

/* A breakpoint at the function, in all processes that map the file. */
static bool set_breakpoint(void)
{
	unsigned long start, end, offset, at = (uintptr_t)probed;
	char line[512], path[256], event[512];
	FILE *maps = fopen("/proc/self/maps", "r");

	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %255s", &start, &end, &offset,
			   path) != 4 || at < start || at >= end)
			continue;
		snprintf(event, sizeof(event), "p:" EVENT " %s:%#lx\n", path,
			 at - start + offset);
		return write_file(TRACING "uprobe_events", event) &&
		       write_file(TRACING "events/" EVENT "/enable", "1");
	}
	return false;
}

static long hits(void)
{
	char text[1024], *at;

	if (read_file(TRACING "uprobe_profile", text, sizeof(text)) <= 0)
		return -1;
	at = strstr(text, " hit ");
	return at ? strtol(at + 5, NULL, 10) : -1;
}

/* Its copy of the text is ours, and is there when text was had privately. */
static bool test_breakpoint(void)
{
	char *text = (char *)((uintptr_t)probed & -page_size);
	int n = call(0);
	bool ok;

	ok = filled(set_breakpoint) && pure(text, page_size, half, "breakpoint") &&
	     !set_colors(half, PR_PAGE_COLOR_STRICT | PR_PAGE_COLOR_PRIVATE) &&
	     !move_to_colors(text, page_size);
	while (n < 100)
		n = call(n);
	ksft_print_msg("%ld of 99 hits\n", hits());
	ok = ok && hits() == 99;
	write_file(TRACING "events/" EVENT "/enable", "0");
	return write_file(TRACING "uprobe_events", "-:" EVENT "\n") && ok;
}

int main(void)
{
	static const struct row rows[] = {
		{ "memfd written by another", test_file, NULL },
		{ "process_vm_writev", test_write_vm, NULL },
		{ "/proc/PID/mem", test_write_mem, NULL },
		{ "ptrace", test_poke, NULL },
		{ "ptrace of what is read only", test_poke_text, NULL },
		{ "process_madvise", test_will_need, NULL },
		{ "process_madvise, cold and out", test_page_out, NULL },
		{ "swapoff of shared memory", test_swapoff_shared, NULL },
		{ "swapped in by who shares it", test_swap_shared, NULL },
		{ "KSM takes pages apart", test_unmerge, NULL },
		{ "move_pages", test_move_pages, has_nodes },
		{ "migrate_pages", test_migrate_pages, has_nodes },
		{ "vmsplice", test_gift, NULL },
		{ "fork of what is pinned", test_fork_pinned, NULL },
		{ "breakpoints of uprobes", test_breakpoint, has_uprobes },
	};

	run_rows(rows, sizeof(rows) / sizeof(*rows));
}
