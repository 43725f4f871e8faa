// SPDX-License-Identifier: MIT OR Apache-2.0
// Weak gravitational waves in a periodic box: metric and extrinsic curvature, leaping over each other in time, the curvature to
// first order. The method of 436.cactusADM, whose curvature is whole.
// Usage: adm N STEPS: N by N by N points, 24 arrays of doubles. Prints the sum of the squares of the curvature.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// Components of a symmetric matrix: xx, xy, xz, yy, yz, zz.
enum { PARTS = 6 };
static const int part[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};

static long n;

static long wrap(long i)
{
    return (i + n) % n;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    n = atol(argv[1]);
    long steps = atol(argv[2]), points = n * n * n;
    double *h[PARTS], *k[PARTS], *newer_h[PARTS], *newer_k[PARTS];
    double **all[] = {h, k, newer_h, newer_k};
    for (int a = 0; a < 4; a++)
        for (int p = 0; p < PARTS; p++) {
            all[a][p] = calloc(points, sizeof(double));
            if (!all[a][p])
                return 1;
        }
    // A wave along z: xx and yy against each other.
    for (long c = 0; c < points; c++) {
        double wave = 1e-3 * sin(2 * M_PI * (c / (n * n)) / n);
        h[part[0][0]][c] = wave;
        h[part[1][1]][c] = -wave;
    }
    const double dt = 0.2;
    double squares = 0;
    for (long step = 0; step < steps; step++) {
        squares = 0;
        for (long z = 0; z < n; z++)
            for (long y = 0; y < n; y++)
                for (long x = 0; x < n; x++) {
                    // The point and its neighbors: steps of -1, 0, 1 along each axis, but for the corners of the cube.
                    long at[3][3] = {{wrap(x - 1), x, wrap(x + 1)},
                                     {n * wrap(y - 1), n * y, n * wrap(y + 1)},
                                     {n * n * wrap(z - 1), n * n * z, n * n * wrap(z + 1)}};
                    long c = at[0][1] + at[1][1] + at[2][1];
                    // Second derivatives of each component.
                    double second[PARTS][PARTS];
                    for (int a = 0; a < 3; a++)
                        for (int b = a; b < 3; b++) {
                            long away_a = at[a][2] - at[a][1], back_a = at[a][0] - at[a][1];
                            long away_b = at[b][2] - at[b][1], back_b = at[b][0] - at[b][1];
                            for (int p = 0; p < PARTS; p++)
                                second[part[a][b]][p] =
                                    a == b ? h[p][c + away_a] - 2 * h[p][c] + h[p][c + back_a]
                                           : 0.25 * (h[p][c + away_a + away_b] - h[p][c + away_a + back_b] -
                                                     h[p][c + back_a + away_b] + h[p][c + back_a + back_b]);
                        }
                    double trace = k[part[0][0]][c] + k[part[1][1]][c] + k[part[2][2]][c];
                    for (int i = 0; i < 3; i++)
                        for (int j = i; j < 3; j++) {
                            double ricci = 0, product = 0;
                            for (int m = 0; m < 3; m++) {
                                ricci += second[part[m][i]][part[j][m]] + second[part[m][j]][part[i][m]] -
                                         second[part[m][m]][part[i][j]] - second[part[i][j]][part[m][m]];
                                product += k[part[i][m]][c] * k[part[m][j]][c];
                            }
                            int p = part[i][j];
                            double curvature = k[p][c] + dt * (0.5 * ricci + trace * k[p][c] - 2 * product);
                            newer_k[p][c] = curvature;
                            newer_h[p][c] = h[p][c] - 2 * dt * curvature;
                            squares += curvature * curvature;
                        }
                }
        for (int p = 0; p < PARTS; p++) {
            double *swap = h[p];
            h[p] = newer_h[p];
            newer_h[p] = swap;
            swap = k[p];
            k[p] = newer_k[p];
            newer_k[p] = swap;
        }
    }
    printf("squares %.12e\n", squares);
}
