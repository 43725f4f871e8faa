// SPDX-License-Identifier: GPL-2.0-only
/*
 * The text of a schedule, see README.md: a key and a number in each line, a window in each line, "end".
 */
#include "schedule.h"

/* "window 0 0 1\n" is the shortest line of a window. */
#define SHORTEST_WINDOW 13

struct key {
	const char *name;
	u64 least, most;
};

/* In the order of enum. */
static const struct key keys[] = {
	{ "ranks", 1, RFW_MOST_RANKS },
	{ "retention_ns", 1000000, 1000000000 },
	{ "refreshes", 256, 65536 },
	{ "trfc_ns", 50, 5000 },
	{ "period_ns", 1000, 1000000000 },
	{ "lateness_ns", 1, 1000000 },
};
enum { RANKS, RETENTION, REFRESHES, TRFC, PERIOD, LATENESS, KEYS };

/* A line that is being read. */
struct line {
	const char *at, *end;
	unsigned int number;
};

u32 rfw_room(size_t size)
{
	size_t room = size / SHORTEST_WINDOW + 1;

	return room < RFW_MOST_WINDOWS ? room : RFW_MOST_WINDOWS;
}

/* The next word of the line, NULL at its end. */
static const char *word(struct line *line, int *length)
{
	const char *begin;

	while (line->at < line->end && (*line->at == ' ' || *line->at == '\t'))
		line->at++;
	begin = line->at;
	while (line->at < line->end && *line->at != ' ' && *line->at != '\t')
		line->at++;
	*length = line->at - begin;
	return line->at > begin ? begin : NULL;
}

/* As much of a word as a message has room for. */
static int shown(int length)
{
	return length > 40 ? 40 : length;
}

static bool is(const char *text, int length, const char *wanted)
{
	return text && strlen(wanted) == (size_t)length && !memcmp(text, wanted, length);
}

/* Digits alone, within bounds. */
static int number(struct line *line, const char *what, u64 least, u64 most, u64 *value, struct rfw_refusal *why)
{
	int length, i;
	const char *text = word(line, &length);

	*value = 0;
	for (i = 0; i < length && text[i] >= '0' && text[i] <= '9' && *value <= most; i++)
		*value = *value * 10 + (text[i] - '0');
	if (text && i == length && *value >= least && *value <= most)
		return 0;
	snprintf(why->text, sizeof(why->text), "line %u: %s: found '%.*s', allowed: %llu to %llu", line->number, what, shown(length), text ? text : "",
		 (unsigned long long)least, (unsigned long long)most);
	return -EINVAL;
}

static int nothing_more(struct line *line, struct rfw_refusal *why)
{
	int length;
	const char *text = word(line, &length);

	if (!text)
		return 0;
	snprintf(why->text, sizeof(why->text), "line %u: found '%.*s' behind what the line says, allowed: nothing", line->number, shown(length), text);
	return -EINVAL;
}

static int refuse(unsigned int line, const char *found, struct rfw_refusal *why)
{
	snprintf(why->text, sizeof(why->text), "line %u: %s", line, found);
	return -EINVAL;
}

/* All windows of rank 0, then of rank 1: in the order in which they were read. */
static void group(const struct rfw_window *read, struct rfw_window *grouped, struct rfw_schedule *schedule)
{
	u32 next[RFW_MOST_RANKS] = { 0 }, rank, i;

	for (i = 0; i < schedule->count; i++)
		next[read[i].rank]++;
	schedule->first[0] = 0;
	for (rank = 0; rank < schedule->ranks; rank++) {
		schedule->first[rank + 1] = schedule->first[rank] + next[rank];
		next[rank] = schedule->first[rank];
	}
	for (i = 0; i < schedule->count; i++)
		grouped[next[read[i].rank]++] = read[i];
	schedule->windows = grouped;
}

static int window(struct line *line, const u64 *values, struct rfw_window *read, u32 room, struct rfw_schedule *schedule,
		  struct rfw_refusal *why)
{
	u64 rank, offset, count;
	int error;

	if (!values[RANKS] || !values[PERIOD])
		return refuse(line->number, "a window before ranks and period_ns, allowed: behind them", why);
	error = number(line, "rank of a window", 0, values[RANKS] - 1, &rank, why);
	if (!error)
		error = number(line, "offset of a window, in ns", 0, values[PERIOD] - 1, &offset, why);
	if (!error)
		error = number(line, "refreshes of a window", 1, RFW_MOST_REFRESHES, &count, why);
	if (error)
		return error;
	if (schedule->count >= room)
		return refuse(line->number, "too many windows, allowed: 65536", why);
	read[schedule->count++] = (struct rfw_window) { .offset_ns = offset, .rank = rank, .count = count };
	return 0;
}

int rfw_parse(const char *text, size_t size, struct rfw_window *read, struct rfw_window *grouped, struct rfw_schedule *schedule,
	      struct rfw_refusal *why)
{
	struct line line = { .number = 0 };
	const char *next = text, *stop = text + size, *name;
	u64 values[KEYS] = { 0 };
	bool has_format = false, has_end = false;
	int length, key, error;

	memset(schedule, 0, sizeof(*schedule));
	while (next < stop) {
		line.at = next;
		line.number++;
		while (next < stop && *next != '\n')
			next++;
		line.end = next;
		if (next < stop)
			next++;
		name = word(&line, &length);
		if (!name || *name == '#')
			continue;
		if (has_end)
			return refuse(line.number, "a line behind 'end', allowed: none", why);
		if (!has_format) {
			has_format = is(name, length, "format");
			name = word(&line, &length);
			if (!has_format || !is(name, length, RFW_FORMAT))
				return refuse(line.number, "not a schedule of refresh windows, allowed: a first line 'format " RFW_FORMAT "'", why);
		} else if (is(name, length, "window")) {
			error = window(&line, values, read, rfw_room(size), schedule, why);
			if (error)
				return error;
		} else if (is(name, length, "end")) {
			has_end = true;
		} else {
			for (key = 0; key < KEYS && !is(name, length, keys[key].name); key++)
				;
			if (key == KEYS) {
				snprintf(why->text, sizeof(why->text), "line %u: found '%.*s', allowed: ranks, retention_ns, refreshes, trfc_ns, "
					 "period_ns, lateness_ns, window, end", line.number, shown(length), name);
				return -EINVAL;
			}
			if (values[key])
				return refuse(line.number, "said twice, allowed: once", why);
			error = number(&line, keys[key].name, keys[key].least, keys[key].most, &values[key], why);
			if (error)
				return error;
		}
		error = nothing_more(&line, why);
		if (error)
			return error;
	}
	if (!has_end)
		return refuse(line.number, "the text has no last line 'end'", why);
	for (key = 0; key < KEYS; key++) {
		if (!values[key]) {
			snprintf(why->text, sizeof(why->text), "%s is missing, allowed: %llu to %llu", keys[key].name,
				 (unsigned long long)keys[key].least, (unsigned long long)keys[key].most);
			return -EINVAL;
		}
	}
	schedule->ranks = values[RANKS];
	schedule->retention_ns = values[RETENTION];
	schedule->refreshes = values[REFRESHES];
	schedule->trfc_ns = values[TRFC];
	schedule->period_ns = values[PERIOD];
	schedule->lateness_ns = values[LATENESS];
	group(read, grouped, schedule);
	return 0;
}
