/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Page coloring: what a process has in memory, by kind, and how much of it has
 * the colors that the table of tasks says. Colors are looked up in its pagemap,
 * and must be those that /proc/PID/page_colors counts.
 */
#ifndef PAGE_COLOR_VIEW_H
#define PAGE_COLOR_VIEW_H

#include <limits.h>
#include "page_color_util.h"

#define TASKS	"/proc/page_color/tasks"

/* A line of the table of tasks. */
struct entry {
	char how[32];
	int node, nr;
	unsigned long colors[LONGS];
};

static inline bool entry_of(pid_t pid, struct entry *e)
{
	FILE *file = fopen(TASKS, "r");
	char line[8192], list[4096], *p;
	bool found = false;
	int number;

	*e = (struct entry) {};
	while (file && !found && fgets(line, sizeof(line), file))
		found = sscanf(line, "%d %*d %*u %31s %d %4095s", &number, e->how,
			       &e->node, list) == 4 && number == pid;
	if (file)
		fclose(file);
	for (p = list; found && *p; p += *p == ',') {
		long from = strtol(p, &p, 10), to = from;

		if (*p == '-')
			to = strtol(p + 1, &p, 10);
		for (; from <= to; from++, e->nr++)
			add(e->colors, from);
	}
	return found;
}

enum kind { TEXT, CONST, DATA, BSS, HEAP, STACK, LIBRARY, ANON, KERNEL, KINDS };
static const char * const kinds[] = {
	"text", "constants", "data", "bss", "heap", "stack", "libraries",
	"anonymous", "kernel's",
};

/* Sets of kinds. */
#define KIND(k)	(1U << (k))
/* Linkers for arm64 put constants into the mapping of the text. */
#ifdef __aarch64__
#define CONSTS	0U
#else
#define CONSTS	KIND(CONST)
#endif
/* What every program has. */
#define ALWAYS	(KIND(TEXT) | CONSTS | KIND(DATA) | KIND(BSS) | KIND(HEAP) | KIND(STACK))

struct view {
	long pages[KINDS], own[KINDS];
};

/* Where a program is in memory: its path, and what /proc/PID/stat says. */
struct layout {
	char path[PATH_MAX];
	unsigned long data, end_data, brk;
};

static inline bool layout_of(pid_t pid, struct layout *at)
{
	char path[64], text[2048], *p;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	n = readlink(path, at->path, sizeof(at->path) - 1);
	if (n < 0)
		return false;
	at->path[n] = '\0';
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (read_file(path, text, sizeof(text)) <= 0)
		return false;
	/* What follows the name is fields 3 and up; these are 45 to 47. */
	p = strrchr(text, ')');
	for (int field = 2; p && field < 45; field++)
		p = strchr(p + 1, ' ');
	return p && sscanf(p, " %lu %lu %lu", &at->data, &at->end_data, &at->brk) == 3;
}

/*
 * Data and bss go by address: bss and heap may be one mapping. The last page of
 * the data may have some bss.
 */
static inline enum kind kind_of(const struct layout *at, unsigned long addr,
				const char *perm, const char *name)
{
	bool exe = !strcmp(name, at->path);

	if (!strcmp(name, "[stack]"))
		return STACK;
	if (!strncmp(name, "[v", 2))
		return KERNEL;
	if (exe && strchr(perm, 'x'))
		return TEXT;
	if (*name == '/' && !exe)
		return LIBRARY;
	if (exe && (addr | (page_size - 1)) < at->data)
		return CONST;
	if (exe)
		return DATA;
	if (addr >= at->end_data && addr < at->brk)
		return BSS;
	return strcmp(name, "[heap]") ? ANON : HEAP;
}

/* What follows the line of a mapping in /proc/PID/page_colors. */
static inline bool counted(const char *line, long pages, long own)
{
	long p, o;

	if (sscanf(line, "Colors: pages %ld own %ld", &p, &o) != 2)
		return false;
	if (p == pages && o == own)
		return true;
	ksft_print_msg("%ld pages, %ld own, but the kernel counts %ld, %ld\n",
		       pages, own, p, o);
	return false;
}

static inline bool view_once(pid_t pid, struct view *view)
{
	char path[64], line[65536], perm[8], name[PATH_MAX];
	unsigned long start, end;
	struct layout at;
	struct entry e;
	bool ok = true;
	FILE *file;
	int map;

	*view = (struct view) {};
	if (!entry_of(pid, &e) || !layout_of(pid, &at))
		return false;
	snprintf(path, sizeof(path), "/proc/%d/pagemap", pid);
	map = open(path, O_RDONLY);
	snprintf(path, sizeof(path), "/proc/%d/page_colors", pid);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file)) {
		enum kind kind = KERNEL;
		long pages = 0, own = 0;

		*name = '\0';
		if (sscanf(line, "%lx-%lx %7s %*s %*s %*s %4095s", &start, &end,
			   perm, name) < 3)
			return false;
		for (; start < end; start += page_size) {
			uint64_t entry;
			bool right;

			if (pread(map, &entry, 8, start / page_size * 8) != 8)
				break;
			if (!(entry >> 63))
				continue;
			kind = kind_of(&at, start, perm, name);
			right = has(e.colors, color_of((entry & ((1ULL << 55) - 1)) *
						       page_size));
			view->pages[kind]++;
			view->own[kind] += right;
			pages++;
			own += right;
		}
		if (!fgets(line, sizeof(line), file))
			return false;
		ok &= kind == KERNEL || counted(line, pages, own);
	}
	if (file)
		fclose(file);
	close(map);
	return file && ok;
}

/* Pages that are moved just now are not mapped, and so in one of the counts alone. */
static inline bool view_of(pid_t pid, struct view *view)
{
	for (int i = 0; i < 5; i++)
		if (view_once(pid, view))
			return true;
	return false;
}

static inline void print_view(const char *what, const struct view *view)
{
	for (int k = 0; k < KINDS; k++) {
		if (view->pages[k])
			ksft_print_msg("%s: %s %ld of %ld\n", what, kinds[k],
				       view->own[k], view->pages[k]);
	}
}

/*
 * Everything but what the kernel gives to all has the colors, and each of
 * @wanted, a bit per kind, is there.
 */
static inline bool all_own(pid_t pid, const char *what, unsigned int wanted)
{
	struct view view;
	bool ok = view_of(pid, &view);

	for (int k = 0; k < KERNEL; k++) {
		ok &= view.own[k] == view.pages[k];
		ok &= !(wanted >> k & 1) || view.pages[k];
	}
	print_view(what, &view);
	return ok;
}

/* The test itself as a program of another name. */
static inline bool copy_self(const char *to)
{
	char text[65536];
	int from = open("/proc/self/exe", O_RDONLY), fd, n;

	fd = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0755);
	while ((n = read(from, text, sizeof(text))) > 0)
		if (write(fd, text, n) != n)
			return false;
	close(from);
	return !close(fd) && !n;
}

#endif /* PAGE_COLOR_VIEW_H */
