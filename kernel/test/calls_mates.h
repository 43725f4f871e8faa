/* SPDX-License-Identifier: GPL-2.0-only */
/* Children of color_calls.c, which others fill, look at, move and end. */

/* A child has a copy of what is private. What is shared it must not write: it leaves that. */
static void be_child(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	is_double = true;
	for (int i = 0; i < AREAS; i++) {
		if (!areas[i].mem)
			continue;
		if (areas[i].shared) {
			munmap(areas[i].mem, areas[i].pages * PAGE);
			forget(&areas[i]);
		} else if (areas[i].guarded) {
			unguard(&areas[i]);
		}
	}
	memset(mates, 0, sizeof(mates));
	memset(jobs, 0, sizeof(jobs));
	if (uffd >= 0)
		close(uffd);
	uffd = -1;
	/* That is the parent's memory. */
	if (pagemap >= 0)
		close(pagemap);
	pagemap = -1;
	mm_is_mine = false;
}

/* Its end: in vain only by SIGKILL, for want of memory. */
static void join_child(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) != pid)
		if (errno != EINTR)
			return;
	if (WIFEXITED(status) && WEXITSTATUS(status))
		fault("child ended with %d", WEXITSTATUS(status));
	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
		fault("child was ended by signal %d", WTERMSIG(status));
}

static void step(void);

static void child(int kind)
{
	pid_t pid = fork();

	if (pid > 0)
		join_child(pid);
	if (pid)
		return;
	be_child();
	if (kind == EXEC) {
		execl("/proc/self/exe", "color_calls", "exec", NULL);
		/* A strict program without colors left; no memory, also for the arguments. */
		if (errno != EAGAIN && errno != ENOMEM && errno != E2BIG)
			fault("exec: %s", strerror(errno));
		_exit(0);
	}
	for (int i = 0; i < AREAS; i++) {
		if (!areas[i].mem)
			continue;
		check_area(&areas[i], "in a child");
		if (one_in(2))
			write_page(&areas[i], rnd() % areas[i].pages);
	}
	for (int i = kind == DOUBLE ? 40 : 0; i && !shared->stop; i--)
		step();
	for (int i = 0; i < AREAS; i++)
		if (areas[i].mem)
			check_area(&areas[i], "at a child's end");
	for (int i = 0; i < MATES; i++)
		if (mates[i].pid)
			must_end(mates[i].pid);
	_exit(0);
}

/* Memory of its own, again and again, until it is ended. */
static void walk(void)
{
	for (;;) {
		size_t size = some_pages() * PAGE;
		char *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (mem == MAP_FAILED)
			continue;
		set_some();
		for (size_t i = 0; i < size; i += PAGE)
			mem[i] = 1;
		munmap(mem, size);
	}
}

static void wait_for_monitor(char *mem)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .range = { (uintptr_t)mem, MATE_PAGES * PAGE }, .mode = UFFDIO_REGISTER_MODE_MISSING };
	int fd = syscall(SYS_userfaultfd, UFFD_USER_MODE_ONLY);

	if (fd >= 0 && !ioctl(fd, UFFDIO_API, &api) && !ioctl(fd, UFFDIO_REGISTER, &range))
		*mem = 1;
	pause();
}

static void live(struct mate *m)
{
	/* While it is open here, memory of the actor that has closed it waits for a monitor. */
	if (uffd >= 0)
		close(uffd);
	signal(SIGBUS, SIG_DFL);
	switch (m->mode) {
	case WALKS:
		walk();
		break;
	case RECOLORS:
		for (;;) {
			set_some();
			prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_MIGRATE, 0, 1UL << 46, 0);
			for (int i = 0; i < MATE_PAGES; i++)
				m->mem[i * PAGE] = 1;
		}
	case FAULTS:
		wait_for_monitor(m->mem);
		break;
	case HOGS:
		for (;;) {
			char *mem = mmap(NULL, 64 * MB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

			for (size_t i = 0; mem != MAP_FAILED && i < 64 * MB; i += PAGE)
				mem[i] = 1;
			munmap(mem, 64 * MB);
			set_some();
		}
	case RECLAIMS:
		for (;;) {
			puts_to(groups[rnd() % GROUPS], "memory.reclaim", "4M");
			puts_to(groups[rnd() % GROUPS], "cpuset.colors.migrate", "1");
		}
	case EXECS:
		for (;;) {
			if (!fork()) {
				prctl(PR_SET_PDEATHSIG, SIGKILL);
				execl("/proc/self/exe", "color_calls", "exec", NULL);
				_exit(0);
			}
			wait(NULL);
		}
	}
	for (;;)
		pause();
}

