// SPDX-License-Identifier: MIT OR Apache-2.0
// Prices swaptions by paths of forward rates drawn at random, as Heath, Jarrow and Morton model them: the work of Parsec's swaptions.
// Usage: rates SWAPTIONS PATHS. Prints the mean price and its standard error.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 11, FACTORS = 3 };

static uint64_t state = 88172645463325252u;

static double uniform(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    long swaptions = atol(argv[1]), paths = atol(argv[2]);
    const double years = 0.5, spread[FACTORS] = {0.010, 0.006, 0.003};
    double total = 0, squares = 0;
    for (long s = 0; s < swaptions; s++) {
        double strike = 0.04 + 0.0002 * (double)(s % 50);
        for (long p = 0; p < paths; p++) {
            // Row t: the forward rates as they are seen at time t.
            double forward[STEPS][STEPS];
            for (int i = 0; i < STEPS; i++)
                forward[0][i] = 0.05;
            for (int t = 1; t < STEPS; t++) {
                double shock[FACTORS];
                for (int f = 0; f < FACTORS; f++)
                    shock[f] = normal();
                for (int i = 0; i + t < STEPS; i++) {
                    double drift = 0, moved = 0;
                    for (int f = 0; f < FACTORS; f++) {
                        double sigma = spread[f] * exp(-0.1 * f * i);
                        drift += sigma * sigma * years * (i + 1);
                        moved += sigma * shock[f];
                    }
                    forward[t][i] = forward[t - 1][i + 1] + drift * years + moved * sqrt(years);
                }
            }
            double discount = 1;
            for (int t = 0; t < STEPS / 2; t++)
                discount *= exp(-forward[t][0] * years);
            double bond = 1, coupons = 0;
            for (int i = 0; i + STEPS / 2 < STEPS; i++) {
                bond *= exp(-forward[STEPS / 2][i] * years);
                coupons += strike * years * bond;
            }
            double payoff = coupons + bond - 1, price = payoff > 0 ? discount * payoff : 0;
            total += price;
            squares += price * price;
        }
    }
    double count = (double)(swaptions * paths), mean = total / count;
    printf("price %.6f, standard error %.1e\n", mean, sqrt((squares / count - mean * mean) / count));
}
