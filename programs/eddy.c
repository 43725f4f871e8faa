// SPDX-License-Identifier: MIT OR Apache-2.0
// Compressible flow in a periodic box by MacCormack's predictor and corrector, one direction after the other: the method of
// 437.leslie3d. Usage: eddy N STEPS: N by N by N cells, 15 arrays of doubles. Prints mass and energy; mass does not change.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DENSITY, X, Y, Z, ENERGY, FIELDS };

static long n, cells;
static double *state[FIELDS], *guess[FIELDS], *flux[FIELDS];

// What flows through each cell in the direction of momentum `d`.
static void fluxes(double *of[FIELDS], int d)
{
    for (long c = 0; c < cells; c++) {
        double density = of[DENSITY][c], velocity = of[d][c] / density;
        double kinetic = 0.5 * (of[X][c] * of[X][c] + of[Y][c] * of[Y][c] + of[Z][c] * of[Z][c]) / density;
        double pressure = 0.4 * (of[ENERGY][c] - kinetic);
        flux[DENSITY][c] = of[d][c];
        for (int m = X; m <= Z; m++)
            flux[m][c] = of[m][c] * velocity;
        flux[d][c] += pressure;
        flux[ENERGY][c] = (of[ENERGY][c] + pressure) * velocity;
    }
}

// The neighbor of cell (i, j, k) in direction `d`, `by` cells away.
static long neighbor(long i, long j, long k, int d, long by)
{
    long at[3] = {i, j, k};
    at[d - X] = (at[d - X] + by + n) % n;
    return at[0] + n * (at[1] + n * at[2]);
}

static void step(int d, double ratio)
{
    fluxes(state, d);
    for (long k = 0; k < n; k++)
        for (long j = 0; j < n; j++)
            for (long i = 0; i < n; i++) {
                long c = i + n * (j + n * k), next = neighbor(i, j, k, d, 1);
                for (int f = 0; f < FIELDS; f++)
                    guess[f][c] = state[f][c] - ratio * (flux[f][next] - flux[f][c]);
            }
    fluxes(guess, d);
    for (long k = 0; k < n; k++)
        for (long j = 0; j < n; j++)
            for (long i = 0; i < n; i++) {
                long c = i + n * (j + n * k), before = neighbor(i, j, k, d, -1);
                for (int f = 0; f < FIELDS; f++)
                    state[f][c] = 0.5 * (state[f][c] + guess[f][c] - ratio * (flux[f][c] - flux[f][before]));
            }
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    n = atol(argv[1]);
    cells = n * n * n;
    long steps = atol(argv[2]);
    for (int f = 0; f < FIELDS; f++) {
        state[f] = malloc(cells * sizeof(double));
        guess[f] = malloc(cells * sizeof(double));
        flux[f] = malloc(cells * sizeof(double));
        if (!state[f] || !guess[f] || !flux[f])
            return 1;
    }
    // Taylor and Green's vortex.
    for (long k = 0; k < n; k++)
        for (long j = 0; j < n; j++)
            for (long i = 0; i < n; i++) {
                long c = i + n * (j + n * k);
                double x = 2 * M_PI * i / n, y = 2 * M_PI * j / n, z = 2 * M_PI * k / n;
                state[DENSITY][c] = 1;
                state[X][c] = 0.3 * sin(x) * cos(y) * cos(z);
                state[Y][c] = -0.3 * cos(x) * sin(y) * cos(z);
                state[Z][c] = 0;
                state[ENERGY][c] = 2.5 + 0.5 * (state[X][c] * state[X][c] + state[Y][c] * state[Y][c]);
            }
    for (long s = 0; s < steps; s++)
        for (int d = X; d <= Z; d++)
            step(d, 0.2);
    double mass = 0, energy = 0;
    for (long c = 0; c < cells; c++) {
        mass += state[DENSITY][c];
        energy += state[ENERGY][c];
    }
    printf("mass %.12e energy %.12e\n", mass / cells, energy / cells);
}
