// SPDX-License-Identifier: GPL-2.0-only
/*
 * The five programs of Table 5.2 of the dissertation, as jobs with a period: cnt counts the positive numbers of a matrix,
 * compress is Lempel, Ziv and Welch's, lms an adaptive filter, matmult multiplies matrices, st finds the statistics of two series.
 *
 * Usage: five NAME PERIOD_US SIZE TIMES FILE
 *
 * A job is released at each multiple of the period of CLOCK_MONOTONIC and does the same work so many times over. After each the file says what has
 * been so far: jobs, those that ended after the next was due, the longest response and the longest work in microseconds, and a check of the results.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000ULL

static unsigned long long now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * SECOND + t.tv_nsec;
}

static unsigned int state = 1;

static unsigned int next_random(void)
{
	state = state * 1103515245 + 12345;
	return state >> 16;
}

/* Each has its data here. */
static int *numbers;
static double *series, *weights, *product;
static unsigned char *text;
static size_t size;

/* Negative and positive numbers of a square matrix, in number and in sum. */
static long cnt(void)
{
	long positive = 0, sum = 0;
	size_t i;

	for (i = 0; i < size * size; i++) {
		if (numbers[i] > 0) {
			positive++;
			sum += numbers[i];
		} else {
			sum -= numbers[i] / 2;
		}
	}
	return positive + sum;
}

#define CODES 4096

/* Codes of a text, each of the longest string that has been seen and the byte after it; a full table begins anew. */
static long compress(void)
{
	static struct { int string, byte, code; } table[2 * CODES];
	long codes = 0;
	int next = 256, string = text[0], slot;
	size_t i;

	memset(table, 0, sizeof(table));
	for (i = 1; i < size; i++) {
		for (slot = (string * 31 + text[i] * 7919) % (2 * CODES); table[slot].code; slot = (slot + 1) % (2 * CODES))
			if (table[slot].string == string && table[slot].byte == text[i])
				break;
		if (table[slot].code) {
			string = table[slot].code;
			continue;
		}
		codes++;
		if (next < CODES) {
			table[slot].string = string;
			table[slot].byte = text[i];
			table[slot].code = next++;
		} else {
			memset(table, 0, sizeof(table));
			next = 256;
		}
		string = text[i];
	}
	return codes + 1;
}

#define TAPS 16

/* A filter that learns what delays a series by four samples. */
static long lms(void)
{
	double error = 0, wanted, guess;
	size_t i, tap;

	memset(weights, 0, TAPS * sizeof(*weights));
	for (i = TAPS; i < size; i++) {
		for (guess = 0, tap = 0; tap < TAPS; tap++)
			guess += weights[tap] * series[i - tap];
		wanted = series[i - 4];
		error = wanted - guess;
		for (tap = 0; tap < TAPS; tap++)
			weights[tap] += 0.05 * error * series[i - tap];
	}
	return weights[4] * 1000;
}

static long matmult(void)
{
	size_t i, j, k;
	double sum;

	for (i = 0; i < size; i++)
		for (j = 0; j < size; j++) {
			for (sum = 0, k = 0; k < size; k++)
				sum += series[i * size + k] * series[k * size + j];
			product[i * size + j] = sum;
		}
	return product[size * size - 1];
}

/* Means, variances and the square of the correlation of the first half of a series and the second. */
static long st(void)
{
	double a = 0, b = 0, aa = 0, bb = 0, ab = 0;
	size_t half = size / 2, i;

	for (i = 0; i < half; i++) {
		a += series[i];
		b += series[half + i];
	}
	a /= half;
	b /= half;
	for (i = 0; i < half; i++) {
		aa += (series[i] - a) * (series[i] - a);
		bb += (series[half + i] - b) * (series[half + i] - b);
		ab += (series[i] - a) * (series[half + i] - b);
	}
	return 1e6 * ab * ab / (aa * bb);
}

static const struct {
	const char *name;
	long (*job)(void);
} programs[] = { { "cnt", cnt }, { "compress", compress }, { "lms", lms }, { "matmult", matmult }, { "st", st } };

int main(int count, char **words)
{
	unsigned long long period, due, response, work, longest = 0, most = 0, jobs = 0, missed = 0;
	long (*job)(void) = NULL, result = 0;
	size_t times, i, all;
	char line[160];
	int file;

	for (i = 0; count == 6 && i < sizeof(programs) / sizeof(*programs); i++)
		if (!strcmp(words[1], programs[i].name))
			job = programs[i].job;
	if (!job) {
		fprintf(stderr, "Usage: five cnt|compress|lms|matmult|st PERIOD_US SIZE TIMES FILE\n");
		return 2;
	}
	period = strtoull(words[2], NULL, 10) * 1000;
	size = strtoull(words[3], NULL, 10);
	times = strtoull(words[4], NULL, 10);
	file = open(words[5], O_WRONLY | O_CREAT | O_TRUNC, 0644);
	all = job == cnt || job == matmult ? size * size : size;
	numbers = malloc(all * sizeof(*numbers));
	series = malloc(all * sizeof(*series));
	product = malloc(all * sizeof(*product));
	weights = malloc(TAPS * sizeof(*weights));
	text = malloc(all);
	if (file < 0 || !period || !size || !numbers || !series || !product || !weights || !text) {
		perror("five");
		return 1;
	}
	for (i = 0; i < all; i++) {
		numbers[i] = (int)(next_random() % 2001) - 1000;
		series[i] = numbers[i] / 1000.0;
		text[i] = "etaoin shrdlu"[next_random() % 13];
		product[i] = 0;
	}
	result = job();
	for (due = (now(CLOCK_MONOTONIC) / period + 1) * period;; due += period) {
		struct timespec t = { due / SECOND, due % SECOND };

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
		work = now(CLOCK_THREAD_CPUTIME_ID);
		for (i = 0; i < times; i++)
			if (job() != result) {
				fprintf(stderr, "five: %s found another result\n", words[1]);
				return 1;
			}
		work = now(CLOCK_THREAD_CPUTIME_ID) - work;
		response = now(CLOCK_MONOTONIC) - due;
		jobs++;
		missed += response > period;
		longest = response > longest ? response : longest;
		most = work > most ? work : most;
		sprintf(line, "jobs %8llu missed %8llu response_us %8llu work_us %8llu result %12ld\n", jobs, missed, longest / 1000, most / 1000, result);
		if (pwrite(file, line, strlen(line), 0) < 0)
			return 1;
	}
}
