// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program with memory of every kind: data, bss, heap, stacks of two threads,
 * mappings, and a child that writes what it shares with its parent. It says
 * "ready CHILD" and waits for the end of its input.
 *
 * Usage: color_kinds [MIB]     MIB of heap, 8 by default
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define MB (1UL << 20)

static char data[MB] = { 1 };
static char bss[MB];

static void use_stack(void)
{
	volatile char frame[512 << 10];

	for (size_t i = 0; i < sizeof(frame); i += 4096)
		frame[i] = 1;
}

static void *thread(void *unused)
{
	use_stack();
	pause();
	return unused;
}

static void write_all(char *heap, size_t size, char *mapped)
{
	memset(heap, 2, size);
	memset(mapped, 3, 4 * MB);
	memset(data, 4, sizeof(data));
	memset(bss, 5, sizeof(bss));
	use_stack();
}

int main(int argc, char **argv)
{
	size_t size = (argc > 1 ? strtoul(argv[1], NULL, 0) : 8) * MB;
	char *heap = malloc(size), byte;
	char *mapped = mmap(NULL, 4 * MB, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t other;
	int ends[2];
	pid_t child;

	if (!heap || mapped == MAP_FAILED || pipe(ends))
		return 2;
	write_all(heap, size, mapped);
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		write_all(heap, size, mapped);
		if (write(ends[1], "", 1) != 1)
			_exit(1);
		pause();
	}
	if (child < 0 || read(ends[0], &byte, 1) != 1)
		return 2;
	if (pthread_create(&other, NULL, thread, NULL))
		return 2;
	sleep(1);
	printf("ready %d\n", child);
	fflush(stdout);
	while (read(0, &byte, 1) > 0)
		;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return 0;
}
