/* SPDX-License-Identifier: GPL-2.0-only */
/* What color_calls.c writes to cgroups and the kernel's files, and kinds of memory that are not colored. */

static const char *some_list(void)
{
	static char text[256];
	int n = 0;

	for (int i = rnd() % 3; i >= 0; i--) {
		int from = rnd() % nr_colors, to = one_in(2) ? from : from + (int)(rnd() % nr_colors);

		if (to >= nr_colors && !one_in(16))
			to = nr_colors - 1;
		n += snprintf(text + n, sizeof(text) - n, "%s%d-%d", n ? "," : "", from, to);
	}
	return text;
}

static const char *some_size(void)
{
	static char text[32];

	if (one_in(3))
		return "max";
	snprintf(text, sizeof(text), "%luM", 8 + rnd() % 120);
	return text;
}

static void group(void)
{
	static const char * const sizes[] = { "memory.max", "memory.high", "memory.low", "memory.min", "memory.swap.max" };
	static const char * const cpus[] = { "", "0-1", "0-3", "2", "1-3" };
	const char *dir = groups[rnd() % GROUPS];
	char text[32];

	switch (rnd() % 16) {
	case 0 ... 4:
		change(dir, "cpuset.colors", one_in(5) ? "\n" : some_list());
		break;
	case 5 ... 6:
		change(dir, "cpuset.colors.strict", one_in(2) ? "1" : "0");
		break;
	case 7:
		change(dir, "cpuset.colors.migrate", "1");
		break;
	case 8 ... 9:
		puts_to(dir, sizes[rnd() % 5], some_size());
		break;
	case 10:
		snprintf(text, sizeof(text), "%luM", rnd() % 16);
		puts_to(dir, "memory.reclaim", text);
		break;
	case 11:
		puts_to(dir, "memory.oom.group", one_in(4) ? "1" : "0");
		break;
	case 12:
		/* Whoever else could thaw it may be in it: who has begun the round does. */
		puts_to(dir, "cgroup.freeze", one_in(4) ? "1" : "0");
		break;
	case 13:
		puts_to(dir, one_in(2) ? "cpuset.mems" : "cpuset.cpus", cpus[rnd() % 5]);
		break;
	case 14:
		change(dir, "cgroup.subtree_control", one_in(3) ? "-cpuset" : one_in(2) ? "+memory" : "+cpuset");
		break;
	case 15:
		puts_to(dir, "pids.max", one_in(2) ? "max" : "30");
		break;
	}
}

static void group_move(void)
{
	struct mate *m = any_mate();
	char text[16] = "0";

	if (m && one_in(2)) {
		snprintf(text, sizeof(text), "%d", m->pid);
		m->strict = false;
	}
	change(groups[rnd() % GROUPS], one_in(4) ? "cgroup.threads" : "cgroup.procs", text);
}

static void group_make(void)
{
	const char *dir = groups[rnd() % GROUPS];

	if (!begin_change())
		return;
	if (one_in(2)) {
		if (!mkdir(dir, 0755) && strstr(dir, "/t/"))
			puts_to(dir, "cgroup.type", "threaded");
	} else {
		rmdir(dir);
	}
	end_change();
}

static void some_swap(void)
{
	/* Pages come back for those whose memory it is, as their colors are then. */
	if (!begin_change())
		return;
	if (one_in(2))
		swapoff("/dev/vda");
	else
		swapon("/dev/vda", one_in(2) ? 0 : SWAP_FLAG_PREFER | 5);
	end_change();
}

static char map_text[4096];

static void sysfs(void)
{
	static const char * const maps[] = { "0x10", "0x2000,0x2000@", "0x2000@0-1:0", "0x", "@", "0x1000-", "0x3000,0x7000,0x0" };
	static const char * const limits[] = { "policies", "user_policies", "user_share", "users_share", "ahead" };
	char text[64];

	if (!begin_change())
		return;
	switch (rnd() % 6) {
	case 0:
		if (puts_to(DIR, "enabled", "0"))
			puts_to(DIR, "map", map_text);
		puts_to(DIR, "enabled", "1");
		break;
	case 1:
		puts_to(DIR, "map", maps[rnd() % 7]);
		break;
	case 2:
		puts_to(DIR, "cache_bits", one_in(2) ? "0-1" : some_list());
		break;
	case 3:
		snprintf(text, sizeof(text), "%lu", one_in(4) ? rnd() % 20 : rnd() % 20000);
		puts_to(DIR "limits", limits[rnd() % 5], text);
		break;
	case 4:
		snprintf(text, sizeof(text), "%s%d %s colors=%lu%s%s", one_in(3) ? "-" : "", one_in(2) ? MEMBER : NOBODY,
			 one_in(2) ? "/bin/color_calls" : "/bin/color_*", 1 + rnd() % 4, one_in(2) ? " strict" : "",
			 one_in(3) ? " private" : one_in(3) ? " ahead=64" : "");
		puts_to("/proc/page_color", "programs", text);
		break;
	case 5:
		puts_to("/proc/page_color", "programs", "99999999999 /x colors=0");
		break;
	}
	end_change();
}

