/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Every function is given what is wrong: prints what each says. */
#include "fresco.h"

#include <stdio.h>
#include <string.h>

static fresco_memory *memory;

static int calls;

/* Time is not moved in here. */
static void on_done(void *user, const fresco_done *told)
{
	const fresco_request request = {0, 0, 0};
	fresco_done done;

	(void)user;
	printf("told %d, outstanding %d\n", (int)told->tag, (int)fresco_memory_outstanding(memory));
	if (calls++ > 0)
		return;
	done.size = sizeof(done);
	printf("inside: tick %d, advance %d, next_done %d, send_all %d, drain %d, replay %d\n", fresco_memory_tick(memory),
	       fresco_memory_advance(memory, 5), fresco_memory_next_done(memory, 5, &done),
	       fresco_memory_send_all(memory, &request, 1, 1, 0, NULL), fresco_memory_drain(memory, NULL),
	       fresco_memory_replay(memory, &request, 1, 1, NULL, NULL));
	printf("(%s)\n", fresco_memory_error(memory));
	printf("inside: can_take %d, send %d\n", fresco_memory_can_take(memory, 192, 0), fresco_memory_send(memory, 192, 0, 6));
}

static void say(const char *what, int status)
{
	printf("%s: %d", what, status);
	if (status < 0 && memory && *fresco_memory_error(memory))
		printf(" (%s)", fresco_memory_error(memory));
	puts("");
}

static void try_new(const char *what, const char *machine, const fresco_options *options)
{
	char message[400];
	fresco_memory *made = (fresco_memory *)message;
	int status;

	memset(message, 'x', sizeof(message));
	status = fresco_memory_new(machine, options, message, sizeof(message), &made);
	/* What is allowed is behind the first line, and grows with the machines. */
	message[strcspn(message, "\n")] = 0;
	printf("%s: %d %s: %s\n", what, status, made ? "made" : "null", message);
}

