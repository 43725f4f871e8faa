/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
#ifndef _UAPI_LINUX_PAGE_COLOR_H
#define _UAPI_LINUX_PAGE_COLOR_H

/*
 * Colors by mmap(), with CONFIG_PAGE_COLOR_TINT:
 *
 *	mmap((void *)call, 0, prot | PAGE_COLOR_PROT,
 *	     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
 *
 * where prot is any and call is an action, what it is about, flags and a
 * number, added up. A call does not map anything. It returns MAP_FAILED, with
 * an error in errno, or a small number.
 *
 * A kernel that does not know these calls refuses mappings of no bytes, with
 * EINVAL, so it can be asked safely:
 *
 *	known = mmap((void *)PAGE_COLOR_VERSION, 0, ...) ==
 *		(void *)PAGE_COLOR_CALLS_VERSION;
 *
 * See Documentation/admin-guide/mm/page_color.rst.
 */

/* Bit of the protection; without it, or with a length, mmap() is as ever. */
#define PAGE_COLOR_PROT		(1UL << 30)

/* Bits 0 to 15: the number of a color, or of colors. */
#define PAGE_COLOR_NUMBER	0xffffUL

/* Bits 16 to 19: what colors are numbered. */
#define PAGE_COLOR_WHOLE	(0UL << 16)	/* those of the map, as in prctl() */
#define PAGE_COLOR_BANK		(1UL << 16)	/* memory controller and bank */
#define PAGE_COLOR_LLC		(2UL << 16)	/* part of the last level cache */
#define PAGE_COLOR_KIND		(15UL << 16)

/* Bits 20 to 23: what is to be done. */
#define PAGE_COLOR_VERSION	(1UL << 20)	/* returns the version of the calls */
#define PAGE_COLOR_COUNT	(2UL << 20)	/* returns how many colors there are */
#define PAGE_COLOR_SET		(3UL << 20)	/* the color, and no other one */
#define PAGE_COLOR_ADD		(4UL << 20)	/* the color, too */
#define PAGE_COLOR_REMOVE	(5UL << 20)	/* the color no more */
#define PAGE_COLOR_CLEAR	(6UL << 20)	/* any color */
#define PAGE_COLOR_USER		(7UL << 20)	/* so many for each program of the user */
#define PAGE_COLOR_ACTION	(15UL << 20)

/* Flags of SET, ADD, REMOVE and USER: PR_PAGE_COLOR_STRICT and _PRIVATE. */
#define PAGE_COLOR_CALL_STRICT	(1UL << 24)
#define PAGE_COLOR_CALL_PRIVATE	(1UL << 25)

/* What PAGE_COLOR_VERSION returns: the version of all of the above. */
#define PAGE_COLOR_CALLS_VERSION	1

#endif /* _UAPI_LINUX_PAGE_COLOR_H */
