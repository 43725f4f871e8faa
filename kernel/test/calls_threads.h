/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads of color_calls.c, with colors of their own. */

/* A thread with colors of its own. */
static void *thread(void *arg)
{
	struct job *job = arg;
	unsigned long set[LONGS], gen;
	size_t pages = 1 + (job->seed >> 8) % 48;
	uint64_t *mem, mark;
	char text[16];
	bool strict;

	state = job->seed | 1;
	if (one_in(3)) {
		snprintf(text, sizeof(text), "%d", (int)syscall(SYS_gettid));
		change(groups[rnd() % GROUPS], "cgroup.threads", text);
	}
	for (int i = 1 + rnd() % 4; i; i--) {
		if (one_in(2))
			set_some();
		gen = changes();
		strict = strict_colors(set);
		mem = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (mem == MAP_FAILED)
			break;
		mark = new_mark();
		for (size_t p = 0; p < pages; p++)
			fill((char *)mem + p * PAGE, mark + p * (FLAGS + 1));
		if (strict)
			check_colors(pagemap, (char *)mem, pages, NULL, gen, set, "new memory of a thread");
		if (one_in(2))
			madvise(mem, pages * PAGE, MADV_PAGEOUT);
		if (one_in(3))
			prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_MIGRATE, mem, pages * PAGE, 0);
		for (size_t p = 0; p < pages; p++)
			judge((char *)mem + p * PAGE, mark + p * (FLAGS + 1), "memory of a thread");
		munmap(mem, pages * PAGE);
	}
	return NULL;
}

static void join(struct job *job)
{
	if (job->started)
		pthread_join(job->thread, NULL);
	job->started = false;
}

static void new_thread(void)
{
	struct job *job = &jobs[rnd() % THREADS];

	join(job);
	job->seed = rnd();
	/* What others fill has the colors that one of the threads set last. */
	mm_is_mine = false;
	job->started = !pthread_create(&job->thread, NULL, thread, job);
}

static bool has_threads(void)
{
	bool any = false;

	for (int i = 0; i < THREADS; i++)
		any |= jobs[i].started;
	return any;
}
