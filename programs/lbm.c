// SPDX-License-Identifier: MIT OR Apache-2.0
// Lattice Boltzmann method D3Q19, collide and stream, two lattices of 152 bytes a cell: the kernel of 470.lbm.
// Usage: lbm NX NY NZ STEPS. Prints the mass, which no step changes.
#include <stdio.h>
#include <stdlib.h>

enum { Q = 19 };
static const int C[Q][3] = {
    {0, 0, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}, {1, 1, 0}, {-1, -1, 0}, {1, -1, 0},
    {-1, 1, 0}, {1, 0, 1}, {-1, 0, -1}, {1, 0, -1}, {-1, 0, 1}, {0, 1, 1}, {0, -1, -1}, {0, 1, -1}, {0, -1, 1}};

static double weight(int q) { return q == 0 ? 1.0 / 3 : q < 7 ? 1.0 / 18 : 1.0 / 36; }

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    long nx = atol(argv[1]), ny = atol(argv[2]), nz = atol(argv[3]), steps = atol(argv[4]);
    long cells = nx * ny * nz, margin = nx * ny + nx + 1;
    // A margin of cells before and behind, so that no neighbour is out of range; it is not collided.
    double *from = malloc((cells + 2 * margin) * Q * sizeof *from), *to = malloc((cells + 2 * margin) * Q * sizeof *to);
    if (!from || !to)
        return 1;
    for (long i = 0; i < cells + 2 * margin; i++)
        for (int q = 0; q < Q; q++)
            from[i * Q + q] = to[i * Q + q] = weight(q) * (1 + 0.01 * ((i * 7 + q) % 5 - 2));
    long shift[Q];
    double w[Q];
    for (int q = 0; q < Q; q++) {
        shift[q] = (C[q][0] + nx * C[q][1] + nx * ny * C[q][2]) * Q + q;
        w[q] = weight(q);
    }
    const double omega = 1.85;
    for (long step = 0; step < steps; step++) {
        for (long i = margin; i < cells + margin; i++) {
            const double *f = from + i * Q;
            double rho = 0, u[3] = {0, 0, 0};
#pragma GCC unroll 19
            for (int q = 0; q < Q; q++) {
                rho += f[q];
                for (int d = 0; d < 3; d++)
                    u[d] += C[q][d] * f[q];
            }
            for (int d = 0; d < 3; d++)
                u[d] /= rho;
            double square = 1 - 1.5 * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
            double *t = to + i * Q;
#pragma GCC unroll 19
            for (int q = 0; q < Q; q++) {
                double cu = 3 * (C[q][0] * u[0] + C[q][1] * u[1] + C[q][2] * u[2]);
                t[shift[q]] = (1 - omega) * f[q] + omega * w[q] * rho * (square + cu + 0.5 * cu * cu);
            }
        }
        double *other = from;
        from = to;
        to = other;
    }
    double mass = 0;
    for (long i = 2 * margin; i < cells; i++)
        for (int q = 0; q < Q; q++)
            mass += from[i * Q + q];
    printf("%.6f a cell\n", mass / (cells - 2 * margin));
}
