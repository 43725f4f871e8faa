// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random owners of colors and random bystanders. In each round some tasks have
 * random colors and use memory, others have none and use memory in random ways.
 * Then all pages are looked up, by the second implementation of the map: an owner
 * has pages of its colors alone, a bystander none of owned colors, as there is
 * enough of all others.
 *
 * Usage: color_others ROUNDS [SEED]     needs root and coloring on
 * Prints how many pages were looked at; the first wrong one ends it.
 */
#define _GNU_SOURCE
#include "page_color_util.h"
#include "random.h"

#define MOST	5	/* tasks of each kind */

/* What a task tells its parent. */
struct told {
	long pages, wrong;
};

static unsigned long owned[LONGS];

static long number_of(const unsigned long *set)
{
	long n = 0;

	for (int c = 0; c < nr_colors; c++)
		n += has(set, c);
	return n;
}

/* Free memory of each color that nobody owns, or of the one that has the least. */
static long least_free(void)
{
	static long free[MAX_COLORS];
	FILE *file = fopen("/sys/kernel/debug/page_color/colors", "r");
	long color, n, least = -1;
	char line[256], zone[16];

	memset(free, 0, sizeof(free));
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "node %*d zone %15s color %ld pages %*d free %ld", zone, &color, &n) == 3 &&
		    color >= 0 && strcmp(zone, "DMA"))
			free[color] += n;
	if (file)
		fclose(file);
	for (int c = 0; c < nr_colors; c++)
		if (!has(owned, c) && (least < 0 || free[c] < least))
			least = free[c];
	return least;
}

static void count(struct told *told, const char *mem, size_t size, const unsigned long *allowed)
{
	struct count n = look(mem, size, allowed, true);

	told->pages += n.present;
	told->wrong += n.wrong;
}

static char *shared(size_t size)
{
	int fd = memfd_create("others", 0);
	char *mem = MAP_FAILED;

	if (fd >= 0 && !ftruncate(fd, size))
		mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (mem == MAP_FAILED)
		_exit(2);
	close(fd);
	return mem;
}

/* One use of memory: its pages are of @allowed. */
static void use(struct told *told, size_t size, const unsigned long *allowed)
{
	struct told *child;
	char *mem;

	switch (rnd() % 5) {
	case 0:
		mem = shared(size);
		touch(mem, size, 1);
		break;
	case 1:
		/* Copied by a child. */
		mem = map_pages(size);
		madvise(mem, size, MADV_NOHUGEPAGE);
		child = (struct told *)shared(page_size);
		touch(mem, size, 1);
		if (!fork()) {
			touch(mem, size, 2);
			count(child, mem, size, allowed);
			_exit(0);
		}
		wait(NULL);
		told->pages += child->pages;
		told->wrong += child->wrong;
		munmap(child, page_size);
		break;
	case 2:
		/* In random order, and a part of it twice. */
		mem = map_pages(size);
		madvise(mem, size, MADV_NOHUGEPAGE);
		for (size_t i = 0; i < 2 * size / page_size; i++)
			mem[rnd() % (size / page_size) * page_size] = 1;
		madvise(mem, size / 2 / page_size * page_size, MADV_DONTNEED);
		touch(mem, size, 3);
		break;
	case 3:
		/* Populated at once. */
		mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		madvise(mem, size, MADV_NOHUGEPAGE);
		madvise(mem, size, 23 /* MADV_POPULATE_WRITE */);
		break;
	default:
		mem = map_pages(size);
		madvise(mem, size, MADV_NOHUGEPAGE);
		touch(mem, size, 1);
	}
	count(told, mem, size, allowed);
	munmap(mem, size);
}

/* A task of a round: waits for its turn, works, tells, waits for the end. */
static pid_t task(const unsigned long *set, const unsigned long *allowed, size_t size,
		  struct told *told, const int *ready, const int *turn, const int *end)
{
	uint64_t seed = rnd() | 1;
	char c = 0;
	pid_t pid = fork();

