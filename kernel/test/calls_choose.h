/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls of color_calls.c for colors, and what the pages then must have. */

/* Are the colors of this thread strict? Which they are. */
static bool strict_colors(unsigned long *set)
{
	memset(set, 0, LONGS * sizeof(*set));
	return prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_GET, set, bytes(), 0) > 0 &&
	       prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_GET, set, bytes(), 0) & PR_PAGE_COLOR_STRICT;
}

/* The first page that is there and has another color; @only those with a mark that was written. */
static long other_color(int map, const char *mem, size_t pages, const uint64_t *only, const unsigned long *set, int *color)
{
	uint64_t entries[PAGES];
	ssize_t n = pread(map, entries, pages * 8, (uintptr_t)mem / PAGE * 8);

	for (long p = 0; p < n / 8; p++) {
		if (!(entries[p] >> 63) || (only && !(only[p] & WRITTEN)))
			continue;
		/* Without the right to see it the frame is 0. */
		if (!(entries[p] & ((1ULL << 55) - 1)))
			continue;
		*color = color_of((entries[p] & ((1ULL << 55) - 1)) * PAGE);
		if (!has(set, *color))
			return p;
	}
	return -1;
}

/*
 * Pages of private memory that this thread was given since @gen, when it had the
 * colors @set. They were given to it alone, so no other thread of it set others.
 */
static void check_colors(int map, const char *mem, size_t pages, const uint64_t *only, unsigned long gen,
			 const unsigned long *set, const char *what)
{
	unsigned long after[LONGS] = {};
	int color = 0;
	long p;

	if (map < 0 || gen & 1)
		return;
	p = other_color(map, mem, pages, only, set, &color);
	if (!strict_colors(after) || memcmp(set, after, sizeof(after)) || changes() != gen)
		return;
	if (p >= 0)
		fault("%s: page %ld of %zu at %p has color %d", what, p, pages, mem, color);
	__atomic_add_fetch(&shared->looked, pages, __ATOMIC_RELAXED);
}

/* New memory, which is touched and looked up at once. */
static void fresh(void)
{
	unsigned long set[LONGS], gen = changes();
	bool strict = strict_colors(set);
	struct area *a = map_area(-1);

	if (!a)
		return;
	if (one_in(4))
		madvise(a->mem, a->pages * PAGE, MADV_HUGEPAGE);
	if (one_in(4))
		madvise(a->mem, a->pages * PAGE, 23 /* MADV_POPULATE_WRITE */);
	for (size_t p = 0; p < a->pages; p++)
		write_page(a, p);
	if (strict && mm_is_mine)
		check_colors(pagemap, a->mem, a->pages, a->mark, gen, set, "new memory");
}

static void expect(long result, const char *what, const int *allowed)
{
	if (result >= 0)
		return;
	for (; *allowed; allowed++)
		if (errno == *allowed)
			return;
	fault("%s: %s", what, strerror(errno));
}

static bool set_some(void)
{
	static const int allowed[] = { EPERM, EINVAL, EAGAIN, EOPNOTSUPP, ENOMEM, 0 };
	unsigned long set[LONGS] = {};
	int n = one_in(2) ? 1 + rnd() % 4 : 1 + rnd() % nr_colors, c = rnd() % nr_colors;
	bool runs = one_in(2);
	long result;

	while (n--) {
		add(set, c);
		c = runs ? (c + 1) % nr_colors : (int)(rnd() % nr_colors);
	}
	result = prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_SET, set, bytes(),
		       (one_in(2) ? PR_PAGE_COLOR_STRICT : 0) | (one_in(4) ? PR_PAGE_COLOR_PRIVATE : 0));
	expect(result, "PR_PAGE_COLOR_SET", allowed);
	return !result;
}

static void migrate(struct area *a)
{
	static const int allowed[] = { ENODATA, EOPNOTSUPP, ENOMEM, EINTR, EPERM, 0 };
	unsigned long set[LONGS], gen = changes();
	bool strict = strict_colors(set);
	long left;

	if (!a) {
		left = prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_MIGRATE, rnd() % 2 * 0x400000, 1UL << (20 + rnd() % 26), 0);
	} else {
		left = prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_MIGRATE, a->mem, a->pages * PAGE, 0);
		/* What was moved is of the thread's colors if nothing else was swapped in meanwhile. */
		if (left == 0 && strict && mm_is_mine && !a->of && !a->missing)
			check_colors(pagemap, a->mem, a->pages, a->mark, gen, set, "moved memory");
		check_area(a, "after MIGRATE");
	}
	/* A range that ends beyond what can be mapped. */
	if (left < 0 && errno == EINVAL && !a)
		return;
	expect(left, "PR_PAGE_COLOR_MIGRATE", allowed);
}

static void pages_for(int op, const char *what)
{
	static const int allowed[] = { EPERM, ENODATA, ENOSPC, ENOMEM, EOPNOTSUPP, EINVAL, EAGAIN, EINTR, 0 };
	unsigned long n = one_in(4) ? 0 : one_in(16) ? rnd() % 100000 : rnd() % 512;
	long result = prctl(PR_PAGE_COLOR, op, n, 0, 0);

	if (result >= 0 && n && roles[me] == MAY_NOT)
		fault("%s of %lu pages without the right: %ld", what, n, result);
	expect(result, what, allowed);
}

/* Calls for colors by mmap(); never one that registers programs of root, which would be all that is executed. */
static void by_mmap(void)
{
	unsigned long action = 1 + rnd() % 7, kind = one_in(2) ? 0 : rnd() % 3;
	unsigned long number = action == 7 ? rnd() % 3 : rnd() % nr_colors;
	void *result;

	if (action == 7 && (roles[me] == ROOT || !begin_change()))
		action = 2;
	if (action == 1)
		kind = number = 0;
	if (action == 2 || action == 6)
		number = 0;
	if (action == 7)
		kind = 0;
	result = mmap((void *)(number | kind << 16 | action << 20 |
			       (action == 3 || action == 4 || action == 5 || action == 7 ? rnd() % 4 << 24 : 0)),
		      0, PROT_READ | PROT_WRITE | 1 << 30, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (action == 7)
		end_change();
	if (action == 1 && result != MAP_FAILED && result != (void *)1)
		fault("the version of calls by mmap is %p", result);
	if (action == 7 && result != MAP_FAILED && roles[me] == MAY_NOT)
		fault("programs were registered without the right");
}
