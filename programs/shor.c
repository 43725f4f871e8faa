// SPDX-License-Identifier: MIT OR Apache-2.0
// Shor's algorithm on libquantum's simulated register, without its random end: what 462.libquantum does.
// Usage: shor NUMBER BASE. Prints the register's size.
#include <quantum.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    int n = atoi(argv[1]), base = atoi(argv[2]);
    int width = quantum_getwidth(n * n), local = quantum_getwidth(n);
    quantum_reg reg = quantum_new_qureg(0, width);
    for (int i = 0; i < width; i++)
        quantum_hadamard(i, &reg);
    quantum_addscratch(3 * local + 2, &reg);
    quantum_exp_mod_n(n, base, width, local, &reg);
    printf("%d states of %d bits\n", reg.size, reg.width);
    return 0;
}
