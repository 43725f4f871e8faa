// SPDX-License-Identifier: MIT OR Apache-2.0
// Flow of least cost by the network simplex method, with arcs priced block by block: the method of 429.mcf.
// Usage: mincost NODES ARCS SEED: a transport from the first half of the nodes to the other. Prints cost and pivots.
#include <stdio.h>
#include <stdlib.h>

typedef struct node node;
typedef struct arc {
    node *tail, *head;
    long cost, flow, capacity;
    int in_tree;
} arc;
struct node {
    long potential, supply;
    node *parent, *child, *next, *previous; // tree: first child, siblings
    arc *up;                                // to the parent
    long depth;
};

static unsigned long state;

static long below(long n)
{
    state = state * 6364136223846793005ul + 1442695040888963407ul;
    return (long)((state >> 33) % (unsigned long)n);
}

static void attach(node *n, node *parent, arc *up)
{
    n->parent = parent;
    n->up = up;
    n->previous = 0;
    n->next = parent->child;
    if (n->next)
        n->next->previous = n;
    parent->child = n;
}

static void detach(node *n)
{
    if (n->previous)
        n->previous->next = n->next;
    else
        n->parent->child = n->next;
    if (n->next)
        n->next->previous = n->previous;
}

// Potentials and depths of a subtree, from those of its parent.
static void refresh(node *root)
{
    node *n = root;
    for (;;) {
        arc *up = n->up;
        n->potential = up->tail == n ? n->parent->potential + up->cost : n->parent->potential - up->cost;
        n->depth = n->parent->depth + 1;
        if (n->child) {
            n = n->child;
            continue;
        }
        while (n != root && !n->next)
            n = n->parent;
        if (n == root)
            return;
        n = n->next;
    }
}

static long room(const arc *a, int forward) { return forward ? a->capacity - a->flow : a->flow; }

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    long nodes = atol(argv[1]), arcs = atol(argv[2]), all = arcs + nodes;
    state = strtoul(argv[3], 0, 10);
    node *net = calloc(nodes + 1, sizeof *net), *root = net + nodes;
    arc *list = calloc(all, sizeof *list);
    if (!net || !list || nodes < 2)
        return 1;
    for (long i = 0; i < nodes; i++)
        net[i].supply = i < nodes / 2 ? 10 : -10;
    if (nodes % 2)
        net[nodes - 1].supply = 0;
    for (long i = 0; i < arcs; i++) {
        node *tail = net + below(nodes), *head = net + below(nodes);
        if (tail == head)
            head = net + (head - net + 1) % nodes;
        list[i] = (arc){tail, head, 1 + below(1000), 0, 1 + below(30), 0};
    }
    for (long i = 0; i < nodes; i++) { // dear arcs to the root, from which everything begins
        arc *a = list + arcs + i;
        int out = net[i].supply >= 0;
        *a = (arc){out ? net + i : root, out ? root : net + i, 1000000, labs(net[i].supply), 1l << 40, 1};
        attach(net + i, root, a);
        net[i].potential = out ? a->cost : -a->cost;
        net[i].depth = 1;
    }
    long pivots = 0, at = 0, block = 300;
    for (;;) {
        // The best arc of the first block that has any; a reduced cost of the wrong sign makes one.
        arc *best = 0;
        long gain = 0;
        for (long seen = 0; seen < all && !best; seen += block)
            for (long k = 0; k < block; k++) {
                arc *a = list + at;
                at = at + 1 == all ? 0 : at + 1;
                if (a->in_tree)
                    continue;
                long reduced = a->cost - a->tail->potential + a->head->potential;
                long wins = a->flow == 0 ? -reduced : reduced;
                if (wins > gain)
                    gain = wins, best = a;
            }
        if (!best)
            break;
        pivots++;
        int forward = best->flow == 0;
        node *from = forward ? best->tail : best->head, *to = forward ? best->head : best->tail;
        // Flow goes from `from` over the arc to `to`, and back through the tree: up from `to`, down to `from`.
        long delta = room(best, forward);
        node *leaves = 0;
        int below_to = 0;
        for (node *u = from, *v = to; u != v;) {
            if (u->depth >= v->depth) {
                long r = room(u->up, u->up->head == u);
                if (r < delta)
                    delta = r, leaves = u, below_to = 0;
                u = u->parent;
            } else {
                long r = room(v->up, v->up->tail == v);
                if (r <= delta)
                    delta = r, leaves = v, below_to = 1;
                v = v->parent;
            }
        }
        best->flow += forward ? delta : -delta;
        for (node *u = from, *v = to; u != v;)
            if (u->depth >= v->depth) {
                u->up->flow += u->up->head == u ? delta : -delta;
                u = u->parent;
            } else {
                v->up->flow += v->up->tail == v ? delta : -delta;
                v = v->parent;
            }
        if (!leaves)
            continue; // the arc itself was the narrowest: it goes from one bound to the other
        leaves->up->in_tree = 0;
        best->in_tree = 1;
        // The part of the tree that hangs on the arc that leaves is hung on the one that enters.
        node *child = below_to ? to : from, *parent = below_to ? from : to;
        node *top = child;
        arc *up = best;
        for (;;) {
            node *next = child->parent;
            arc *old = child->up;
            int last = child == leaves;
            detach(child);
            attach(child, parent, up);
            if (last)
                break;
            parent = child;
            up = old;
            child = next;
        }
        refresh(top);
    }
    long cost = 0, unmet = 0;
    for (long i = 0; i < arcs; i++)
        cost += list[i].cost * list[i].flow;
    for (long i = arcs; i < all; i++)
        unmet += list[i].flow;
    printf("cost %ld, %ld pivots, %ld unmet\n", cost, pivots, unmet);
}
