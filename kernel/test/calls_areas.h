/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory of color_calls.c that is mapped, and what each of its pages must have. */

static uint64_t *mark_of(struct area *a, size_t p)
{
	return a->shared ? &a->of->mark[a->at + p] : &a->mark[p];
}

/* What is there when a page is given away: nothing, or the file. */
static uint64_t below(const struct area *a, size_t p)
{
	if (a->missing)
		return ABSENT;
	return a->of ? a->of->mark[a->at + p] : 0;
}

static void fill(char *to, uint64_t mark)
{
	for (int i = 0; i < WORDS; i++)
		((uint64_t *)to)[WORD(i)] = (mark & ~(uint64_t)FLAGS) + i;
}

static uint64_t new_mark(void)
{
	return (rnd() << 16 & ~(uint64_t)FLAGS) | WRITTEN;
}

static void judge(const char *page, uint64_t mark, const char *what)
{
	const volatile uint64_t *words = (const volatile uint64_t *)page;
	bool zero = false;

	if (mark & (ABSENT | UNKNOWN))
		return;
	for (int i = 0; i < WORDS; i++) {
		uint64_t is = words[WORD(i)], want = mark & WRITTEN ? (mark & ~(uint64_t)FLAGS) + i : 0;

		if (i == 0)
			zero = !is && mark & LOOSE;
		if (is != (zero ? 0 : want))
			fault("%s: wrong data at %p word %d: %lx, not %lx (flags %lx)", what, page, WORD(i), is, want, mark & FLAGS);
	}
}

static void check_area(struct area *a, const char *what)
{
	if (!(a->prot & PROT_READ))
		return;
	for (size_t p = 0; p < a->pages; p++)
		judge(a->mem + p * PAGE, *mark_of(a, p), what);
}

static void write_page(struct area *a, size_t p)
{
	uint64_t *mark = mark_of(a, p);

	if (!(a->prot & PROT_WRITE) || a->wp || *mark & ABSENT)
		return;
	*mark = new_mark();
	fill(a->mem + p * PAGE, *mark);
}

static struct area *any_area(void)
{
	struct area *a = &areas[rnd() % AREAS];

	return a->mem ? a : NULL;
}

static struct area *free_area(void)
{
	for (int i = 0; i < AREAS; i++)
		if (!areas[i].mem)
			return &areas[i];
	return NULL;
}

/* Few pages of most, many of some. */
static size_t some_pages(void)
{
	switch (rnd() % 8) {
	case 0:
		return 1 + rnd() % PAGES;
	case 1:
	case 2:
		return 1 + rnd() % 64;
	}
	return 1 + rnd() % 16;
}

static struct object *any_object(bool fixed)
{
	struct object *o = &objects[rnd() % OBJECTS];

	if (o->users)
		return o->fixed == fixed ? o : NULL;
	memset(o, 0, sizeof(*o));
	o->fd = memfd_create("calls", MFD_CLOEXEC);
	o->pages = some_pages();
	if (o->fd < 0 || ftruncate(o->fd, o->pages * PAGE)) {
		if (o->fd >= 0)
			close(o->fd);
		return NULL;
	}
	o->fixed = fixed;
	for (size_t p = 0; fixed && p < o->pages; p++) {
		uint64_t mark = one_in(4) ? 0 : new_mark();

		memset(scratch, 0, PAGE);
		if (mark)
			fill(scratch, mark);
		/* At memory.max a part may be missing. */
		o->mark[p] = !mark || pwrite(o->fd, scratch, PAGE, p * PAGE) == (ssize_t)PAGE ? mark : UNKNOWN;
	}
	return o;
}

static void drop_object(struct object *o)
{
	if (o && !o->users)
		close(o->fd);
}

/*
 * An area that is known to be empty. Those that touch each other would be one
 * mapping for the kernel, so that a call for one is in part one for the other:
 * wanted.
 */
static struct area *map_area(int extra)
{
	struct area *a = free_area();
	struct object *o = NULL;
	int kind = rnd() % 8;

	if (!a)
		return NULL;
	memset(a, 0, sizeof(*a));
	a->prot = PROT_READ | PROT_WRITE;
	a->pages = some_pages();
	if (extra >= 0 && kind < 2) {
		o = any_object(kind == 0);
		if (!o)
			return NULL;
		a->of = o;
		a->shared = kind == 1;
		a->at = rnd() % o->pages;
		if (a->pages > o->pages - a->at)
			a->pages = o->pages - a->at;
		for (size_t p = 0; p < a->pages; p++)
			a->mark[p] = o->mark[a->at + p];
	}
	a->mem = mmap(NULL, a->pages * PAGE, a->prot, (a->shared ? MAP_SHARED : MAP_PRIVATE) | (extra > 0 ? extra : 0) |
		      (o ? 0 : MAP_ANONYMOUS), o ? o->fd : -1, a->at * PAGE);
	if (a->mem == MAP_FAILED) {
		a->mem = NULL;
		drop_object(o);
		return NULL;
	}
	if (o)
		o->users++;
	return a;
}

static void forget(struct area *a)
{
	a->mem = NULL;
	if (a->of) {
		a->of->users--;
		drop_object(a->of);
	}
}

/* The first pages, the last ones, or all. Those of the middle are two areas then. */
static void unmap_some(struct area *a)
{
	size_t from = rnd() % a->pages, n = 1 + rnd() % (a->pages - from);
	struct area *rest;

	check_area(a, "before munmap");
	if (one_in(2)) {
		from = 0;
		n = a->pages;
	}
	rest = from && from + n < a->pages ? free_area() : NULL;
	if (from && from + n < a->pages && !rest)
		n = a->pages - from;
	if (munmap(a->mem + from * PAGE, n * PAGE))
		return;
	if (rest) {
		*rest = *a;
		rest->mem += (from + n) * PAGE;
		rest->pages -= from + n;
		rest->at += from + n;
		memmove(rest->mark, rest->mark + from + n, rest->pages * sizeof(*rest->mark));
		if (rest->of)
			rest->of->users++;
		a->pages = from;
	} else if (from) {
		a->pages = from;
	} else if (n < a->pages) {
		a->mem += n * PAGE;
		a->at += n;
		a->pages -= n;
		memmove(a->mark, a->mark + n, a->pages * sizeof(*a->mark));
	} else {
		forget(a);
	}
}
