/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Three threads at once, each with a memory of its own from its making to its end: nothing is made in the main thread before. */
#include "fresco.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static void *work(void *machine)
{
	fresco_memory *memory;
	fresco_options options;
	fresco_verdict verdict;
	uint64_t i, end = 0;

	memset(&options, 0, sizeof(options));
	options.size = sizeof(options);
	options.flags = FRESCO_CHECK;
	if (fresco_memory_new((const char *)machine, &options, NULL, 0, &memory) != FRESCO_OK)
		return NULL;
	for (i = 0; i < 100; i++)
		while (fresco_memory_send(memory, i * 4160, i % 3 == 0, i) == FRESCO_FULL)
			fresco_memory_advance(memory, fresco_memory_next_event(memory));
	fresco_memory_drain(memory, &end);
	verdict.size = sizeof(verdict);
	if (fresco_memory_check(memory, &verdict, NULL, 0) != FRESCO_OK || !verdict.clean)
		end = 0;
	fresco_memory_free(memory);
	return (void *)(uintptr_t)end;
}

int main(void)
{
	/* Machines of different standards, two of them the same. */
	char machines[3][16] = {"ddr4-2400-bench", "raspberry-pi-5", "ddr4-2400-bench"};
	pthread_t threads[3];
	void *ends[3];
	int i;

	for (i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, work, machines[i]);
	for (i = 0; i < 3; i++)
		pthread_join(threads[i], &ends[i]);
	printf("%d\n", ends[0] != NULL && ends[1] != NULL && ends[0] == ends[2]);
	return 0;
}
