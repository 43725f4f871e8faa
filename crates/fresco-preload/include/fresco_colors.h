/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* For programs that choose colors for their threads themselves. The function is in the library that `fresco run` puts
 * before a program; declared weak, it is null without it:
 *
 *     if (fresco_thread_colors)
 *         fresco_thread_colors("banks=0-3");
 */
#ifndef FRESCO_COLORS_H
#define FRESCO_COLORS_H

#ifdef __cplusplus
extern "C" {
#endif

/* From now on, what the calling thread allocates and maps has these colors: "banks=0-3", "llc=0-7" or both with a comma
 * between, as for `fresco run --colors`; a null pointer is for the colors of the process. What the thread has already
 * stays as it is.
 *
 * Returns 0; EINVAL for a text that is no colors of the map, ENOTSUP where memory is not colored, ENOSPC for more than
 * 127 different sets in a process, ENOMEM without addresses for an arena. */
int fresco_thread_colors(const char *colors) __attribute__((weak));

#ifdef __cplusplus
}
#endif

#endif
