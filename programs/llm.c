// SPDX-License-Identifier: MIT OR Apache-2.0
// Layers of a language model, a token at a time: bytes times a scale for weights, each read once for a token.
// Usage: llm WIDTH LAYERS TOKENS. Prints a sum of what comes out.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void multiply(float *to, const signed char *weights, const float *from, long rows, long columns)
{
    for (long i = 0; i < rows; i++) {
        float sum = 0;
        for (long j = 0; j < columns; j++)
            sum += weights[i * columns + j] * from[j];
        to[i] = sum / 64;
    }
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    long width = atol(argv[1]), layers = atol(argv[2]), tokens = atol(argv[3]), wide = 4 * width;
    long each = 2 * width * wide;
    signed char *weights = malloc(layers * each);
    float *x = malloc(width * sizeof *x), *y = malloc(width * sizeof *y), *hidden = malloc(wide * sizeof *hidden);
    if (!weights || !x || !y || !hidden)
        return 1;
    for (long i = 0; i < layers * each; i++)
        weights[i] = (signed char)((i * 2654435761u >> 13) % 15 - 7);
    double out = 0;
    for (long token = 0; token < tokens; token++) {
        for (long i = 0; i < width; i++)
            x[i] = (float)((i + token) % 13 - 6) / 6;
        for (long layer = 0; layer < layers; layer++) {
            const signed char *w = weights + layer * each;
            multiply(hidden, w, x, wide, width);
            for (long i = 0; i < wide; i++)
                hidden[i] = hidden[i] > 0 ? hidden[i] : 0;
            multiply(y, w + width * wide, hidden, width, wide);
            float square = 1e-5f;
            for (long i = 0; i < width; i++)
                square += (x[i] + y[i]) * (x[i] + y[i]);
            float scale = 1 / sqrtf(square / width);
            for (long i = 0; i < width; i++)
                x[i] = (x[i] + y[i]) * scale;
        }
        out += x[token % width];
    }
    printf("%.4f\n", out);
}
