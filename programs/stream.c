// SPDX-License-Identifier: MIT OR Apache-2.0
// The four loops of STREAM over three arrays of doubles.
// Usage: stream ELEMENTS TIMES. Prints what must come out, and what does.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    long n = atol(argv[1]), times = atol(argv[2]);
    double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), *c = malloc(n * sizeof *c);
    if (!a || !b || !c || n < 1)
        return 1;
    for (long i = 0; i < n; i++)
        a[i] = 1, b[i] = 2, c[i] = 0;
    double wa = 1, wb = 2, wc = 0;
    const double scalar = 0.4;
    for (long k = 0; k < times; k++) {
        for (long i = 0; i < n; i++)
            c[i] = a[i];
        for (long i = 0; i < n; i++)
            b[i] = scalar * c[i];
        for (long i = 0; i < n; i++)
            c[i] = a[i] + b[i];
        for (long i = 0; i < n; i++)
            a[i] = b[i] + scalar * c[i];
        wc = wa, wb = scalar * wc, wc = wa + wb, wa = wb + scalar * wc;
    }
    printf("%.9e %.9e %.9e\n%.9e %.9e %.9e\n", wa, wb, wc, a[n / 2], b[n / 2], c[n / 2]);
}