static void read_files(void)
{
	static const char * const names[] = {
		"enabled", "map", "colors", "owned", "spilled", "cache_bits", "stats/indexed", "stats/ahead", "stats/reserved",
		"limits/policies",
	};
	static const char * const more[] = {
		"/sys/kernel/debug/page_color/zones", "/sys/kernel/debug/page_color/colors", "/proc/page_color/programs",
		"/proc/page_color/tasks", "/proc/self/page_colors", "/proc/self/smaps", "/proc/self/numa_maps", "/proc/pagetypeinfo",
		"/proc/zoneinfo", "/proc/vmstat",
	};
	static const char * const per_pid[] = { "page_colors", "smaps_rollup", "numa_maps", "maps", "status" };
	const struct mate *m = any_mate();
	char path[128], text[65536];

	switch (rnd() % 4) {
	case 0:
		get(DIR, names[rnd() % 10], text, sizeof(text));
		return;
	case 1:
		get(groups[rnd() % GROUPS], one_in(2) ? "cpuset.colors.effective" : "cpuset.colors", text, sizeof(text));
		return;
	case 2:
		read_file(more[rnd() % 10], text, sizeof(text));
		return;
	}
	if (m) {
		snprintf(path, sizeof(path), "/proc/%d/%s", m->pid, per_pid[rnd() % 5]);
		read_file(path, text, sizeof(text));
	}
}

/* In a child: it may be ended for want of such memory. */
static void special(int kind)
{
	pid_t pid = fork();
	size_t size = kind == HUGETLB ? 2 * MB : 16 * PAGE;
	char *mem = MAP_FAILED;
	int fd;

	if (pid > 0) {
		waitpid(pid, NULL, 0);
		return;
	}
	if (pid < 0)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGBUS, SIG_DFL);
	if (kind == HUGETLB) {
		if (roles[me] == ROOT)
			write_file("/proc/sys/vm/nr_hugepages", one_in(2) ? "2" : "0");
		mem = mmap(NULL, size, PROT_READ | PROT_WRITE, (one_in(2) ? MAP_PRIVATE : MAP_SHARED) | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	} else {
		fd = syscall(447 /* memfd_secret */, 0);
		if (fd >= 0 && !ftruncate(fd, size))
			mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	}
	if (mem == MAP_FAILED)
		_exit(0);
	for (size_t i = 0; i < size; i += PAGE)
		mem[i] = 1;
	set_some();
	prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_MIGRATE, mem, size, 0);
	for (size_t i = 0; i < size; i += PAGE)
		if (mem[i] != 1)
			fault("special memory has lost a byte");
	if (kind == HUGETLB && !fork()) {
		mem[0] = 2;
		_exit(0);
	}
	_exit(0);
}

/* Is "keep" on the command line? */
static bool keeps_code(void)
{
	static int keeps = -1;
	char line[4096] = "";
	FILE *file;

	if (keeps < 0) {
		file = fopen("/proc/cmdline", "r");
		keeps = file && fgets(line, sizeof(line), file) && strstr(line, " keep");
		if (file)
			fclose(file);
	}
	return keeps;
}

static void knob(void)
{
	static const char * const knobs[][2] = {
		{ "/proc/sys/vm/compact_memory", "1" }, { "/proc/sys/vm/drop_caches", "1" }, { "/proc/sys/vm/drop_caches", "2" },
		{ "/sys/kernel/mm/ksm/run", "1" }, { "/sys/kernel/mm/ksm/run", "2" }, { "/sys/kernel/mm/ksm/run", "0" },
		{ "/sys/kernel/mm/transparent_hugepage/enabled", "always" }, { "/sys/kernel/mm/transparent_hugepage/enabled", "madvise" },
		{ "/sys/kernel/mm/transparent_hugepage/hugepages-64kB/enabled", "always" },
		{ "/sys/kernel/mm/transparent_hugepage/hugepages-64kB/enabled", "never" },
		{ "/proc/sys/vm/swappiness", "0" }, { "/proc/sys/vm/swappiness", "200" }, { "/proc/sys/vm/swappiness", "60" },
		{ "/proc/sys/vm/compact_unevictable_allowed", "0" }, { "/proc/sys/vm/compact_unevictable_allowed", "1" },
		{ "/proc/sys/vm/unprivileged_userfaultfd", "1" },
		/* These change the kernel's code; with "keep" on the command line the emulator cannot do that (kernel/README.md, pitfalls). */
		{ "/proc/sys/kernel/numa_balancing", "1" }, { "/proc/sys/kernel/numa_balancing", "0" },
		{ "/sys/kernel/mm/lru_gen/enabled", "0" }, { "/sys/kernel/mm/lru_gen/enabled", "7" },
	};
	int n = rnd() % (sizeof(knobs) / sizeof(*knobs) - (keeps_code() ? 4 : 0));

	/* Pages that KSM takes apart are of the colors that are set then. */
	if (!begin_change())
		return;
	write_file(knobs[n][0], knobs[n][1]);
	end_change();
}
