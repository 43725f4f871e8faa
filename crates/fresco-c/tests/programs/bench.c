/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The comparison's traces through the C interface, to be counted by callgrind (scripts/bench-c): the work of
 * crates/fresco-memory/examples/core_instructions.rs, request for request.
 * Usage: bench random|stream|sparse|mixed send|all|replay REQUESTS */
#include "fresco.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OUTSTANDING = 32, CHUNK = 4096 };

static uint64_t count, sum;

static void on_done(void *user, const fresco_done *done)
{
	(void)user;
	count++;
	sum += done->at - done->arrived;
}

static uint64_t splitmix64(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);

	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	return z ^ (z >> 31);
}

static fresco_request draw(char trace, uint64_t i, uint64_t *state)
{
	fresco_request request = {0, 64 * i, 0};

	if (trace == 'm')
		request.is_write = splitmix64(state) % 3 == 0;
	if (trace != 's')
		request.address = splitmix64(state) % (1u << 26) * 64;
	if (trace == 'l')
		request.cycle = 500 * i + splitmix64(state) % 100;
	return request;
}

int main(int argc, char **argv)
{
	fresco_memory *memory;
	char message[1000], trace;
	uint64_t n, i, state, end;
	fresco_options options;

	if (argc != 4)
		return 2;
	/* l: the one of low load. */
	trace = strcmp(argv[1], "sparse") == 0 ? 'l' : argv[1][0];
	state = trace == 'r' ? 1 : 3;
	n = strtoull(argv[3], NULL, 10);
	memset(&options, 0, sizeof(options));
	options.size = sizeof(options);
	options.outstanding = OUTSTANDING;
	if (fresco_memory_new("ddr4-2400-bench", &options, message, sizeof(message), &memory) != FRESCO_OK) {
		fprintf(stderr, "%s\n", message);
		return 1;
	}
	fresco_memory_on_done(memory, on_done, NULL);
	if (strcmp(argv[2], "all") == 0) {
		static fresco_request chunk[CHUNK];
		uint64_t in_chunk = 0;

		for (i = 0; i < n; i++) {
			chunk[in_chunk++] = draw(trace, i, &state);
			if (in_chunk == CHUNK || i + 1 == n) {
				if (fresco_memory_send_all(memory, chunk, in_chunk, OUTSTANDING, 0, NULL) != FRESCO_OK)
					return 1;
				in_chunk = 0;
			}
		}
	} else if (strcmp(argv[2], "replay") == 0) {
		fresco_request *requests = (fresco_request *)malloc((n + 1) * sizeof(*requests));
		uint64_t *ends = (uint64_t *)malloc((n + 1) * sizeof(*ends));

		for (i = 0; i < n; i++)
			requests[i] = draw(trace, i, &state);
		if (fresco_memory_replay(memory, requests, n, OUTSTANDING, ends, NULL) != FRESCO_OK)
			return 1;
		for (i = 0; i < n; i++)
			sum += ends[i] ^ i;
		free(requests);
		free(ends);
	} else {
		uint64_t at = 0;
		fresco_done done;

		done.size = sizeof(done);
		for (i = 0; i < n; i++) {
			fresco_request request = draw(trace, i, &state);

			if (request.cycle > at)
				at = request.cycle;
			while (fresco_memory_outstanding(memory) == OUTSTANDING) {
				if (fresco_memory_next_done(memory, FRESCO_LAST_CYCLE, &done) != FRESCO_OK)
					return 1;
				on_done(NULL, &done);
				if (done.at > at)
					at = done.at;
			}
			fresco_memory_advance(memory, at);
			if (fresco_memory_send(memory, request.address, (int)request.is_write, i) != FRESCO_OK)
				return 1;
			at++;
		}
	}
	fresco_memory_drain(memory, &end);
	printf("cycles %" PRIu64 " requests %" PRIu64 " latencies %" PRIu64 "\n", end, count, sum);
	fresco_memory_free(memory);
	return 0;
}
