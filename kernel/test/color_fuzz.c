// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random calls of prctl(PR_PAGE_COLOR) and of mmap(), and random writes to the
 * files of page coloring, with and without privileges. Bounded, and the same for the same
 * seed. That nothing in the kernel breaks is for its own checks to say; here
 * it is checked that the unprivileged get no colors and write no file.
 *
 * Usage: color_fuzz CALLS [SEED [fail]]     needs root
 * Prints how many calls and writes succeeded.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "random.h"

#define PR_PAGE_COLOR	0x50434f4c
#define DIR_NAME	"/sys/kernel/mm/page_color"
#define CALLS		40
#define MAX_FILES	32

static char files[MAX_FILES][PATH_MAX];
static int nr_files;
static char text[8192];

static void add_files(const char *dir, const char *part)
{
	struct dirent *entry;
	DIR *d = opendir(dir);

	while (d && (entry = readdir(d)) && nr_files < MAX_FILES) {
		if (entry->d_type == DT_REG && strstr(entry->d_name, part))
			snprintf(files[nr_files++], PATH_MAX, "%s/%s", dir, entry->d_name);
	}
	if (d)
		closedir(d);
}

static unsigned long number(void)
{
	static const unsigned long edges[] = {
		0, 1, 7, 8, 9, 16, 24, 32, 40, 64, 511, 512, 513, 4095, 4096, 4097,
		INT_MAX, UINT_MAX, LONG_MAX, ULONG_MAX, 1UL << 47, 1UL << 63,
	};

	switch (rnd() % 4) {
	case 0:
		return edges[rnd() % (sizeof(edges) / sizeof(*edges))];
	case 1:
		return 1UL << rnd() % 64;
	case 2:
		return rnd() % 1024 * 8;
	}
	return rnd() << rnd() % 48;
}

static unsigned long address(char *area, size_t size)
{
	switch (rnd() % 6) {
	case 0:
		return number();
	case 1:	/* ends in memory that is not there */
		return (unsigned long)area + size - rnd() % 128;
	case 2:	/* not aligned */
		return (unsigned long)area + rnd() % size;
	}
	return (unsigned long)area + rnd() % (size / 4096) * 4096;
}

/* A map that is nearly right, or bytes. */
static size_t map_text(void)
{
	static const char bits[] = "0123456789abcdefx,,-@@::\n -+";
	size_t n = 0, len;

	if (rnd() % 3) {
		int functions = rnd() % 14;

		for (int i = 0; i < functions; i++)
			n += sprintf(text + n, "%s%#lx", i ? "," : "",
				     1UL << (10 + rnd() % 30) | (rnd() % 2) << rnd() % 50);
		if (rnd() % 3 == 0) {
			unsigned long at = 0;

			for (int i = rnd() % 20; i >= 0; i--) {
				unsigned long end = at + (rnd() % 64 << 22) + rnd() % 2;

				n += sprintf(text + n, "%s%#lx-%#lx:%#lx", n ? "," : "@", at,
					     end, rnd() % 3 << 22);
				at = end + (rnd() % 3 << 22);
			}
		}
	}
	if (rnd() % 4 == 0 && n)
		text[rnd() % n] = bits[rnd() % (sizeof(bits) - 1)];
	if (n && rnd() % 2)
		return n;
	len = rnd() % 8 ? rnd() % 64 : rnd() % (sizeof(text) - 4096);
	while (len-- && n < sizeof(text))
		text[n++] = rnd() % 8 ? bits[rnd() % (sizeof(bits) - 1)] : (char)rnd();
	return n;
}

static long write_some(void)
{
	const char *file = files[rnd() % nr_files];
	size_t n;
	int fd = open(file, rnd() % 4 ? O_WRONLY : O_RDONLY);
	long done = 0;

	if (fd < 0)
		return 0;
	if (strstr(file, "enabled") && rnd() % 2) {
		text[0] = '0' + rnd() % 2;
		n = 1;
	} else {
		n = map_text();
	}
	if (write(fd, text, n) > 0)
		done = 1;
	if (rnd() % 4 == 0)
		(void)!read(fd, text, rnd() % sizeof(text));
	close(fd);
	return done;
}

static void put(const char *file, const char *what)
{
	int fd = open(file, O_WRONLY);

	if (fd < 0)
		return;
	(void)!write(fd, what, strlen(what));
	close(fd);
}

/* A map that is one, switched on, so that calls find something to do. */
static void switch_on(void)
{
	static const char * const maps[] = {
		"0x2000", "0x22000,0x44000,0x88000", "0x1000,0x2000,0x4000,0x8000,0x10000,0x20000,0x40000,0x80000",
		"0x2000,0x4000@0-0x40000000:0,0x100000000-0x140000000:0x80000000",
	};

	put(DIR_NAME "/enabled", "0");
	put(DIR_NAME "/map", maps[rnd() % 4]);
	put(DIR_NAME "/enabled", "1");
}

/*
 * A call for colors by mmap(): no bytes, bit 30 of the protection. Some get
 * wrong arguments, or a length, and then are mappings, which are undone. Never
 * one that registers root: all that is executed later would have colors.
 */
