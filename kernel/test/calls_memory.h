/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls of color_calls.c that move, give away and fill memory. */

static void remap(struct area *a)
{
	size_t pages = some_pages();
	void *mem;

	/* What moves is not watched any more. */
	if (a->guarded)
		return;
	check_area(a, "before mremap");
	switch (rnd() % 3) {
	case 0:	/* To another place. */
		mem = mremap(a->mem, a->pages * PAGE, a->pages * PAGE, MREMAP_MAYMOVE | MREMAP_DONTUNMAP);
		if (mem == MAP_FAILED)
			break;
		munmap(a->mem, a->pages * PAGE);
		a->mem = mem;
		break;
	case 1:	/* Shorter. */
		if (pages >= a->pages)
			break;
		if (mremap(a->mem, a->pages * PAGE, pages * PAGE, 0) == a->mem)
			a->pages = pages;
		break;
	case 2:	/* Longer. */
		if (pages <= a->pages || (a->of && pages > a->of->pages - a->at))
			break;
		mem = mremap(a->mem, a->pages * PAGE, pages * PAGE, MREMAP_MAYMOVE);
		if (mem == MAP_FAILED)
			break;
		a->mem = mem;
		for (size_t p = a->pages; p < pages; p++)
			a->mark[p] = a->of ? a->of->mark[a->at + p] : 0;
		a->pages = pages;
		break;
	}
	check_area(a, "after mremap");
}

static void advise(struct area *a)
{
	static const int advices[] = {
		MADV_DONTNEED, MADV_DONTNEED, MADV_FREE, MADV_FREE, MADV_PAGEOUT, MADV_PAGEOUT, MADV_COLD, MADV_WILLNEED,
		22 /* MADV_POPULATE_READ */, 23 /* MADV_POPULATE_WRITE */, MADV_HUGEPAGE, MADV_NOHUGEPAGE, MADV_COLLAPSE,
		MADV_MERGEABLE, MADV_UNMERGEABLE, MADV_SEQUENTIAL, MADV_RANDOM, MADV_NORMAL, MADV_REMOVE,
	};
	int advice = advices[rnd() % (sizeof(advices) / sizeof(*advices))], result;
	size_t from = rnd() % a->pages, n = 1 + rnd() % (a->pages - from);

	/* Nobody fills what is missing while this waits for it. */
	if (a->missing && (advice == 22 || advice == 23 || advice == MADV_FREE))
		return;
	if (a->wp && advice == 23)
		return;
	if (advice == MADV_REMOVE && (!a->shared || !(a->prot & PROT_WRITE)))
		return;
	result = madvise(a->mem + from * PAGE, n * PAGE, advice);
	for (size_t p = from; p < from + n; p++) {
		uint64_t *mark = mark_of(a, p);

		if (advice == MADV_REMOVE)
			*mark = result ? *mark | LOOSE : 0;
		if (a->shared)
			continue;
		if (advice == MADV_DONTNEED)
			*mark = !result ? below(a, p) : a->of || a->missing ? *mark | UNKNOWN : *mark | LOOSE;
		if (advice == MADV_FREE)
			*mark = a->of ? *mark | UNKNOWN : *mark | LOOSE;
	}
}

static void file_io(void)
{
	struct object *o = &objects[rnd() % OBJECTS];
	uint64_t mark = new_mark();
	size_t p, n;

	if (!o->users)
		return;
	p = rnd() % o->pages;
	if (one_in(2)) {
		if (pread(o->fd, scratch, PAGE, p * PAGE) == (ssize_t)PAGE)
			judge(scratch, o->mark[p], "read from a file");
		return;
	}
	if (o->fixed)
		return;
	if (one_in(3)) {
		n = 1 + rnd() % (o->pages - p);
		if (fallocate(o->fd, FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE, p * PAGE, n * PAGE))
			return;
		memset(&o->mark[p], 0, n * sizeof(*o->mark));
		return;
	}
	memset(scratch, 0, PAGE);
	fill(scratch, mark);
	o->mark[p] = pwrite(o->fd, scratch, PAGE, p * PAGE) == (ssize_t)PAGE ? mark : UNKNOWN;
}

/* A monitor that is this actor itself: pages are filled ahead of who would wait for them. */
static void uffd_on(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = {};
	struct area *a;

	if (uffd < 0) {
		uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | (roles[me] == ROOT ? 0 : UFFD_USER_MODE_ONLY));
		if (uffd >= 0 && ioctl(uffd, UFFDIO_API, &api)) {
			close(uffd);
			uffd = -1;
		}
		return;
	}
	a = any_area();
	if (!a || a->of || a->locked || a->guarded || !(a->prot & PROT_WRITE))
		return;
	check_area(a, "before a userfaultfd");
	range.range.start = (uintptr_t)a->mem;
	range.range.len = a->pages * PAGE;
	range.mode = one_in(4) ? UFFDIO_REGISTER_MODE_WP : UFFDIO_REGISTER_MODE_MISSING | (one_in(2) ? UFFDIO_REGISTER_MODE_WP : 0);
	/* Which pages are there is known only if none is. */
	if (range.mode & UFFDIO_REGISTER_MODE_MISSING && madvise(a->mem, a->pages * PAGE, MADV_DONTNEED)) {
		for (size_t p = 0; p < a->pages; p++)
			a->mark[p] |= LOOSE;
		return;
	}
	if (range.mode & UFFDIO_REGISTER_MODE_MISSING)
		memset(a->mark, 0, sizeof(a->mark));
	if (ioctl(uffd, UFFDIO_REGISTER, &range))
		return;
	a->guarded = true;
	a->missing = range.mode & UFFDIO_REGISTER_MODE_MISSING;
	for (size_t p = 0; a->missing && p < a->pages; p++)
		a->mark[p] = ABSENT;
}

