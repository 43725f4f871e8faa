// SPDX-License-Identifier: MIT OR Apache-2.0
// Places the elements of a circuit by simulated annealing, so that wires become short: the work of Parsec's canneal.
// Usage: anneal ELEMENTS SWAPS. Prints the length of all wires, which falls.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIRES = 8 };

struct element {
    int x, y;
    int wires[WIRES];
    char name[24];
};

static uint64_t state = 88172645463325252u;

static uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

// Length of the wires of one element, if it stood at (x, y).
static long wires(struct element *const *all, const struct element *of, int x, int y)
{
    long sum = 0;
    for (int w = 0; w < WIRES; w++) {
        const struct element *other = all[of->wires[w]];
        sum += labs((long)x - other->x) + labs((long)y - other->y);
    }
    return sum;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    long elements = atol(argv[1]), swaps = atol(argv[2]), side = (long)ceil(sqrt((double)elements));
    if (elements < 2)
        return 2;
    struct element **all = malloc(elements * sizeof *all);
    if (!all)
        return 1;
    for (long e = 0; e < elements; e++) {
        all[e] = malloc(sizeof **all);
        if (!all[e])
            return 1;
        all[e]->x = (int)(e % side);
        all[e]->y = (int)(e / side);
        for (int w = 0; w < WIRES; w++)
            all[e]->wires[w] = (int)(draw() % elements);
        snprintf(all[e]->name, sizeof all[e]->name, "e%ld", e);
    }
    double temperature = 2000;
    long accepted = 0;
    for (long s = 0; s < swaps; s++) {
        struct element *a = all[draw() % elements], *b = all[draw() % elements];
        long before = wires(all, a, a->x, a->y) + wires(all, b, b->x, b->y);
        long after = wires(all, a, b->x, b->y) + wires(all, b, a->x, a->y);
        if (after < before || exp((double)(before - after) / temperature) > (double)(draw() >> 11) / 9007199254740992.0) {
            int x = a->x, y = a->y;
            a->x = b->x;
            a->y = b->y;
            b->x = x;
            b->y = y;
            accepted++;
        }
        if (s % 100000 == 99999)
            temperature /= 1.5;
    }
    long length = 0;
    for (long e = 0; e < elements; e++)
        length += wires(all, all[e], all[e]->x, all[e]->y);
    printf("accepted %ld, length %ld\n", accepted, length);
}
