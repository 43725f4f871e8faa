/* SPDX-License-Identifier: GPL-2.0-only */
/* How a round of color_calls.c begins and ends: users, the map, cgroups, and that all is back afterwards. */

static void become(enum role role)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct caps[2] = {};
	struct rlimit locked = { MB, MB };
	uid_t user = role == MAY ? MEMBER : NOBODY;

	setrlimit(RLIMIT_MEMLOCK, &locked);
	write_file("/proc/self/oom_score_adj", "500");
	/* The frames are shown to who opened it. */
	pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	if (role == ROOT)
		return;
	prctl(PR_SET_KEEPCAPS, role == MAY, 0, 0, 0);
	if (setresgid(user, user, user) || setresuid(user, user, user))
		fault("setresuid: %s", strerror(errno));
	caps[0].effective = caps[0].permitted = role == MAY ? 1 << CAP_SYS_NICE : 0;
	if (syscall(SYS_capset, &head, caps))
		fault("capset: %s", strerror(errno));
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

/* Pages in the zones, in the lists of the CPUs, and in slab, which has some of what is freed. */
static long free_pages(void)
{
	FILE *file;
	char line[256];
	long n = 0, one;

	write_file("/proc/sys/vm/drop_caches", "3");
	write_file("/proc/sys/vm/compact_memory", "1");
	sleep(2);
	file = fopen("/proc/zoneinfo", "r");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, " pages free %ld", &one) == 1 || sscanf(line, " count: %ld", &one) == 1 ||
		    sscanf(line, " nr_slab_reclaimable %ld", &one) == 1 || sscanf(line, " nr_slab_unreclaimable %ld", &one) == 1)
			n += one;
	if (file)
		fclose(file);
	return n;
}

static void thaw(void)
{
	for (int i = 0; i < GROUPS; i++)
		puts_to(groups[i], "cgroup.freeze", "0");
}

static const char * const saved_names[] = {
	DIR "limits/policies", DIR "limits/user_policies", DIR "limits/user_share", DIR "limits/users_share", DIR "limits/ahead",
	"/proc/sys/vm/swappiness", "/proc/sys/kernel/numa_balancing", "/proc/sys/vm/compact_unevictable_allowed",
};
#define SAVED	((int)(sizeof(saved_names) / sizeof(*saved_names)))
static char saved[SAVED][64];

/* One way of it per round; functions that depend on each other, ranges, colors that do not exist. */
static void set_map(void)
{
	static const char * const maps[] = {
		"0x2000,0x4000,0x8000,0x10000,0x20000,0x40000,0x80000,0x100000",
		"0x22000,0x44000,0x88000,0x110000,0x2000000",
		"0x1000,0x2000,0x80000,0x100000",
		"0x2000,0x4000,0x6000,0x8000,0x10000@0-0x40000000:0,0x40000000-0x100000000:0x40000000",
	};

	snprintf(map_text, sizeof(map_text), "%s", maps[round_now % 4]);
	if (!puts_to(DIR, "enabled", "0") || !puts_to(DIR, "map", map_text) || !puts_to(DIR, "enabled", "1"))
		fault("the map %s cannot be set: %s", map_text, strerror(errno));
	nr_masks = nr_ranges = 0;
	read_map();
}

/* The lower half of the colors, as far as they exist. */
static void lower_half(char *list, size_t size)
{
	char text[4096], *p = text;
	int n = 0;

	if (get(DIR, "colors", text, sizeof(text)) <= 0)
		fault("no colors");
	while (*p >= '0' && *p <= '9') {
		long from = strtol(p, &p, 10), to = from;

		if (*p == '-')
			to = strtol(p + 1, &p, 10);
		if (to >= nr_colors / 2)
			to = nr_colors / 2 - 1;
		if (from <= to)
			n += snprintf(list + n, size - n, "%s%ld-%ld", n ? "," : "", from, to);
		p += *p == ',';
	}
}

