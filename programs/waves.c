// SPDX-License-Identifier: MIT OR Apache-2.0
// A system of blocks of 5 by 5 on a periodic grid in three dimensions, solved by stabilised biconjugate gradients: the method of
// 410.bwaves. Usage: waves N ITERATIONS: N by N by N cells with seven blocks each. Prints the residual.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 5, NEAR = 7 };

static long n, cells;
static double *blocks;

static double *vector(void)
{
    double *made = calloc(cells * SIDE, sizeof(double));
    if (!made)
        exit(1);
    return made;
}

static void times(const double *in, double *out)
{
    for (long k = 0; k < n; k++)
        for (long j = 0; j < n; j++)
            for (long i = 0; i < n; i++) {
                long c = i + n * (j + n * k);
                long near[NEAR] = {c,
                                   c - i + (i + 1) % n,
                                   c - i + (i + n - 1) % n,
                                   c + n * ((j + 1) % n - j),
                                   c + n * ((j + n - 1) % n - j),
                                   c + n * n * ((k + 1) % n - k),
                                   c + n * n * ((k + n - 1) % n - k)};
                double sum[SIDE] = {0};
                for (int b = 0; b < NEAR; b++) {
                    const double *block = blocks + (c * NEAR + b) * SIDE * SIDE, *x = in + near[b] * SIDE;
                    for (int row = 0; row < SIDE; row++)
                        for (int column = 0; column < SIDE; column++)
                            sum[row] += block[row * SIDE + column] * x[column];
                }
                for (int row = 0; row < SIDE; row++)
                    out[c * SIDE + row] = sum[row];
            }
}

static double dot(const double *a, const double *b)
{
    double sum = 0;
    for (long i = 0; i < cells * SIDE; i++)
        sum += a[i] * b[i];
    return sum;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    n = atol(argv[1]);
    cells = n * n * n;
    long iterations = atol(argv[2]);
    blocks = malloc(cells * NEAR * SIDE * SIDE * sizeof(double));
    if (!blocks)
        return 1;
    // The diagonal outweighs the rest of its row.
    for (long c = 0; c < cells; c++)
        for (int b = 0; b < NEAR; b++)
            for (int e = 0; e < SIDE * SIDE; e++)
                blocks[(c * NEAR + b) * SIDE * SIDE + e] =
                    b == 0 && e % (SIDE + 1) == 0 ? 8.0 : 0.1 * (double)((c * 31 + b * 7 + e * 3) % 13 - 6) / 6;
    double *x = vector(), *r = vector(), *shadow = vector(), *p = vector(), *v = vector(), *s = vector(), *t = vector();
    for (long i = 0; i < cells * SIDE; i++)
        r[i] = shadow[i] = p[i] = (double)(i % 17) - 8;
    double rho = dot(shadow, r);
    for (long round = 0; round < iterations; round++) {
        times(p, v);
        double alpha = rho / dot(shadow, v);
        for (long i = 0; i < cells * SIDE; i++)
            s[i] = r[i] - alpha * v[i];
        times(s, t);
        double omega = dot(t, s) / dot(t, t);
        for (long i = 0; i < cells * SIDE; i++) {
            x[i] += alpha * p[i] + omega * s[i];
            r[i] = s[i] - omega * t[i];
        }
        double next = dot(shadow, r), beta = next / rho * alpha / omega;
        rho = next;
        for (long i = 0; i < cells * SIDE; i++)
            p[i] = r[i] + beta * (p[i] - omega * v[i]);
    }
    printf("residual %.3e\n", sqrt(dot(r, r)));
}
