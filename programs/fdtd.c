// SPDX-License-Identifier: MIT OR Apache-2.0
// Maxwell's equations by finite differences in the time domain, Yee's grid in three dimensions: the method of 459.GemsFDTD.
// Usage: fdtd N STEPS: N by N by N cells, six arrays of doubles. Prints the energy.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    long n = atol(argv[1]), steps = atol(argv[2]), cells = n * n * n;
    double *field[6];
    for (int f = 0; f < 6; f++) {
        field[f] = malloc(cells * sizeof(double));
        if (!field[f])
            return 1;
        for (long i = 0; i < cells; i++)
            field[f][i] = 0;
    }
    double *ex = field[0], *ey = field[1], *ez = field[2], *hx = field[3], *hy = field[4], *hz = field[5];
    const long x = 1, y = n, z = n * n;
    for (long step = 0; step < steps; step++) {
        for (long k = 0; k < n - 1; k++)
            for (long j = 0; j < n - 1; j++)
                for (long i = 0; i < n - 1; i++) {
                    long c = i * x + j * y + k * z;
                    hx[c] += 0.5 * ((ey[c + z] - ey[c]) - (ez[c + y] - ez[c]));
                    hy[c] += 0.5 * ((ez[c + x] - ez[c]) - (ex[c + z] - ex[c]));
                    hz[c] += 0.5 * ((ex[c + y] - ex[c]) - (ey[c + x] - ey[c]));
                }
        for (long k = 1; k < n; k++)
            for (long j = 1; j < n; j++)
                for (long i = 1; i < n; i++) {
                    long c = i * x + j * y + k * z;
                    ex[c] += 0.5 * ((hz[c] - hz[c - y]) - (hy[c] - hy[c - z]));
                    ey[c] += 0.5 * ((hx[c] - hx[c - z]) - (hz[c] - hz[c - x]));
                    ez[c] += 0.5 * ((hy[c] - hy[c - x]) - (hx[c] - hx[c - y]));
                }
        ez[(n / 2) * (x + y + z)] += sin(0.3 * step);
    }
    double energy = 0;
    for (int f = 0; f < 6; f++)
        for (long i = 0; i < cells; i++)
            energy += field[f][i] * field[f][i];
    printf("energy %.6e\n", energy);
}