static void prepare(void)
{
	static const char * const given[MADE] = { "max", "max", "160M", "max" };
	char list[1024];

	set_map();
	if (!access("/dev/vda", F_OK) && swapon("/dev/vda", 0) && errno != EBUSY)
		fault("swapon: %s", strerror(errno));
	puts_to(TOP, "cgroup.subtree_control", "+cpuset +memory +pids");
	if (mkdir(ALL, 0755) || !puts_to(ALL, "memory.max", "600M") || !puts_to(ALL, "pids.max", "200") ||
	    !puts_to(ALL, "cgroup.subtree_control", "+cpuset +memory +pids"))
		fault("no cgroup: %s", strerror(errno));
	for (int i = 0; i < MADE; i++) {
		if (mkdir(groups[i], 0755))
			fault("no cgroup %s: %s", groups[i], strerror(errno));
		puts_to(groups[i], "memory.max", given[i]);
		puts_to(groups[i], "cgroup.subtree_control", "+cpuset");
	}
	/* Who has nothing else has the lower half to divide. */
	lower_half(list, sizeof(list));
	if (!puts_to(groups[2], "cpuset.colors", list))
		fault("colors for %s: %s", groups[2], strerror(errno));
	if (chown(groups[2], NOBODY, NOBODY) || chown(ALL "/d/cgroup.procs", NOBODY, NOBODY) ||
	    chown(ALL "/d/cgroup.subtree_control", NOBODY, NOBODY) || chown(ALL "/d/cgroup.threads", NOBODY, NOBODY))
		fault("chown: %s", strerror(errno));
}

/* All lines are taken out of the table of programs. */
static void clear_programs(void)
{
	char text[16384], line[1100], *at, *next;
	int user;

	if (read_file("/proc/page_color/programs", text, sizeof(text)) <= 0)
		return;
	for (at = text; *at; at = next) {
		char path[1024];

		next = strchrnul(at, '\n');
		if (*next)
			*next++ = '\0';
		if (sscanf(at, "%d %1023s", &user, path) == 2) {
			snprintf(line, sizeof(line), "-%d %s", user, path);
			puts_to("/proc/page_color", "programs", line);
		}
	}
}

/* Everything is killed wherever it is, and has to be gone soon. */
static void end_all(void)
{
	double begun = now();
	struct wait wait = {};
	char text[256];
	pid_t pid;

	if (!puts_to(ALL, "cgroup.kill", "1"))
		fault("cgroup.kill: %s", strerror(errno));
	for (;;) {
		while ((pid = waitpid(-1, NULL, WNOHANG | __WALL)) > 0)
			;
		if (pid < 0 && get(ALL, "cgroup.events", text, sizeof(text)) > 0 && strstr(text, "populated 0"))
			break;
		if (too_long(&wait, END_WITHIN)) {
			FILE *list = popen("for g in $(find " ALL " -name cgroup.procs); do cat $g; done", "r");

			while (list && fscanf(list, "%d", &pid) == 1)
				tell(pid);
			fault("not all have ended %.0f s after SIGKILL", now() - begun);
		}
	}
	note_end(begun);
}

static void clean(void)
{
	swapoff("/dev/vda");
	write_file("/proc/sys/vm/nr_hugepages", "0");
	write_file("/sys/kernel/mm/ksm/run", "2");
	write_file("/sys/kernel/mm/ksm/run", "0");
	write_file("/sys/kernel/mm/transparent_hugepage/enabled", "madvise");
	write_file("/sys/kernel/mm/transparent_hugepage/hugepages-64kB/enabled", "never");
	for (int i = 0; i < SAVED; i++)
		if (saved[i][0])
			write_file(saved_names[i], saved[i]);
	clear_programs();
	for (int tries = 0; tries < 500 && !access(ALL, F_OK); tries++) {
		for (int i = GROUPS - 1; i >= 0; i--)
			rmdir(groups[i]);
		rmdir(ALL);
		usleep(10000);
	}
	if (!access(ALL, F_OK))
		fault(ALL " is still there");
}
