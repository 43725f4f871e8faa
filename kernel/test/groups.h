/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of cgroups, which random tests write to and read. */
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static inline bool put(const char *dir, const char *name, const char *what, size_t n)
{
	char path[PATH_MAX];
	bool ok;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ok = write(fd, what, n) == (ssize_t)n;
	close(fd);
	return ok;
}

static inline bool puts_to(const char *dir, const char *name, const char *what)
{
	return put(dir, name, what, strlen(what));
}

static inline ssize_t get(const char *dir, const char *name, char *to, size_t size)
{
	char path[PATH_MAX];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = read(fd, to, size - 1);
	close(fd);
	if (n >= 0)
		to[n] = '\0';
	return n;
}
