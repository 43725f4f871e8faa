/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Records what a host asks of its memory and what it is told: linked with -Wl,--wrap= of the three functions below it writes lines into the file that
 * RECORDED names, in the order in which they happen: "sent CYCLE ADDRESS IS_WRITE TAG" of what was taken, "done CYCLE TAG" of what is done, "end CYCLE",
 * the cycles being those at which the memory stands. For hosts with one memory. C99 and C++11. */
#include "fresco.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif
int __real_fresco_memory_send(fresco_memory *memory, uint64_t address, int is_write, uint64_t tag);
int __real_fresco_memory_on_done(fresco_memory *memory, fresco_done_fn callback, void *user);
void __real_fresco_memory_free(fresco_memory *memory);
int __wrap_fresco_memory_send(fresco_memory *memory, uint64_t address, int is_write, uint64_t tag);
void __wrap_fresco_memory_free(fresco_memory *memory);
int __wrap_fresco_memory_on_done(fresco_memory *memory, fresco_done_fn callback, void *user);
#ifdef __cplusplus
}
#endif

static FILE *record;
static fresco_memory *memory_of_host;
static fresco_done_fn callback_of_host;
static void *user_of_host;

int __wrap_fresco_memory_send(fresco_memory *memory, uint64_t address, int is_write, uint64_t tag)
{
	int status = __real_fresco_memory_send(memory, address, is_write, tag);

	if (status == FRESCO_OK)
		fprintf(record, "sent %" PRIu64 " %" PRIu64 " %d %" PRIu64 "\n", fresco_memory_now(memory), address, is_write != 0, tag);
	return status;
}

static void on_done(void *user, const fresco_done *done)
{
	(void)user;
	fprintf(record, "done %" PRIu64 " %" PRIu64 "\n", fresco_memory_now(memory_of_host), done->tag);
	callback_of_host(user_of_host, done);
}

int __wrap_fresco_memory_on_done(fresco_memory *memory, fresco_done_fn callback, void *user)
{
	const char *name = getenv("RECORDED");

	record = name == NULL ? NULL : fopen(name, "w");
	if (record == NULL)
		exit(1);
	memory_of_host = memory;
	callback_of_host = callback;
	user_of_host = user;
	return __real_fresco_memory_on_done(memory, on_done, NULL);
}

void __wrap_fresco_memory_free(fresco_memory *memory)
{
	fprintf(record, "end %" PRIu64 "\n", fresco_memory_now(memory));
	fclose(record);
	__real_fresco_memory_free(memory);
}
