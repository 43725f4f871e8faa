// SPDX-License-Identifier: MIT OR Apache-2.0
// A network of stations with queues, simulated event by event: the work of 471.omnetpp. Messages are allocated one by one and wait
// in a heap until their time comes. Usage: events STATIONS MESSAGES EVENTS. Prints how many messages arrived, and their mean time.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct message {
    double time, born;
    long station, hops;
    char name[40];
};

struct station {
    double busy_until;
    long length, served;
    int links[4];
};

static struct message **heap;
static long waiting;
static uint64_t state = 88172645463325252u;

static uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static void put(struct message *one)
{
    long at = waiting++;
    for (; at > 0 && heap[(at - 1) / 2]->time > one->time; at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = one;
}

static struct message *take(void)
{
    struct message *first = heap[0], *moved = heap[--waiting];
    long at = 0;
    for (;;) {
        long child = 2 * at + 1;
        if (child >= waiting)
            break;
        if (child + 1 < waiting && heap[child + 1]->time < heap[child]->time)
            child++;
        if (heap[child]->time >= moved->time)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
    return first;
}

static struct message *message(long number, double now, long stations)
{
    struct message *made = malloc(sizeof *made);
    if (!made)
        exit(1);
    *made = (struct message){.time = now + draw() % 1000, .born = now, .station = draw() % stations};
    snprintf(made->name, sizeof made->name, "message %ld", number);
    return made;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    long stations = atol(argv[1]), messages = atol(argv[2]), events = atol(argv[3]), arrived = 0;
    double travelled = 0;
    struct station *station = calloc(stations, sizeof *station);
    heap = malloc((messages + 1) * sizeof *heap);
    if (!station || !heap)
        return 1;
    for (long s = 0; s < stations; s++)
        for (int l = 0; l < 4; l++)
            station[s].links[l] = (int)(l < 2 ? (s + stations + 2 * l - 1) % stations : (long)(draw() % stations));
    for (long m = 0; m < messages; m++)
        put(message(m, 0, stations));
    for (long event = 0; event < events && waiting > 0; event++) {
        struct message *now = take();
        struct station *here = &station[now->station];
        if (here->busy_until > now->time) {
            // It waits for its turn, behind those that came before.
            now->time = here->busy_until;
            here->length++;
            put(now);
            continue;
        }
        here->served++;
        here->busy_until = now->time + 1 + draw() % 8;
        if (++now->hops == 8) {
            travelled += now->time - now->born;
            arrived++;
            put(message(messages + arrived, now->time, stations));
            free(now);
            continue;
        }
        now->station = here->links[draw() % 4];
        now->time = here->busy_until;
        put(now);
    }
    printf("arrived %ld, mean time %.1f\n", arrived, arrived ? travelled / arrived : 0);
}