	if (pid)
		return pid;
	close(ready[0]);
	close(turn[1]);
	close(end[1]);
	state = seed;
	stay_on(rnd() % sysconf(_SC_NPROCESSORS_ONLN));
	if (set && set_colors(set, rnd() % 2 ? PR_PAGE_COLOR_STRICT : 0))
		_exit(3);
	/* Colors have owners until all have told that they are through. */
	if (write(ready[1], &c, 1) != 1 || read(turn[0], &c, 1))
		_exit(4);
	for (int i = 1 + rnd() % 4; i; i--)
		use(told, (1 + rnd() % (size / page_size)) * page_size, allowed);
	_exit(write(ready[1], &c, 1) != 1 || read(end[0], &c, 1) ? 5 : 0);
}

/* All of @n tasks have told; false if one has ended before. */
static bool all_told(int ready, int n)
{
	char c;

	while (n && read(ready, &c, 1) == 1)
		n--;
	return !n;
}

static bool round_of(struct told *sum)
{
	static unsigned long sets[MOST][LONGS], others[LONGS];
	int owners = 1 + rnd() % MOST, bystanders = 1 + rnd() % MOST, status;
	int ready[2], turn[2], end[2];
	struct told *told = (struct told *)shared(page_size);
	size_t least;
	bool ok;

	memset(owned, 0, sizeof(owned));
	memset(others, 0, sizeof(others));
	memset(sets, 0, sizeof(sets));
	/* Up to nine tenths of all colors, here and there or in runs. */
	for (int o = 0; o < owners; o++) {
		int n = 1 + rnd() % (nr_colors * 9 / 10 / owners + 1), from = rnd() % nr_colors;
		bool runs = rnd() % 2;

		for (int i = 0; i < n && number_of(owned) < nr_colors - 1; i++) {
			int color = runs ? (from + i) % nr_colors : (int)(rnd() % nr_colors);

			add(sets[o], color);
			add(owned, color);
		}
		if (!number_of(sets[o])) {
			add(sets[o], from);
			if (number_of(owned) < nr_colors - 1 || has(owned, from))
				add(owned, from);
			else
				owners = o;
		}
	}
	add_rest(others, owned);
	if (pipe(ready) || pipe(turn) || pipe(end))
		return false;
	/* Tasks on each node use a part of what is free of the least of colors. */
	least = least_free() * page_size * number_of(others) / 16 / bystanders;
	if (least < page_size)
		least = page_size;
	if (least > 16 * MB)
		least = 16 * MB;
	for (int i = 0; i < owners; i++)
		task(sets[i], sets[i], number_of(sets[i]) * 16 * page_size, &told[i], ready, turn, end);
	for (int i = 0; i < bystanders; i++)
		task(NULL, others, least, &told[owners + i], ready, turn, end);
	close(ready[1]);
	close(turn[0]);
	close(end[0]);
	ok = all_told(ready[0], owners + bystanders);
	close(turn[1]);
	ok = ok && all_told(ready[0], owners + bystanders);
	close(end[1]);
	for (int i = 0; i < owners + bystanders; i++) {
		wait(&status);
		if (status)
			printf("a task ended with status %x\n", status);
		ok &= !status;
	}
	for (int i = 0; i < owners + bystanders; i++) {
		sum->pages += told[i].pages;
		/* An owner that is not strict may have spilled, but not here. */
		if (told[i].wrong)
			printf("%s: %ld of %ld pages, %ld colors owned\n",
			       i < owners ? "an owner has others" : "a bystander has owned ones",
			       told[i].wrong, told[i].pages, number_of(owned));
		ok &= !told[i].wrong;
	}
	close(ready[0]);
	munmap(told, page_size);
	return ok;
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? strtol(argv[1], NULL, 0) : 100, n;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	struct told sum = {};

	state = seed * 0x9e3779b97f4a7c15ULL + 1;
	start(0);
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (n = 0; n < rounds; n++)
		if (!round_of(&sum))
			break;
	printf("others rounds %ld pages %ld seed %lu %s\n", n, sum.pages, (unsigned long)seed,
	       n == rounds && zones_are_right() ? "ok" : "WRONG");
	return n < rounds || !zones_are_right();
}
