// SPDX-License-Identifier: MIT OR Apache-2.0
// Complex 3 by 3 matrices on the links of a lattice in four dimensions times the vectors of neighbours, and a step of
// conjugate gradients over it: the inner loop of 433.milc.
// Usage: su3 L STEPS: L by L by L by L sites. Prints the residual.
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef float complex number;
typedef struct { number e[3][3]; } matrix;
typedef struct { number c[3]; } vector;

static long l, sites;
static matrix *links;
static long *forward[4], *backward[4];

static long neighbour(long site, int d, long step)
{
    long stride = 1;
    for (int i = 0; i < d; i++)
        stride *= l;
    long at = site / stride % l;
    return site + ((at + step + l) % l - at) * stride;
}

// to = mass * from - hops
static void dslash(vector *to, const vector *from)
{
    for (long s = 0; s < sites; s++) {
        vector sum = {{0, 0, 0}};
        for (int d = 0; d < 4; d++) {
            const matrix *u = links + 4 * s + d;
            const vector *v = from + forward[d][s];
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    sum.c[i] += u->e[i][j] * v->c[j];
            long b = backward[d][s];
            u = links + 4 * b + d;
            v = from + b;
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    sum.c[i] += conjf(u->e[j][i]) * v->c[j];
        }
        for (int i = 0; i < 3; i++)
            to[s].c[i] = 9 * from[s].c[i] - sum.c[i];
    }
}

static double dot(const vector *a, const vector *b)
{
    double sum = 0;
    for (long s = 0; s < sites; s++)
        for (int i = 0; i < 3; i++)
            sum += creal(conj(a[s].c[i]) * b[s].c[i]);
    return sum;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    l = atol(argv[1]);
    sites = l * l * l * l;
    links = malloc(4 * sites * sizeof *links);
    vector *x = calloc(sites, sizeof *x), *r = malloc(sites * sizeof *r), *p = malloc(sites * sizeof *p);
    vector *ap = malloc(sites * sizeof *ap);
    if (!links || !x || !r || !p || !ap)
        return 1;
    for (int d = 0; d < 4; d++) {
        forward[d] = malloc(sites * sizeof(long));
        backward[d] = malloc(sites * sizeof(long));
        if (!forward[d] || !backward[d])
            return 1;
        for (long s = 0; s < sites; s++) {
            forward[d][s] = neighbour(s, d, 1);
            backward[d][s] = neighbour(s, d, -1);
        }
    }
    number phase[17];
    for (int k = 0; k < 17; k++)
        phase[k] = cexpf(I * (float)k);
    for (long k = 0; k < 4 * sites; k++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                // A permutation with phases: unitary.
                links[k].e[i][j] = j == (i + k) % 3 ? phase[k % 17] : 0;
    for (long s = 0; s < sites; s++)
        for (int i = 0; i < 3; i++)
            r[s].c[i] = p[s].c[i] = (s * 3 + i) % 7 - 3;
    double rr = dot(r, r);
    for (long step = atol(argv[2]); step > 0; step--) {
        dslash(ap, p);
        float alpha = rr / dot(p, ap);
        for (long s = 0; s < sites; s++)
            for (int i = 0; i < 3; i++) {
                x[s].c[i] += alpha * p[s].c[i];
                r[s].c[i] -= alpha * ap[s].c[i];
            }
        double next = dot(r, r);
        for (long s = 0; s < sites; s++)
            for (int i = 0; i < 3; i++)
                p[s].c[i] = r[s].c[i] + (float)(next / rr) * p[s].c[i];
        rr = next;
    }
    printf("residual %.3e\n", sqrt(rr));
}
