// SPDX-License-Identifier: GPL-2.0-only
/*
 * A test machine that stands still says what it waits for, before it is ended: when
 * nothing was written to the console for so many seconds, all tasks that sleep and
 * cannot be woken, or run, are shown with their stacks, and the counters that who
 * waits for memory looks at. Three times, then it is quiet.
 *
 * Usage: stands_still SECONDS
 */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Characters that the serial ports have sent, -1 where that is not told. */
static long sent(void)
{
	static const char *const ports[] = {
		"/proc/tty/driver/serial", "/proc/tty/driver/ttyAMA",
	};
	long all = -1;

	for (unsigned int i = 0; i < 2; i++) {
		FILE *file = fopen(ports[i], "r");
		char line[256], *tx;

		while (file && fgets(line, sizeof(line), file)) {
			tx = strstr(line, " tx:");
			if (tx)
				all = (all < 0 ? 0 : all) + strtol(tx + 4, NULL, 10);
		}
		if (file)
			fclose(file);
	}
	return all;
}

/* Lines of a file that have one of the words, or all of them. */
static void show(const char *path, const char *const words[])
{
	FILE *file = fopen(path, "r");
	char line[256];

	while (file && fgets(line, sizeof(line), file)) {
		unsigned int i = 0;

		while (words && words[i] && !strstr(line, words[i]))
			i++;
		if (!words || words[i])
			printf("#   %s", line);
	}
	if (file)
		fclose(file);
}

/* Of a line of /proc/PID/stat, whose second field is a name in brackets. */
static char state_of(const char *path, char *name, size_t size)
{
	FILE *file = fopen(path, "r");
	char line[512] = "", *end;

	if (!file)
		return 0;
	end = fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;
	fclose(file);
	if (!end || !strchr(line, '(') || end[1] != ' ')
		return 0;
	snprintf(name, size, "%.*s", (int)(end + 1 - strchr(line, '(')), strchr(line, '('));
	return end[2];
}

static void show_task(int pid, int tid)
{
	char path[128], name[64], state;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	state = state_of(path, name, sizeof(name));
	if ((state != 'D' && state != 'R') || tid == getpid())
		return;
	printf("# task %d %s: %c\n", tid, name, state);
	snprintf(path, sizeof(path), "/proc/%d/task/%d/stack", pid, tid);
	show(path, NULL);
}

static void show_tasks(void)
{
	DIR *all = opendir("/proc"), *threads;
	struct dirent *process, *thread;
	char path[300];

	while (all && (process = readdir(all))) {
		if (!isdigit((unsigned char)process->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/task", process->d_name);
		threads = opendir(path);
		while (threads && (thread = readdir(threads)))
			if (isdigit((unsigned char)thread->d_name[0]))
				show_task(atoi(process->d_name), atoi(thread->d_name));
		if (threads)
			closedir(threads);
	}
	if (all)
		closedir(all);
}

static void show_counters(void)
{
	static const char *const counters[] = {
		"nr_free_pages", "nr_isolated", "nr_writeback ", "nr_dirty ",
		"compact_stall", NULL
	};
	static const char *const of_nodes[] = { "nr_isolated", "nr_active", "nr_inactive", NULL };
	char path[64];

	show("/proc/vmstat", counters);
	for (int node = 0; node < 8; node++) {
		snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/vmstat", node);
		if (access(path, R_OK))
			continue;
		printf("# node %d\n", node);
		show(path, of_nodes);
	}
}

int main(int argc, char **argv)
{
	int seconds = argc == 2 ? atoi(argv[1]) : 0, told = 0;
	long before, now = sent();

	if (seconds <= 0)
		return 2;
	while (now >= 0 && told < 3) {
		before = now;
		sleep(seconds);
		now = sent();
		if (now != before)
			continue;
		printf("# nothing was written for %d s; what waits or runs:\n", seconds);
		show_tasks();
		show_counters();
		fflush(stdout);
		told++;
		now = sent();
	}
	return 0;
}