static long call_by_mmap(bool root)
{
	unsigned long arg = (rnd() % 8 ? 1 + rnd() % 6 : rnd() % 16) << 20 |
			    (rnd() % 8 ? rnd() % 3 : rnd() % 16) << 16 |
			    (rnd() % 4 ? rnd() % 8 : rnd() % 65536);
	int flags = rnd() % 16 ? MAP_PRIVATE | MAP_ANONYMOUS :
		    (int)(rnd() & ~(MAP_FIXED | MAP_LOCKED | MAP_POPULATE));
	int prot = rnd() % 16 ? PROT_READ | PROT_WRITE : (int)(rnd() % 16);
	size_t size = rnd() % 16 ? 0 : rnd() % 65536;
	unsigned long action;
	void *result;

	if (rnd() % 4 == 0)
		arg |= rnd() % 4 << 24;
	if (rnd() % 16 == 0)
		arg = number();
	if (root && (arg >> 20 & 15) == 7)
		arg ^= 1UL << 20;
	if (rnd() % 16)
		prot |= 1 << 30;
	action = arg >> 20 & 15;
	result = mmap((void *)arg, size, prot, flags, -1, 0);
	if (result == MAP_FAILED)
		return -1;
	if (size) {
		munmap(result, size);
		return -1;
	}
	/* Version, numbers, and giving up what one has are for all. */
	return action == 1 || action == 2 || action == 6 ? 0 : 1;
}

/* A process of its own: its colors go with it. */
static int some_calls(uint64_t seed, bool root, bool fail, long *done)
{
	size_t size = 64 * 4096;
	char *area = mmap(NULL, size + 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd;

	state = seed;
	if (area == MAP_FAILED || munmap(area + size, 4096))
		return 0;
	for (size_t i = 0; i < size; i += 8)
		area[i] = rnd() % 4 ? 0 : rnd();
	if (fail) {
		fd = open("/proc/self/make-it-fail", O_WRONLY);
		if (fd < 0 || write(fd, "1", 1) != 1)
			return 3;
		close(fd);
	}
	if (rnd() % 4)
		switch_on();
	/* This takes memory as well. */
	while (!root && setuid(1000))
		if (!fail || (errno != ENOMEM && errno != EAGAIN))
			return 3;
	for (int i = 0; i < CALLS; i++) {
		unsigned long op = rnd() % 16 ? rnd() % 8 : number();
		unsigned long flags = rnd() % 4 ? rnd() % 4 : number();
		unsigned long arg4 = rnd() % 3 ? rnd() % 4 * 8 : number();
		long result;

		if (nr_files && rnd() % 4 == 0) {
			result = write_some();
			if (result > 0 && !root) {
				fprintf(stderr, "a file was written without privileges\n");
				return 2;
			}
			done[1] += result > 0;
			continue;
		}
		if (rnd() % 4 == 0) {
			result = call_by_mmap(root);
			if (result > 0 && !root) {
				fprintf(stderr, "colors were had by mmap() without privileges\n");
				return 2;
			}
			done[2] += result >= 0;
			continue;
		}
		/* Not all of the address space: that takes long. */
		if (op == 4 && arg4 > size)
			arg4 %= size;
		/* As few pages ahead or reserved, or as many as there are. */
		result = prctl(PR_PAGE_COLOR, op, op == 5 ? number() :
			       op == 6 ? number() % (rnd() % 8 ? 8192 : ULONG_MAX) :
			       address(area, size),
			       (op == 5 || op == 6) && rnd() % 4 ? 0 : arg4,
			       op == 1 ? flags : rnd() % 8 ? 0 : number());
		if ((op == 1 || op == 6) && result == 0 && !root) {
			fprintf(stderr, "colors or pages were had without privileges\n");
			return 2;
		}
		done[0] += result >= 0;
		area[rnd() % size]++;
	}
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long calls = argc > 1 ? strtoul(argv[1], NULL, 0) : 10000;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	bool fail = argc > 3 && !strcmp(argv[3], "fail");
	long *done = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned long killed = 0;
	int status;

	add_files(DIR_NAME, "");
	add_files("/sys/fs/cgroup", "color");
	mkdir("/sys/fs/cgroup/fuzz", 0755);
	add_files("/sys/fs/cgroup/fuzz", "color");
	for (unsigned long n = 0; n < calls / CALLS; n++) {
		uint64_t own = (seed << 32 | n) * 0x9e3779b97f4a7c15ULL + 1;
		pid_t pid = fork();

		if (!pid)
			_exit(some_calls(own, n % 4, fail, done));
		if (pid < 0 || waitpid(pid, &status, 0) != pid)
			return 1;
		/* In strict mode one may run out of its colors. */
		if (WIFSIGNALED(status))
			killed++;
		else if (status) {
			fprintf(stderr, "process %lu: status %#x\n", n, status);
			return 1;
		}
	}
	rmdir("/sys/fs/cgroup/fuzz");
	printf("fuzz files %d calls %ld writes %ld mmap %ld killed %lu\n", nr_files,
	       done[0], done[1], done[2], killed);
	return 0;
}
