/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files on a disk: on /dev/ram1, for one process and its children alone.
 */
#ifndef PAGE_COLOR_DISK_H
#define PAGE_COLOR_DISK_H

#include <sys/mount.h>
#include "page_color_util.h"

/* An empty file of so many bytes, none of which is on the disk or in the page cache. */
static inline int disk_file(size_t size)
{
	int fd;

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("/dev/ram1", "/tmp", "ext2", 0, NULL))
		ksft_exit_fail_msg("no ext2 on /dev/ram1: %s\n", strerror(errno));
	fd = open("/tmp/page_color", O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || unlink("/tmp/page_color") || ftruncate(fd, size))
		ksft_exit_fail_msg("no file on /dev/ram1: %s\n", strerror(errno));
	return fd;
}

#endif /* PAGE_COLOR_DISK_H */
