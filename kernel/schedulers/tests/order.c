// SPDX-License-Identifier: GPL-2.0-only
/* The choice among tasks that share slots, by hand: compiled and run by order.rs. */
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;
typedef int64_t s64;

#include "../src/bpf/order.h"

#define MS 1000000ULL

/* control has 8 ms and runs before eye, which has 32 ms, where their deadlines are equal; log begins 5 ms later. */
static const struct member control = { .order = BY_DEADLINE, .rank = 0, .period = 8 * MS, .deadline = 8 * MS };
static const struct member eye = { .order = BY_DEADLINE, .rank = 1, .period = 32 * MS, .deadline = 32 * MS };
static const struct member log_ = { .order = BY_DEADLINE, .rank = 2, .period = 10 * MS, .phase = 5 * MS, .deadline = 4 * MS };

static u64 key_at(const struct member *m, u64 now)
{
	return key_of(m, job_at(m, now), now);
}

static void jobs(void)
{
	assert(job_at(&control, 0) == 0 && job_at(&control, 8 * MS - 1) == 0 && job_at(&control, 8 * MS) == 1);
	/* Before its phase there is no job but the first. */
	assert(job_at(&log_, 0) == 0 && job_at(&log_, 15 * MS - 1) == 0 && job_at(&log_, 15 * MS) == 1);
	assert(arrival_of(&log_, 3) == 35 * MS);
	/* Of a task that shares no slots. */
	assert(job_at(&(struct member){ 0 }, 7) == 0);
}

static void deadlines(void)
{
	/* At 16 ms those of control are due at 24 ms, before eye's of 32 ms; at 24 ms both are due at 32 ms. */
	assert(before(key_at(&control, 16 * MS), key_at(&eye, 16 * MS)));
	assert(before(key_at(&control, 24 * MS), key_at(&eye, 24 * MS)));
	/* A job that waits keeps its deadline: eye's of 32 ms goes before control's of 40 ms. */
	assert(before(key_of(&eye, 0, 32 * MS), key_at(&control, 32 * MS)));
	/* However late a job is ready within its period: at 13 ms log's is due at 9 ms. */
	assert(before(key_at(&log_, 13 * MS), key_at(&control, 13 * MS)));
	assert(before(key_at(&control, 15 * MS), key_at(&log_, 15 * MS)));
	/* But not one that has missed it: at 33 ms it goes as the job of 32 ms, due at 64. */
	assert(before(key_at(&control, 33 * MS), key_of(&eye, 0, 33 * MS)) && key_of(&eye, 0, 33 * MS) == key_of(&eye, 1, 33 * MS));
	/* Threads of a task are equal, and so in the order in which they wait. */
	assert(!before(key_at(&eye, 1 * MS), key_at(&eye, 31 * MS)) && !before(key_at(&eye, 31 * MS), key_at(&eye, 1 * MS)));
	/* Keys wrap around 2^64 at 2^54 ns: there, too, the earlier deadline goes first. */
	u64 number = (1ULL << 54) / (8 * MS);
	assert(key_of(&control, number, 0) < key_of(&control, number - 2, 0));
	assert(before(key_of(&control, number - 2, 0), key_of(&control, number, 0)));
}

static void ranks(void)
{
	struct member first = control, second = eye;

	first.order = second.order = BY_RANK;
	/* Whatever is due when. */
	assert(before(key_of(&first, 1000, 0), key_of(&second, 0, 0)) && !before(key_of(&second, 0, 0), key_of(&first, 1000, 0)));
	/* Who has missed a deadline goes behind who has not, and such jobs are equal: one after the other. */
	assert(before(key_of(&second, 0, 32 * MS), key_of(&first, 0, 9 * MS)));
	assert(key_of(&second, 0, 33 * MS) == key_of(&first, 0, 33 * MS));
}

static void colors(void)
{
	assert(is_open(1, 0) && is_open(1, 1));
	assert(!is_open(SHUT(0), 0) && is_open(SHUT(0), 1));
	assert(is_open(SHUT(1) | 1, 0) && !is_open(SHUT(1) | 1, 1));
	assert(first_of(true, 5, true, 4) == 1 && first_of(true, 4, true, 5) == 0 && first_of(true, 4, true, 4) == 0);
	assert(first_of(true, 9, false, 1) == 0 && first_of(false, 1, true, 9) == 1 && first_of(false, 0, false, 0) == -1);
}

int main(void)
{
	jobs();
	deadlines();
	ranks();
	colors();
}
