// SPDX-License-Identifier: MIT OR Apache-2.0
// Finds what is like a query among sets of vectors: candidates by hashing, then ranked by what it takes to move one set onto the
// other. The work of Parsec's ferret. Usage: similar SETS QUERIES. Prints how often a query that is a set, disturbed, finds it.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 8, LENGTH = 14, TABLES = 6, BITS = 14, MOST = 400 };

struct set {
    float weight[SIZE];
    float vector[SIZE][LENGTH];
};

static uint64_t state = 88172645463325252u;

static float uniform(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (float)(state >> 40) / (float)(1 << 24);
}

static float planes[TABLES][BITS][LENGTH];

// On which side of each plane of a table a vector lies.
static unsigned hash(int table, const float *vector)
{
    unsigned bits = 0;
    for (int b = 0; b < BITS; b++) {
        float sum = 0;
        for (int d = 0; d < LENGTH; d++)
            sum += planes[table][b][d] * (vector[d] - 0.5f);
        bits = bits << 1 | (sum > 0);
    }
    return bits;
}

// Moves weight to the nearest vectors first: at least what the cheapest way costs.
static float distance(const struct set *a, const struct set *b)
{
    float left[SIZE], cost = 0;
    for (int j = 0; j < SIZE; j++)
        left[j] = b->weight[j];
    for (int i = 0; i < SIZE; i++) {
        float way[SIZE], weight = a->weight[i];
        for (int j = 0; j < SIZE; j++) {
            float sum = 0;
            for (int d = 0; d < LENGTH; d++)
                sum += fabsf(a->vector[i][d] - b->vector[j][d]);
            way[j] = sum;
        }
        while (weight > 1e-6f) {
            int best = -1;
            for (int j = 0; j < SIZE; j++)
                if (left[j] > 1e-6f && (best < 0 || way[j] < way[best]))
                    best = j;
            if (best < 0)
                break;
            float moved = weight < left[best] ? weight : left[best];
            cost += moved * way[best];
            weight -= moved;
            left[best] -= moved;
        }
    }
    return cost;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    long sets = atol(argv[1]), queries = atol(argv[2]);
    if (sets < 1)
        return 2;
    struct set *all = malloc(sets * sizeof *all);
    // Lists of vectors by hash: numbers of vectors from 0, each in a list of every table.
    int *head = malloc(((size_t)TABLES << BITS) * sizeof *head), *next = malloc(TABLES * sets * SIZE * sizeof *next);
    int *seen = calloc(sets, sizeof *seen);
    if (!all || !head || !next || !seen)
        return 1;
    for (int t = 0; t < TABLES; t++)
        for (int b = 0; b < BITS; b++)
            for (int d = 0; d < LENGTH; d++)
                planes[t][b][d] = uniform() - 0.5f;
    for (long i = 0; i < (long)TABLES << BITS; i++)
        head[i] = -1;
    for (long s = 0; s < sets; s++)
        for (int i = 0; i < SIZE; i++) {
            all[s].weight[i] = 1.0f / SIZE;
            for (int d = 0; d < LENGTH; d++)
                all[s].vector[i][d] = uniform();
            for (int t = 0; t < TABLES; t++) {
                long bucket = ((long)t << BITS) + hash(t, all[s].vector[i]), at = (t * sets + s) * SIZE + i;
                next[at] = head[bucket];
                head[bucket] = (int)(s * SIZE + i);
            }
        }
    long found = 0;
    for (long q = 1; q <= queries; q++) {
        long of = (long)(uniform() * (float)sets) % sets, best = -1;
        struct set query = all[of];
        for (int i = 0; i < SIZE; i++)
            for (int d = 0; d < LENGTH; d++)
                query.vector[i][d] += 0.05f * (uniform() - 0.5f);
        float nearest = INFINITY;
        for (int i = 0; i < SIZE; i++)
            for (int t = 0; t < TABLES; t++) {
                int count = 0;
                for (int at = head[((long)t << BITS) + hash(t, query.vector[i])]; at >= 0 && count < MOST; count++) {
                    long s = at / SIZE;
                    if (seen[s] != q) {
                        seen[s] = (int)q;
                        float cost = distance(&query, &all[s]);
                        if (cost < nearest) {
                            nearest = cost;
                            best = s;
                        }
                    }
                    at = next[(t * sets + s) * SIZE + at % SIZE];
                }
            }
        found += best == of;
    }
    printf("found %ld of %ld\n", found, queries);
}
