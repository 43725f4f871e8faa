/* SPDX-License-Identifier: GPL-2.0-only */
/* What each line in the kernel's log begins with. */
#define pr_fmt(fmt) "refresh: " fmt
