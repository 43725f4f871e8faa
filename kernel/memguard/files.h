/* SPDX-License-Identifier: GPL-2.0-only */
/* What files in configfs share: reading what was written. */
#ifndef MEMGUARD_FILES_H
#define MEMGUARD_FILES_H

#include <linux/configfs.h>

/* What was written, without the end of the line. */
char *mg_text_of(const char *page, size_t size, char text[32]);
/* A word of a list; its number, or -EINVAL. */
int mg_word(const char *page, size_t size, const char *const *words, int count, const char *what);
/* A number in a range, or -EINVAL. */
int mg_number(const char *page, size_t size, u64 least, u64 most, u64 *value, const char *what);

extern const struct config_item_type mg_groups_type;

#endif
