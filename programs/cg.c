// SPDX-License-Identifier: MIT OR Apache-2.0
// Conjugate gradients for a sparse system by several threads (OpenMP): a solver such as Parsec's and NAS's.
// Usage: cg ROWS ITERATIONS; OMP_NUM_THREADS threads. Prints the residual.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEGREE = 12 };

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    long n = atol(argv[1]), iterations = atol(argv[2]);
    int *column = malloc(n * DEGREE * sizeof *column);
    double *value = malloc(n * DEGREE * sizeof *value);
    double *x = calloc(n, sizeof *x), *r = malloc(n * sizeof *r), *p = malloc(n * sizeof *p), *ap = malloc(n * sizeof *ap);
    if (!column || !value || !x || !r || !p || !ap || n < 100)
        return 1;
    // Row i has -1 at i plus and minus some strides: symmetric, and the diagonal outweighs the rest.
    const long strides[DEGREE / 2] = {1, 17, 331, 5003 % n, 40009 % n, 300007 % n};
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; i++) {
        for (int d = 0; d < DEGREE / 2; d++) {
            column[i * DEGREE + 2 * d] = (int)((i + strides[d]) % n);
            column[i * DEGREE + 2 * d + 1] = (int)((i - strides[d] + n) % n);
            value[i * DEGREE + 2 * d] = value[i * DEGREE + 2 * d + 1] = -1;
        }
        r[i] = p[i] = (double)(i % 11) - 5;
    }
    double rr = 0;
#pragma omp parallel for reduction(+ : rr) schedule(static)
    for (long i = 0; i < n; i++)
        rr += r[i] * r[i];
    for (long k = 0; k < iterations; k++) {
        double pap = 0, next = 0;
#pragma omp parallel for reduction(+ : pap) schedule(static)
        for (long i = 0; i < n; i++) {
            double sum = (DEGREE + 0.5) * p[i];
            for (int d = 0; d < DEGREE; d++)
                sum += value[i * DEGREE + d] * p[column[i * DEGREE + d]];
            ap[i] = sum;
            pap += p[i] * sum;
        }
        double alpha = rr / pap;
#pragma omp parallel for reduction(+ : next) schedule(static)
        for (long i = 0; i < n; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * ap[i];
            next += r[i] * r[i];
        }
        double beta = next / rr;
        rr = next;
#pragma omp parallel for schedule(static)
        for (long i = 0; i < n; i++)
            p[i] = r[i] + beta * p[i];
    }
    printf("residual %.3e\n", sqrt(rr));
}
