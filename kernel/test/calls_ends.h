/* SPDX-License-Identifier: GPL-2.0-only */
/* How color_calls.c finds faults out: one that is told ends all, waits have an end, changes of colors are counted. */

__attribute__((format(printf, 1, 2)))
static void fault(const char *format, ...)
{
	char text[512];
	va_list args;
	int n;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	n = dprintf(2, "color_calls: seed %lu round %lu actor %d (%s)%s, step %lu, %s: %s\n", (unsigned long)seed, round_now, me,
		    me < 0 ? "start" : role_names[roles[me]], is_double ? " double" : "", me < 0 ? 0 : shared->steps[me],
		    me < 0 ? "" : kinds[shared->step[me]].name, text);
	(void)n;
	/* From here on all is killed. */
	__atomic_add_fetch(&shared->faults, 1, __ATOMIC_RELAXED);
	_exit(1);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	(void)context;
	fault("signal %d at %p", number, info->si_addr);
}

/* What a process is in, for who reads why it did not end. */
static void tell(pid_t pid)
{
	static const char * const names[] = { "stat", "wchan", "syscall", "stack", "cgroup" };
	char path[64], text[2048];

	for (int i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), "/proc/%d/%s", pid, names[i]);
		if (read_file(path, text, sizeof(text)) > 0)
			dprintf(2, "   %s: %s\n", path, text);
	}
}

/* A wait in steps of 1 ms. Where the host lets this machine hardly run, seconds say little: it has to have waked up often, too. */
struct wait {
	double begun;
	long times;
};

static bool too_long(struct wait *wait, int seconds)
{
	if (!wait->times++)
		wait->begun = now();
	if (now() - wait->begun > seconds && wait->times > (long)seconds * OFTEN)
		return true;
	usleep(1000);
	return false;
}

static void note_end(double begun)
{
	long ms = (now() - begun) * 1000;

	if (ms > __atomic_load_n(&shared->longest_end, __ATOMIC_RELAXED))
		__atomic_store_n(&shared->longest_end, ms, __ATOMIC_RELAXED);
}

/* A child that got SIGKILL is gone soon, wherever it was. */
static void must_end(pid_t pid)
{
	double begun = now();
	struct wait wait = {};

	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, WNOHANG | __WALL) == 0) {
		if (too_long(&wait, END_WITHIN)) {
			tell(pid);
			fault("process %d has not ended %.0f s after SIGKILL", pid, now() - begun);
		}
	}
	note_end(begun);
}

/* Colors of others change: who looks colors up meanwhile does not judge. */
static bool begin_change(void)
{
	/* A child that is killed would be in it for good. */
	if (is_double)
		return false;
	__atomic_add_fetch(&shared->changing[me], 1, __ATOMIC_SEQ_CST);
	__atomic_add_fetch(&shared->gen, 1, __ATOMIC_SEQ_CST);
	return true;
}

static void end_change(void)
{
	__atomic_add_fetch(&shared->gen, 1, __ATOMIC_SEQ_CST);
	__atomic_sub_fetch(&shared->changing[me], 1, __ATOMIC_SEQ_CST);
}

/* The state of changes; odd if one is going on. */
static unsigned long changes(void)
{
	unsigned long gen = __atomic_load_n(&shared->gen, __ATOMIC_SEQ_CST) * 2;

	for (int i = 0; i < ACTORS; i++)
		gen |= __atomic_load_n(&shared->changing[i], __ATOMIC_SEQ_CST) > 0;
	return gen;
}

static bool change(const char *dir, const char *name, const char *what)
{
	bool ok;

	if (!begin_change())
		return false;
	ok = puts_to(dir, name, what);
	end_change();
	return ok;
}

static bool one_in(int n)
{
	return rnd() % n == 0;
}
