// SPDX-License-Identifier: MIT OR Apache-2.0
// Shortest paths by A* through a map of cells that cost more or less, or nothing passes: the task of 473.astar.
// Usage: route SIDE PATHS SEED. Prints the lengths' sum.
#include <stdio.h>
#include <stdlib.h>

typedef struct { int cost, round, heap; unsigned char terrain, closed; } cell;

static cell *map;
static long side, count, *heap;
static long target;
static unsigned long state;

static long below(long n)
{
    state = state * 6364136223846793005ul + 1442695040888963407ul;
    return (long)((state >> 33) % (unsigned long)n);
}

static long key(long c)
{
    return map[c].cost + labs(c % side - target % side) + labs(c / side - target / side);
}

static void put(long at, long c)
{
    heap[at] = c;
    map[c].heap = (int)at;
}

static void rise(long at, long c)
{
    while (at > 0 && key(heap[(at - 1) / 2]) > key(c)) {
        put(at, heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(at, c);
}

static long take(void)
{
    long top = heap[0], c = heap[--count], at = 0;
    for (long next; (next = 2 * at + 1) < count; at = next) {
        if (next + 1 < count && key(heap[next + 1]) < key(heap[next]))
            next++;
        if (key(heap[next]) >= key(c))
            break;
        put(at, heap[next]);
    }
    if (count > 0)
        put(at, c);
    return top;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    side = atol(argv[1]);
    state = strtoul(argv[3], 0, 10);
    map = calloc(side * side, sizeof *map);
    heap = malloc(side * side * sizeof *heap);
    if (!map || !heap || side < 3)
        return 1;
    for (long i = 0; i < side * side; i++) {
        int kind = (int)below(10);
        int edge = i % side == 0 || i % side == side - 1 || i < side || i >= side * (side - 1);
        map[i].terrain = edge || kind < 2 ? 0 : kind < 7 ? 1 : 4;
    }
    long sum = 0;
    for (int round = 1; round <= atoi(argv[2]); round++) {
        long from = below(side * side);
        target = below(side * side);
        if (!map[from].terrain || !map[target].terrain)
            continue;
        count = 0;
        map[from] = (cell){0, round, 0, map[from].terrain, 0};
        rise(count++, from);
        while (count > 0) {
            long c = take();
            map[c].closed = 1;
            if (c == target) {
                sum += map[c].cost;
                break;
            }
            const long near[4] = {c - 1, c + 1, c - side, c + side};
            for (int i = 0; i < 4; i++) {
                cell *n = map + near[i];
                int cost = map[c].cost + n->terrain;
                if (!n->terrain || (n->round == round && (n->closed || n->cost <= cost)))
                    continue;
                int open = n->round == round;
                n->cost = cost, n->round = round, n->closed = 0;
                rise(open ? n->heap : count++, near[i]);
            }
        }
    }
    printf("sum of lengths %ld\n", sum);
}
