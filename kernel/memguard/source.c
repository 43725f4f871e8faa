// SPDX-License-Identifier: GPL-2.0-only
/* Where counts come from: which source, by its name. */
#include <linux/string.h>
#include "memguard.h"

const struct mg_source *mg_source = &mg_perf;

/* Chooses a source, which may sleep. Under mg_mutex, while nothing is regulated. */
int mg_source_choose(const char *text)
{
	int error;

	if (!strcmp(text, mg_fed.name)) {
		error = mg_fed_open();
		if (error)
			return error;
		mg_source = &mg_fed;
		return 0;
	}
	error = mg_perf_choose(text);
	if (error)
		return error;
	mg_fed_close();
	mg_source = &mg_perf;
	return 0;
}