int main(int argc, char **argv)
{
	struct {
		fresco_options options;
		uint64_t more;
	} future;
	struct {
		fresco_stats stats;
		uint64_t more;
	} grown;
	const char *settings[] = {"memory.controller.page=closed", "nothing"};
	fresco_options options;
	fresco_info info;
	fresco_done done;
	fresco_stats stats;
	fresco_verdict verdict;
	fresco_request requests[3] = {{0, 0, 0}, {0, UINT64_MAX, 0}, {FRESCO_LAST_CYCLE + 1, 0, 1}};
	char little[12], text[500];
	uint64_t base, bytes;
	size_t sent = 77;

	if (argc != 2)
		return 2;
	memset(&options, 0, sizeof(options));
	try_new("no machine", NULL, NULL);
	try_new("unknown machine", "ddr4-2400-bensh", NULL);
	try_new("no such file", "no/such.toml", NULL);
	try_new("a wrong file", argv[1], NULL);
	try_new("no UTF-8", "\xff", NULL);
	try_new("no size", "ddr4-2400-bench", &options);
	options.size = sizeof(options);
	options.flags = 8;
	try_new("unknown flag", "ddr4-2400-bench", &options);
	options.flags = 0;
	options.settings_count = 2;
	try_new("no settings", "ddr4-2400-bench", &options);
	options.settings = settings;
	try_new("no value", "ddr4-2400-bench", &options);
	settings[1] = NULL;
	try_new("a null setting", "ddr4-2400-bench", &options);
	settings[1] = "memory.controller.pages=closed";
	try_new("unknown key", "ddr4-2400-bench", &options);
	memset(&future, 0, sizeof(future));
	future.options.size = sizeof(future);
	future.more = 1;
	try_new("unknown fields", "ddr4-2400-bench", &future.options);
	say("nowhere to go", fresco_memory_new("ddr4-2400-bench", NULL, NULL, 0, NULL));
	say("cut short", fresco_memory_new("ddr4", NULL, little, sizeof(little), &memory));
	printf("%s\n", little);
	say("text", fresco_memory_parse("cores = 0\n", NULL, little, sizeof(little), &memory));
	say("no text", fresco_memory_parse(NULL, NULL, NULL, 0, &memory));

	/* Nothing is done to a handle that is not there. */
	info.size = sizeof(info);
	done.size = sizeof(done);
	stats.size = sizeof(stats);
	verdict.size = sizeof(verdict);
	fresco_memory_free(NULL);
	say("null info", fresco_memory_info(NULL, &info));
	say("null region", fresco_memory_region(NULL, 0, &base, &bytes));
	say("null on_done", fresco_memory_on_done(NULL, NULL, NULL));
	say("null can_take", fresco_memory_can_take(NULL, 0, 0));
	say("null send", fresco_memory_send(NULL, 0, 0, 0));
	say("null tick", fresco_memory_tick(NULL));
	say("null advance", fresco_memory_advance(NULL, 5));
	say("null next_done", fresco_memory_next_done(NULL, 5, &done));
	say("null send_all", fresco_memory_send_all(NULL, requests, 1, 1, 0, &sent));
	printf("sent %zu\n", sent);
	say("null drain", fresco_memory_drain(NULL, &base));
	say("null replay", fresco_memory_replay(NULL, requests, 1, 1, NULL, NULL));
	say("null stats", fresco_memory_stats(NULL, 0, &stats));
	say("null reset_stats", fresco_memory_reset_stats(NULL));
	say("null check", fresco_memory_check(NULL, &verdict, NULL, 0));
	printf("null: %d %d %d %d %d %d\n", fresco_memory_error(NULL) == NULL, (int)fresco_memory_now(NULL),
	       (int)fresco_memory_outstanding(NULL), fresco_memory_next_event(NULL) == FRESCO_NEVER,
	       (int)fresco_memory_cycle_to_ps(NULL, 5), (int)fresco_memory_ps_to_cycle(NULL, 5));

	/* Fields that the library does not know are no harm where they are zero. */
	future.more = 0;
	say("future options", fresco_memory_new("ddr4-2400-bench", &future.options, NULL, 0, &memory));
	printf("no error: \"%s\"\n", fresco_memory_error(memory));
	say("no info", fresco_memory_info(memory, NULL));
	info.size = 4;
	say("small info", fresco_memory_info(memory, &info));
	say("region", fresco_memory_region(memory, 1, &base, &bytes));
	say("no base", fresco_memory_region(memory, 0, NULL, &bytes));
	say("can_take beyond", fresco_memory_can_take(memory, UINT64_C(1) << 34, 0));
	say("send beyond", fresco_memory_send(memory, UINT64_C(1) << 34, 0, 0));
	say("advance beyond", fresco_memory_advance(memory, FRESCO_LAST_CYCLE + 1));
	say("no done", fresco_memory_next_done(memory, 5, NULL));
	say("next_done beyond", fresco_memory_next_done(memory, FRESCO_NEVER, &done));
	say("no requests", fresco_memory_send_all(memory, NULL, 1, 1, 0, &sent));
	say("nothing to send", fresco_memory_send_all(memory, NULL, 0, 1, 0, &sent));
	say("none outstanding", fresco_memory_send_all(memory, requests, 1, 0, 0, &sent));
	say("send_all beyond", fresco_memory_send_all(memory, requests, 3, 8, 0, &sent));
	printf("sent %zu, outstanding %d\n", sent, (int)fresco_memory_outstanding(memory));
	say("replay too late", fresco_memory_replay(memory, requests + 2, 1, 8, NULL, NULL));
	requests[0].cycle = fresco_memory_now(memory) + FRESCO_LONGEST_GAP + 2;
	say("replay too far", fresco_memory_replay(memory, requests, 1, 8, NULL, NULL));
	say("send_all too far", fresco_memory_send_all(memory, requests, 1, 8, 0, &sent));
	say("send_all too many", fresco_memory_send_all(memory, requests, SIZE_MAX / sizeof(*requests) + 1, 8, 0, &sent));
	printf("sent %zu\n", sent);
	say("replay too many", fresco_memory_replay(memory, requests, SIZE_MAX / 2, 8, NULL, NULL));
	say("channel", fresco_memory_stats(memory, 1, &stats));
	say("no stats", fresco_memory_stats(memory, 0, NULL));
	say("check", fresco_memory_check(memory, &verdict, NULL, 0));
	say("drain", fresco_memory_drain(memory, NULL));

	/* An older host's structure is written as far as it goes, a newer one's rest is zero. */
	memset(&stats, 0xff, sizeof(stats));
	stats.size = offsetof(fresco_stats, writes);
	say("old stats", fresco_memory_stats(memory, FRESCO_ALL_CHANNELS, &stats));
	printf("%d %d\n", (int)stats.reads, stats.writes == UINT64_MAX);
	memset(&grown, 0xff, sizeof(grown));
	grown.stats.size = sizeof(grown);
	say("grown stats", fresco_memory_stats(memory, 0, &grown.stats));
	printf("%d %d %d\n", (int)grown.stats.reads, (int)grown.more, grown.stats.size == sizeof(grown));
	fresco_memory_free(memory);

	/* Of a machine that refreshes nothing. */
	settings[0] = "memory.controller.refresh=none";
	options.settings_count = 1;
	options.flags = FRESCO_CHECK;
	say("no refresh", fresco_memory_new("ddr4-2400-bench", &options, NULL, 0, &memory));
	fresco_memory_send(memory, 0, 0, 4);
	fresco_memory_send(memory, 64, 0, 5);
	/* What cannot be told stays to be told. */
	done.size = 4;
	say("small done", fresco_memory_next_done(memory, 100, &done));
	printf("now %d, outstanding %d\n", (int)fresco_memory_now(memory), (int)fresco_memory_outstanding(memory));
	fresco_memory_on_done(memory, on_done, NULL);
	say("advance", fresco_memory_advance(memory, 100));
	/* Behind the last cycle. */
	say("advance far", fresco_memory_advance(memory, FRESCO_LAST_CYCLE - 20));
	say("send late", fresco_memory_send(memory, 0, 0, 7));
	say("advance to the last", fresco_memory_advance(memory, FRESCO_LAST_CYCLE));
	say("drain late", fresco_memory_drain(memory, &base));
	printf("%d behind the last cycle\n", (int)(fresco_memory_now(memory) - FRESCO_LAST_CYCLE));
	say("send later", fresco_memory_send(memory, 0, 0, 8));
	say("advance to the last", fresco_memory_advance(memory, FRESCO_LAST_CYCLE));
	say("drain later", fresco_memory_drain(memory, NULL));
	printf("%d %d\n", fresco_memory_cycle_to_ps(memory, FRESCO_LAST_CYCLE) == UINT64_MAX,
	       fresco_memory_cycle_to_ps(memory, UINT64_C(22136092888451461)) == UINT64_MAX - 782);
	say("check", fresco_memory_check(memory, &verdict, text, sizeof(text)));
	printf("clean %d, late rows %d, refresh judged %d: %s\n", (int)verdict.clean, (int)verdict.late_rows, (int)verdict.refresh_judged,
	       strchr(text, '\n') + 1);
	fresco_memory_free(memory);
	printf("version %s\n", fresco_version());
	return 0;
}
