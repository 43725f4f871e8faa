// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs that try to get more page faults than the budget of their cgroup: tricks NAME SECONDS CGROUP
 *
 * CGROUP is the folder of the one that it is in, below which it may make others. Without arguments all names are printed.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "deadline.h"

#define PAGES 256

static double ends;
static const char *cgroup;
static char **self;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

static int goes_on(void)
{
	return now() < ends;
}

static char *area(void)
{
	char *pages = mmap(0, PAGES << 12, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(pages, PAGES << 12, MADV_NOHUGEPAGE);
	return pages;
}

/* Touches so many pages, each for the first time. */
static void take(int pages)
{
	static __thread char *mine;
	static __thread unsigned int next;

	if (!mine)
		mine = area();
	while (pages--) {
		mine[next % PAGES << 12] = 1;
		if (++next % PAGES == 0)
			madvise(mine, PAGES << 12, MADV_DONTNEED);
	}
}

static void take_all(void)
{
	while (goes_on())
		take(1);
}

/* A process that takes all it can, if nothing else is said. It ends with its parent. */
static pid_t child(void (*what)(void))
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	what();
	_exit(0);
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void write_to(const char *name, const char *text)
{
	char path[256];
	int file;

	snprintf(path, sizeof(path), "%s/%s", cgroup, name);
	file = open(path, O_WRONLY);
	if (file < 0 || write(file, text, strlen(text)) < 0) {
		perror(path);
		exit(1);
	}
	close(file);
}

static void below(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", cgroup, name);
	mkdir(path, 0755);
}

static void *thread(void *unused)
{
	take_all();
	return unused;
}

static void processes(void)
{
	for (int i = 0; i < 40; i++)
		child(take_all);
}

static void threads(void)
{
	pthread_t t;

	for (int i = 0; i < 16; i++)
		pthread_create(&t, NULL, thread, NULL);
	take_all();
}

static void take_some(void)
{
	take(9);
}

/* Each takes less than a budget. */
static void short_lives(void)
{
	while (goes_on()) {
		child(take_some);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
}

static void programs(void)
{
	while (goes_on()) {
		pid_t pid = vfork();

		if (!pid) {
			execl("/proc/self/exe", self[0], "some", "0", cgroup, NULL);
			_exit(1);
		}
		waitpid(pid, NULL, 0);
	}
}

/* Those that sleep are killed, and others take their place. */
static void kills(void)
{
	while (goes_on()) {
		pid_t pid = child(take_all);

		usleep(200);
		end(pid);
	}
}

static void daemons(void)
{
	while (goes_on()) {
		if (!fork()) {
			setsid();
			if (!fork())
				take(20);
			_exit(0);
		}
		wait(NULL);
	}
}

/* Where pages take longer than the timer, nothing but this runs: it looks at the time itself. */
static void takes_in_handler(int signal)
{
	struct itimerval never = { 0 };

	(void)signal;
	if (goes_on())
		take(3);
	else
		setitimer(ITIMER_REAL, &never, NULL);
}

/* Signals wake those that sleep. */
static void signals(void)
{
	struct itimerval often = { { 0, 100 }, { 0, 100 } };

	signal(SIGALRM, takes_in_handler);
	setitimer(ITIMER_REAL, &often, NULL);
	take_all();
}

static void stops(void)
{
	pid_t pid = child(take_all);

	while (goes_on()) {
		kill(pid, SIGSTOP);
		usleep(100);
		kill(pid, SIGCONT);
		usleep(100);
	}
	end(pid);
}

static void traced(void)
{
	pid_t pid = child(take_all);

	ptrace(PTRACE_SEIZE, pid, 0, 0);
	while (goes_on()) {
		ptrace(PTRACE_INTERRUPT, pid, 0, 0);
		waitpid(pid, NULL, 0);
		ptrace(PTRACE_CONT, pid, 0, 0);
		usleep(100);
	}
	end(pid);
}

static void on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* What a CPU has taken of the budget is left behind. */
static void hops(void)
{
	for (int i = 0; goes_on(); i++) {
		on(i & 1);
		take(2);
	}
}

static void yields(void)
{
	child(take_all);
	while (goes_on()) {
		take(1);
		sched_yield();
	}
}

static void classes(void)
{
	static const int policies[] = { SCHED_OTHER, SCHED_BATCH, SCHED_IDLE, SCHED_FIFO, SCHED_RR };

	for (int i = 0; goes_on(); i++) {
		struct sched_param param = { i % 5 > 2 ? 99 : 0 };

		sched_setscheduler(0, policies[i % 5], &param);
		take(2);
	}
}

static void fifo(void)
{
	struct sched_param highest = { 99 };

	sched_setscheduler(0, SCHED_FIFO, &highest);
	on(1);
	take_all();
}

static void deadline(void)
{
	if (become_deadline(400000, 500000)) {
		perror("deadline");
		exit(1);
	}
	take_all();
}

/* Saves up, and takes much around the end of a period. */
static void bursts(void)
{
	while (goes_on()) {
		struct timespec t;

		clock_gettime(CLOCK_MONOTONIC, &t);
		usleep(((1000000 - t.tv_nsec % 1000000) / 1000 + 950) % 1000);
		take(100);
	}
}

/* The kernel's own accesses, in long calls. */
static void reads(void)
{
	int zero = open("/dev/zero", O_RDONLY);
	char *pages = area();

	while (goes_on() && read(zero, pages, PAGES << 12) > 0)
		madvise(pages, PAGES << 12, MADV_DONTNEED);
}

/* The kernel's own, where others wait for a lock that it has. */
static void pipes(void)
{
	static const char text[16 << 12];
	char *pages = area();
	int ends_of[2];

	if (pipe(ends_of))
		exit(1);
	fcntl(ends_of[1], F_SETPIPE_SZ, 1 << 20);
	if (!fork()) {
		close(ends_of[0]);
		while (goes_on() && write(ends_of[1], text, sizeof(text)) > 0)
			;
		_exit(0);
	}
	/* Who still reads when the writer ends finds the end of the file. */
	close(ends_of[1]);
	fork();
	while (goes_on() && read(ends_of[0], pages, PAGES << 12) > 0)
		madvise(pages, PAGES << 12, MADV_DONTNEED);
}

/* Threads of the kernel that read on behalf of the program. */
static void workers(void)
{
	struct io_uring_params params = { 0 };
	int zero = open("/dev/zero", O_RDONLY), ring = syscall(SYS_io_uring_setup, 8, &params);
	struct io_uring_sqe *entries;
	unsigned int *array, *tail, *done, *head;
	char *pages = area(), *queue, *completions;

	if (ring < 0) {
		perror("io_uring_setup");
		exit(1);
	}
	queue = mmap(0, params.sq_off.array + 8 * sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQ_RING);
	completions = mmap(0, params.cq_off.cqes + 16 * sizeof(struct io_uring_cqe), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring,
			   IORING_OFF_CQ_RING);
	entries = mmap(0, 8 * sizeof(*entries), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQES);
	tail = (unsigned int *)(queue + params.sq_off.tail);
	array = (unsigned int *)(queue + params.sq_off.array);
	head = (unsigned int *)(completions + params.cq_off.head);
	done = (unsigned int *)(completions + params.cq_off.tail);
	while (goes_on()) {
		memset(entries, 0, sizeof(*entries));
		entries->opcode = IORING_OP_READ;
		entries->flags = IOSQE_ASYNC;
		entries->fd = zero;
		entries->addr = (unsigned long)pages;
		entries->len = PAGES << 12;
		array[*tail & 7] = 0;
		__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
		if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
			continue;
		__atomic_store_n(head, __atomic_load_n(done, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
		madvise(pages, PAGES << 12, MADV_DONTNEED);
	}
}

/* Between cgroups below its own. */
static void moves(void)
{
	below("x");
	below("y");
	for (int i = 0; goes_on(); i++) {
		write_to(i & 1 ? "x/cgroup.procs" : "y/cgroup.procs", "0");
		take(4);
	}
	write_to("cgroup.procs", "0");
}

/* Children that begin in a cgroup below. */
static void born_below(void)
{
	char path[256];
	int folder;

	below("x");
	snprintf(path, sizeof(path), "%s/x", cgroup);
	folder = open(path, O_RDONLY | O_DIRECTORY);
	while (goes_on()) {
		struct clone_args args = { .flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD, .cgroup = folder };
		pid_t pid = syscall(SYS_clone3, &args, sizeof(args));

		if (pid < 0) {
			perror("clone3");
			exit(1);
		}
		if (!pid) {
			take(40);
			_exit(0);
		}
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
}

static void in_x(void)
{
	write_to("x/cgroup.procs", "0");
	take_all();
}

static void freezes(void)
{
	pid_t pid;

	below("x");
	pid = child(in_x);
	while (goes_on()) {
		write_to("x/cgroup.freeze", "1");
		usleep(100);
		write_to("x/cgroup.freeze", "0");
		usleep(300);
	}
	end(pid);
}

static const struct {
	const char *name;
	void (*run)(void);
} tricks[] = {
	{ "processes", processes }, { "threads", threads }, { "short-lives", short_lives }, { "programs", programs }, { "kills", kills },
	{ "daemons", daemons }, { "signals", signals }, { "stops", stops }, { "traced", traced }, { "hops", hops }, { "yields", yields },
	{ "classes", classes }, { "fifo", fifo }, { "deadline", deadline }, { "bursts", bursts }, { "reads", reads }, { "pipes", pipes },
	{ "workers", workers }, { "moves", moves }, { "born-below", born_below }, { "freezes", freezes },
};

int main(int argc, char **argv)
{
	self = argv;
	if (argc < 4) {
		for (unsigned int i = 0; i < sizeof(tricks) / sizeof(*tricks); i++)
			puts(tricks[i].name);
		return 0;
	}
	cgroup = argv[3];
	ends = now() + atof(argv[2]);
	if (!strcmp(argv[1], "some")) {
		take_some();
		return 0;
	}
	for (unsigned int i = 0; i < sizeof(tricks) / sizeof(*tricks); i++)
		if (!strcmp(argv[1], tricks[i].name)) {
			tricks[i].run();
			while (goes_on())
				usleep(1000);
			return 0;
		}
	fprintf(stderr, "tricks: no trick '%s'\n", argv[1]);
	return 2;
}