static pid_t fork_into(const char *group)
{
	struct clone_args args = { .flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD };
	int fd = open(group, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	pid_t pid = -1;

	if (fd >= 0) {
		args.cgroup = fd;
		pid = syscall(SYS_clone3, &args, sizeof(args));
		close(fd);
	}
	return pid;
}

static void new_mate(void)
{
	struct mate *m = &mates[rnd() % MATES];
	pid_t parent = getpid();
	bool elsewhere;

	if (m->pid)
		return;
	memset(m, 0, sizeof(*m));
	m->mode = one_in(2) ? WAITS : (int)(rnd() % MODES);
	m->mem = mmap(NULL, MATE_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (m->mem == MAP_FAILED)
		return;
	m->gen = changes();
	m->strict = strict_colors(m->set);
	elsewhere = one_in(4);
	m->pid = elsewhere ? fork_into(groups[rnd() % GROUPS]) : fork();
	if (!m->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(0);
		is_double = true;
		live(m);
	}
	munmap(m->mem, MATE_PAGES * PAGE);
	m->known = m->mode == WAITS;
	if (elsewhere)
		m->strict = false;
	if (m->pid < 0)
		m->pid = 0;
}

/* A mate that lives; what was killed for want of memory is forgotten. */
static struct mate *any_mate(void)
{
	struct mate *m = &mates[rnd() % MATES];

	if (m->pid && waitpid(m->pid, NULL, WNOHANG) != 0)
		m->pid = 0;
	return m->pid ? m : NULL;
}

/* A mate is stopped by ptrace: as long as it lives it stops soon. */
static bool trace(const struct mate *m)
{
	struct wait wait = {};
	int status;

	if (ptrace(PTRACE_ATTACH, m->pid, 0, 0))
		return false;
	while (waitpid(m->pid, &status, WNOHANG | __WALL) == 0) {
		/* Frozen, or it waits for somebody. */
		if (too_long(&wait, 1))
			return false;
	}
	return WIFSTOPPED(status);
}

static void check_mate(struct mate *m, int p)
{
	unsigned long set[LONGS];
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/pagemap", m->pid);
	if (!m->strict || (fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
		return;
	memcpy(set, m->set, sizeof(set));
	/* It has what its parent had; to compare is left out, as the parent may have others now. */
	if (!(m->gen & 1)) {
		int color = 0;
		long other = other_color(fd, m->mem + p * PAGE, 1, NULL, set, &color);

		if (changes() == m->gen) {
			if (other >= 0)
				fault("memory of %d that another filled at %p has color %d", m->pid, m->mem + p * PAGE, color);
			__atomic_add_fetch(&shared->looked, 1, __ATOMIC_RELAXED);
		}
	}
	close(fd);
}

static void poke(struct mate *m)
{
	int p = rnd() % MATE_PAGES, fd, n = 0;
	uint64_t mark = new_mark();
	char *at = m->mem + p * PAGE;
	struct iovec local = { scratch, PAGE }, remote = { at, PAGE };
	char path[64];

	if (!m->known)
		return;
	memset(scratch, 0, PAGE);
	fill(scratch, mark);
	switch (rnd() % 3) {
	case 0:
		n = process_vm_writev(m->pid, &local, 1, &remote, 1, 0) == (ssize_t)PAGE;
		break;
	case 1:
		snprintf(path, sizeof(path), "/proc/%d/mem", m->pid);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			return;
		n = pwrite(fd, scratch, PAGE, (uintptr_t)at) == (ssize_t)PAGE;
		close(fd);
		break;
	case 2:
		if (!trace(m))
			return;
		for (int i = 0; i < WORDS; i++)
			n += !ptrace(PTRACE_POKEDATA, m->pid, at + WORD(i) * 8, ((uint64_t *)scratch)[WORD(i)]);
		ptrace(PTRACE_DETACH, m->pid, 0, 0);
		n = n == WORDS;
		break;
	}
	m->mark[p] = n ? mark : UNKNOWN;
	if (n)
		check_mate(m, p);
}

static void peek_mate(struct mate *m)
{
	int p = rnd() % MATE_PAGES;
	struct iovec local = { scratch, PAGE }, remote = { m->mem + p * PAGE, PAGE };

	if (m->known && process_vm_readv(m->pid, &local, 1, &remote, 1, 0) == (ssize_t)PAGE)
		judge(scratch, m->mark[p], "memory of a mate");
}

static void advise_mate(struct mate *m)
{
	static const int advices[] = { MADV_WILLNEED, MADV_COLD, MADV_PAGEOUT, MADV_COLLAPSE };
	struct iovec remote = { m->mem, MATE_PAGES * PAGE };
	int fd = syscall(SYS_pidfd_open, m->pid, 0);

	if (fd < 0)
		return;
	syscall(SYS_process_madvise, fd, &remote, 1UL, advices[rnd() % 4], 0);
	close(fd);
}

static void move_mate(struct mate *m)
{
	unsigned long from = 1 + rnd() % 15, to = 1 << rnd() % 4;
	void *pages[MATE_PAGES];
	int nodes[MATE_PAGES], status[MATE_PAGES];

	if (one_in(2)) {
		syscall(SYS_migrate_pages, m->pid, 5UL, &from, &to);
		return;
	}
	for (int i = 0; i < MATE_PAGES; i++) {
		pages[i] = m->mem + i * PAGE;
		nodes[i] = rnd() % 4;
	}
	syscall(SYS_move_pages, m->pid, (unsigned long)MATE_PAGES, pages, one_in(4) ? NULL : nodes, status, one_in(2) ? 2 : 4);
}

static void end_mate(struct mate *m)
{
	if (one_in(4))
		kill(m->pid, SIGSTOP);
	must_end(m->pid);
	m->pid = 0;
}