static void uffd_fill(struct area *a)
{
	unsigned long set[LONGS], gen = changes();
	bool strict = strict_colors(set);
	size_t from = rnd() % a->pages, n = 0, done;
	struct area *src;
	int way = rnd() % 5;

	if (way == 4) {
		struct uffdio_writeprotect wp = {
			.range = { (uintptr_t)a->mem, a->pages * PAGE },
			.mode = a->wp ? 0 : UFFDIO_WRITEPROTECT_MODE_WP,
		};

		/* An error may come after the first pages. */
		if (!ioctl(uffd, UFFDIO_WRITEPROTECT, &wp))
			a->wp = !a->wp;
		else if (errno != EINVAL && errno != ENOENT)
			a->wp = true;
		return;
	}
	if (!a->missing || a->wp)
		return;
	while (from + n < a->pages && n < 16 && a->mark[from + n] == ABSENT)
		n++;
	if (!n)
		return;
	if (way < 2) {
		struct uffdio_copy copy = { .dst = (uintptr_t)a->mem + from * PAGE, .src = (uintptr_t)scratch, .len = n * PAGE };
		uint64_t marks[16];

		memset(scratch, 0, sizeof(scratch));
		for (size_t p = 0; p < n; p++) {
			marks[p] = new_mark();
			fill(scratch + p * PAGE, marks[p]);
		}
		ioctl(uffd, UFFDIO_COPY, &copy);
		done = copy.copy > 0 ? copy.copy / PAGE : 0;
		memcpy(&a->mark[from], marks, done * sizeof(*marks));
		if (done && strict && mm_is_mine)
			check_colors(pagemap, a->mem + from * PAGE, done, &a->mark[from], gen, set, "memory filled by UFFDIO_COPY");
	} else if (way == 2) {
		struct uffdio_zeropage zero = { .range = { (uintptr_t)a->mem + from * PAGE, n * PAGE } };

		ioctl(uffd, UFFDIO_ZEROPAGE, &zero);
		done = zero.zeropage > 0 ? zero.zeropage / PAGE : 0;
		memset(&a->mark[from], 0, done * sizeof(*a->mark));
	} else {
		struct uffdio_move move = { .dst = (uintptr_t)a->mem + from * PAGE };

		src = any_area();
		if (!src || src == a || src->of || src->guarded || !(src->prot & PROT_WRITE))
			return;
		if (n > src->pages)
			n = src->pages;
		move.src = (uintptr_t)src->mem;
		move.len = n * PAGE;
		ioctl(uffd, UFFDIO_MOVE, &move);
		done = move.move > 0 ? move.move / PAGE : 0;
		/* What was given away before it was moved goes away at any time: whoever read it then would wait. */
		for (size_t p = 0; p < done; p++)
			a->mark[from + p] = src->mark[p] & LOOSE ? ABSENT | UNKNOWN : src->mark[p];
		memset(src->mark, 0, done * sizeof(*src->mark));
		check_area(src, "after UFFDIO_MOVE");
	}
	check_area(a, "after a userfaultfd's call");
}

static void unguard(struct area *a)
{
	for (size_t p = 0; p < a->pages; p++)
		if (a->mark[p] & ABSENT)
			a->mark[p] &= UNKNOWN;
	a->guarded = a->missing = a->wp = false;
}

static void uffd_off(struct area *a)
{
	if (a) {
		struct uffdio_range range = { (uintptr_t)a->mem, a->pages * PAGE };

		if (ioctl(uffd, UFFDIO_UNREGISTER, &range))
			return;
		unguard(a);
		return;
	}
	close(uffd);
	uffd = -1;
	for (int i = 0; i < AREAS; i++)
		if (areas[i].mem && areas[i].guarded)
			unguard(&areas[i]);
}

static void nodes(struct area *a)
{
	unsigned long mask = 1 + rnd() % 15;
	void *pages[16];
	int to[16], status[16], n = 0;

	switch (rnd() % 4) {
	case 0:
		syscall(SYS_set_mempolicy, rnd() % 6, &mask, 5UL);
		return;
	case 1:
		syscall(SYS_set_mempolicy, 0, NULL, 0UL);
		return;
	case 2:
		if (a)
			syscall(SYS_mbind, a->mem, a->pages * PAGE, rnd() % 6, &mask, 5UL, rnd() % 4);
		return;
	}
	for (; a && n < 16 && n < (int)a->pages; n++) {
		pages[n] = a->mem + rnd() % a->pages * PAGE;
		to[n] = rnd() % 4;
	}
	if (n)
		syscall(SYS_move_pages, 0, (unsigned long)n, pages, to, status, 2);
}
