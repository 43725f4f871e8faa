/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A host of a memory: sends the requests of standard input, a line each (cycle, address, 1 for a write), in a cycle at
 * most as many as the machine has channels.
 * Usage: host MACHINE tick|leap|callback|pieces|replay OUTSTANDING
 * Prints the cycle in which each is done, the end, and the counts of each channel; with the checker's verdict. C99 and C++11. */
#include "fresco.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static fresco_memory *memory;
static uint64_t *ends;

static void expect(int status, int wanted, const char *what)
{
	if (status != wanted) {
		fprintf(stderr, "%s: %d instead of %d: %s\n", what, status, wanted, fresco_memory_error(memory));
		exit(1);
	}
}

static void on_done(void *user, const fresco_done *done)
{
	((uint64_t *)user)[done->tag] = done->at;
	if (done->size < sizeof(fresco_done))
		exit(1);
}

/* Moves time on to a cycle, or to the next request that is done. */
static void wait_for(uint64_t cycle)
{
	fresco_done done;

	done.size = sizeof(done);
	if (fresco_memory_next_done(memory, cycle, &done) == FRESCO_OK)
		on_done(ends, &done);
}

static void host(const char *mode, const fresco_request *requests, size_t count, uint32_t channels)
{
	/* The cycle of the last request, and how many may follow it there. */
	uint64_t last = 0;
	uint32_t places = channels;
	size_t i;

	for (i = 0; i < count; i++) {
		uint64_t earliest = last + (places == 0);

		if (requests[i].cycle > earliest)
			earliest = requests[i].cycle;

		for (;;) {
			uint64_t now = fresco_memory_now(memory), until = earliest;

			if (now >= earliest) {
				int status = fresco_memory_can_take(memory, requests[i].address, (int)requests[i].is_write);
				expect(fresco_memory_send(memory, requests[i].address, (int)requests[i].is_write, i), status, "send");
				if (status == FRESCO_OK)
					break;
				until = fresco_memory_next_event(memory);
			}
			if (strcmp(mode, "tick") == 0)
				expect(fresco_memory_tick(memory), FRESCO_OK, "tick");
			else if (strcmp(mode, "callback") == 0)
				expect(fresco_memory_advance(memory, until), FRESCO_OK, "advance");
			else
				wait_for(until);
		}
		if (fresco_memory_now(memory) > last)
			places = channels;
		places--;
		last = fresco_memory_now(memory);
	}
}

int main(int argc, char **argv)
{
	fresco_request *requests = NULL;
	size_t count = 0, room = 0, sent, at;
	uint64_t end, channel;
	fresco_options options;
	fresco_info info;
	fresco_verdict verdict;
	char message[2000];
	uint32_t outstanding;

	if (argc != 4)
		return 2;
	outstanding = (uint32_t)atoi(argv[3]);
	for (;;) {
		fresco_request request;

		if (scanf("%" SCNu64 " %" SCNu64 " %" SCNu64, &request.cycle, &request.address, &request.is_write) != 3)
			break;
		if (count == room) {
			room = 2 * room + 100;
			requests = (fresco_request *)realloc(requests, room * sizeof(*requests));
		}
		requests[count++] = request;
	}
	ends = (uint64_t *)calloc(count + 1, sizeof(*ends));

	memset(&options, 0, sizeof(options));
	options.size = sizeof(options);
	options.outstanding = outstanding;
	options.flags = FRESCO_CHECK;
	if (fresco_memory_new(argv[1], &options, message, sizeof(message), &memory) != FRESCO_OK) {
		fprintf(stderr, "%s\n", message);
		return 1;
	}
	info.size = sizeof(info);
	expect(fresco_memory_info(memory, &info), FRESCO_OK, "info");
	expect(fresco_memory_on_done(memory, on_done, ends), FRESCO_OK, "on_done");
	if (strcmp(argv[2], "replay") == 0) {
		expect(fresco_memory_replay(memory, requests, count, outstanding, ends, &end), FRESCO_OK, "replay");
	} else {
		if (strcmp(argv[2], "pieces") == 0) {
			for (at = 0; at < count; at += sent) {
				size_t piece = count - at < 77 ? count - at : 77;
				expect(fresco_memory_send_all(memory, requests + at, piece, outstanding, at, &sent), FRESCO_OK, "send_all");
			}
		} else {
			host(argv[2], requests, count, info.channels);
		}
		expect(fresco_memory_drain(memory, &end), FRESCO_OK, "drain");
	}
	if (fresco_memory_outstanding(memory) != 0 || fresco_memory_now(memory) < end)
		return 1;
	for (at = 0; at < count; at++)
		printf("%" PRIu64 "\n", ends[at]);
	printf("end %" PRIu64 "\n", end);
	for (channel = 0; channel < info.channels; channel++) {
		fresco_stats s;

		s.size = sizeof(s);
		expect(fresco_memory_stats(memory, (uint32_t)channel, &s), FRESCO_OK, "stats");
		printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, s.reads, s.writes,
		       s.forwarded, s.merged, s.row_hits, s.row_misses, s.row_conflicts, s.data_cycles);
		printf(" %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, s.read_queue_integral, s.read_queue_max,
		       s.write_queue_integral, s.write_queue_max, s.rank_active_cycles);
		printf(" %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, s.act, s.pre, s.prea, s.rd,
		       s.rda, s.wr, s.wra);
		printf(" %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", s.ref_ab, s.ref_ab4, s.ref_pb,
		       s.ref_sb, s.rfm_ab, s.rfm_sb);
	}
	verdict.size = sizeof(verdict);
	expect(fresco_memory_check(memory, &verdict, message, sizeof(message)), FRESCO_OK, "check");
	printf("clean %" PRIu64 "\n", verdict.clean);
	fresco_memory_free(memory);
	free(requests);
	free(ends);
	return 0;
}
