// SPDX-License-Identifier: MIT OR Apache-2.0
// Smoothed particles of a fluid in a box, found through a grid of cells: the work of Parsec's fluidanimate.
// Usage: fluid PARTICLES STEPS. Prints the mean height.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct vector {
    float x, y, z;
};

// Particles of a cell are a list of numbers, as they come and go.
static long n, side;
static int *first, *next;
static struct vector *place, *velocity, *force;
static float *density;

static long clamp(float at)
{
    long cell = (long)(at * (float)side);
    return cell < 0 ? 0 : cell >= side ? side - 1 : cell;
}

static void sort(void)
{
    for (long c = 0; c < side * side * side; c++)
        first[c] = -1;
    for (long p = 0; p < n; p++) {
        long c = clamp(place[p].x) + side * (clamp(place[p].y) + side * clamp(place[p].z));
        next[p] = first[c];
        first[c] = (int)p;
    }
}

// What each pair of neighbors does to the first of them: its density, or the force on it.
static void pairs(float reach, int forces)
{
    for (long p = 0; p < n; p++) {
        struct vector at = place[p], sum = {0, 0, 0};
        float dense = 0;
        long x = clamp(at.x), y = clamp(at.y), z = clamp(at.z);
        for (long k = z - 1; k <= z + 1; k++)
            for (long j = y - 1; j <= y + 1; j++)
                for (long i = x - 1; i <= x + 1; i++) {
                    if (i < 0 || j < 0 || k < 0 || i >= side || j >= side || k >= side)
                        continue;
                    for (int q = first[i + side * (j + side * k)]; q >= 0; q = next[q]) {
                        struct vector d = {at.x - place[q].x, at.y - place[q].y, at.z - place[q].z};
                        float square = d.x * d.x + d.y * d.y + d.z * d.z, left = reach * reach - square;
                        if (q == p || left <= 0)
                            continue;
                        if (!forces) {
                            dense += left * left * left;
                            continue;
                        }
                        float distance = sqrtf(square) + 1e-9f;
                        float push = (reach - distance) * (density[p] + density[q] - 2) / distance;
                        sum.x += push * d.x + 0.1f * (velocity[q].x - velocity[p].x);
                        sum.y += push * d.y + 0.1f * (velocity[q].y - velocity[p].y);
                        sum.z += push * d.z + 0.1f * (velocity[q].z - velocity[p].z);
                    }
                }
        if (forces)
            force[p] = sum;
        else
            density[p] = dense / (reach * reach * reach * reach * reach * reach);
    }
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    n = atol(argv[1]);
    long steps = atol(argv[2]);
    // Some four particles in a cell.
    side = (long)cbrt((double)n / 4);
    if (side < 1)
        return 2;
    first = malloc(side * side * side * sizeof *first);
    next = malloc(n * sizeof *next);
    place = malloc(n * sizeof *place);
    velocity = calloc(n, sizeof *velocity);
    force = calloc(n, sizeof *force);
    density = calloc(n, sizeof *density);
    if (!first || !next || !place || !velocity || !force || !density)
        return 1;
    uint64_t state = 88172645463325252u;
    for (long p = 0; p < n; p++) {
        float at[3];
        for (int d = 0; d < 3; d++) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            at[d] = (float)(state >> 40) / (float)(1 << 24);
        }
        place[p] = (struct vector){at[0], at[1], at[2]};
    }
    const float reach = 1.0f / (float)side, dt = 0.002f;
    for (long s = 0; s < steps; s++) {
        sort();
        pairs(reach, 0);
        pairs(reach, 1);
        for (long p = 0; p < n; p++) {
            float *v[3] = {&velocity[p].x, &velocity[p].y, &velocity[p].z}, *x[3] = {&place[p].x, &place[p].y, &place[p].z};
            float *f[3] = {&force[p].x, &force[p].y, &force[p].z};
            *f[1] -= 9.8f;
            for (int d = 0; d < 3; d++) {
                *v[d] += dt * *f[d];
                *x[d] += dt * *v[d];
                if (*x[d] < 0 || *x[d] >= 1) {
                    *x[d] = *x[d] < 0 ? 0 : 0.999999f;
                    *v[d] = -0.5f * *v[d];
                }
            }
        }
    }
    double height = 0;
    for (long p = 0; p < n; p++)
        height += place[p].y;
    printf("mean height %.6f\n", height / (double)n);
}
