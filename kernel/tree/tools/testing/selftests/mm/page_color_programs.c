// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: programs that get colors of their own at exec, and the
 * pages of files that they have privately.
 *
 * Needs root, and coloring switched on (/sys/kernel/mm/page_color/enabled).
 */
#define _GNU_SOURCE
#include <sys/stat.h>
#include "page_color_view.h"

#define PROGRAMS	"/proc/page_color/programs"
#define FOLDER		"/tmp/page_color"
#define USER		1000
#define OTHER		1001
#define MAX_RUN		300

static char data[16 * 4096] = "not bss";
static char bss[16 * 4096];

/* Register or, with a '-', remove. */
static bool enter(const char *line)
{
	return write_file(PROGRAMS, line);
}

static bool listed(const char *line)
{
	FILE *file = fopen(PROGRAMS, "r");
	bool found = false;
	char text[2048];

	while (file && fgets(text, sizeof(text), file))
		found |= !strncmp(text, line, strlen(line));
	if (file)
		fclose(file);
	return found;
}

/* What the programs of the tests do: use memory of each kind, then stop. */
static int body(size_t size)
{
	char *mem = map_pages(size), *heap = sbrk(64 * page_size);
	char stack[32 * 4096];

	madvise(mem, size, MADV_NOHUGEPAGE);
	touch(mem, size, 1);
	touch(heap, 64 * page_size, 1);
	touch(data, sizeof(data), 1);
	touch(bss, sizeof(bss), 1);
	touch(stack, sizeof(stack), 1);
	kill(getpid(), SIGSTOP);
	return 0;
}

/* Start a program as a user; it stops or ends. */
static pid_t start_program(uid_t uid, const char *path, const char *arg, int *status)
{
	pid_t pid = fork();

	if (!pid) {
		if (setresgid(uid, uid, uid) || setresuid(uid, uid, uid))
			_exit(125);
		execl(path, path, "body", arg, NULL);
		_exit(errno == EAGAIN ? 126 : 127);
	}
	waitpid(pid, status, WUNTRACED);
	return pid;
}

static void end_program(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static bool test_table(void)
{
	char path[2000] = "1000 /", line[128];
	bool ok;

	memset(path + 6, 'x', sizeof(path) - 7);
	ok = enter("1000 /a/* colors=3 strict private\n") &&
	     listed("1000 /a/* colors=3 strict private started=0 refused=0\n") &&
	     enter("1000 /b") && listed("1000 /b colors=1 started=0") &&
	     enter("1000 /b colors=127 strict") &&
	     listed("1000 /b colors=127 strict started") &&
	     !enter("") && !enter("\n") && !enter("1000") && !enter("1000 b") &&
	     !enter("x /b") && !enter("-1 /b") && !enter("1000 /b colors=0") &&
	     !enter("1000 /b colors=128") && !enter("1000 /b color=1") &&
	     !enter("4294967295 /b") && !enter(path) && !enter("-1001 /b") &&
	     !enter("-1000 /c") && !enter("-1000 /b strict") &&
	     enter("-1000 /b") && enter("-1000 /a/*") &&
	     !listed("1000 ");
	snprintf(line, sizeof(line), "1000 %s", FOLDER);
	if (!fork()) {
		if (setresgid(USER, USER, USER) || setresuid(USER, USER, USER))
			_exit(1);
		_exit(enter(line) || open(PROGRAMS, O_RDONLY) >= 0 ||
		      open(TASKS, O_RDONLY) >= 0);
	}
	wait(&(int) { 0 });
	return ok && !listed("1000 ");
}

/* Who is registered and what matches, and nobody else. */
static bool test_match(void)
{
	struct entry e;
	int status;
	pid_t pid;
	bool ok;

	if (!enter("1000 " FOLDER "/rt/* colors=2 strict"))
		return false;
	pid = start_program(USER, FOLDER "/rt/program", "65536", &status);
	ok = WIFSTOPPED(status) && entry_of(pid, &e) &&
	     !strcmp(e.how, "program,strict") && e.nr == 2;
	end_program(pid);
	pid = start_program(OTHER, FOLDER "/rt/program", "65536", &status);
	ok &= WIFSTOPPED(status) && !entry_of(pid, &e);
	end_program(pid);
	pid = start_program(USER, FOLDER "/program", "65536", &status);
	ok &= WIFSTOPPED(status) && !entry_of(pid, &e);
	end_program(pid);
	ok &= listed("1000 " FOLDER "/rt/* colors=2 strict started=1 refused=0");
	enter("-1000 " FOLDER "/rt/*");
	pid = start_program(USER, FOLDER "/rt/program", "65536", &status);
	ok &= WIFSTOPPED(status) && !entry_of(pid, &e);
	end_program(pid);
	return ok && nobody_owns();
}

/* Programs that run at a time share no color; threads and children do. */
static bool test_disjoint(void)
{
	unsigned long seen[LONGS] = {};
	pid_t pids[4];
	bool ok = true;

	if (!enter("1000 " FOLDER "/rt/* colors=3 most=12 strict"))
		return false;
	for (int i = 0; i < 4; i++) {
		struct entry e;
		int status;

		pids[i] = start_program(USER, FOLDER "/rt/program", "1048576", &status);
		ok &= WIFSTOPPED(status) && entry_of(pids[i], &e) && e.nr == 3;
		for (int l = 0; l < LONGS; l++) {
			ok &= !(seen[l] & e.colors[l]);
			seen[l] |= e.colors[l];
		}
	}
	for (int i = 0; i < 4; i++)
		end_program(pids[i]);
	enter("-1000 " FOLDER "/rt/*");
	return ok && nobody_owns();
}

/* Nodes that the private memory of a process is on, as a bit mask. */
static unsigned long nodes_of(pid_t pid)
{
	unsigned long nodes = 0;
	char path[64], line[4096];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/numa_maps", pid);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file)) {
		for (char *p = line; !strstr(line, "file=") && (p = strstr(p, " N")); p++) {
			int node;

			if (sscanf(p, " N%d=", &node) == 1)
				nodes |= 1UL << node;
		}
	}
	if (file)
		fclose(file);
	return nodes;
}

/* More than its colors have on its node: more colors, no other node. */
static bool test_growth(void)
{
	long node = sysconf(_SC_PHYS_PAGES) * page_size / 4;
	struct entry e;
	char size[32];
	int status;
	pid_t pid;
	bool ok;

	snprintf(size, sizeof(size), "%ld", node / nr_colors / 2 * 5);
	if (!enter("1000 " FOLDER "/rt/* colors=1"))
		return false;
	pid = start_program(USER, FOLDER "/rt/program", size, &status);
	ok = WIFSTOPPED(status) && entry_of(pid, &e);
	ksft_print_msg("%s bytes, %d colors, node %d, on nodes %#lx\n", size,
		       e.nr, e.node, nodes_of(pid));
	/* More than that if others use a part of the node. */
	ok &= e.nr >= 3 && e.nr < nr_colors / 2 && nodes_of(pid) == 1UL << e.node;
	if (ok) {
		struct view view;

		ok = view_of(pid, &view) && view.own[ANON] == view.pages[ANON];
	}
	end_program(pid);
	enter("-1000 " FOLDER "/rt/*");
	return ok && nobody_owns();
}

/* Until there are no more colors. */
static bool test_none_left(void)
{
	int colors = nr_colors < 127 ? nr_colors / 2 : 100, n = 0, status;
	pid_t pids[MAX_RUN], pid;
	struct entry e;
	char line[96];
	bool ok;

	snprintf(line, sizeof(line), "1000 " FOLDER "/rt/* colors=%d most=%d strict", colors,
		 nr_colors);
	if (!enter(line))
		return false;
	for (;;) {
		pid = start_program(USER, FOLDER "/rt/program", "65536", &status);
		if (!WIFSTOPPED(status))
			break;
		pids[n++] = pid;
		if (n == MAX_RUN)
			return false;
	}
	/* Strict: it does not run. */
	ok = WIFEXITED(status) && WEXITSTATUS(status) == 126 &&
	     n == nr_colors / colors;
	/* Otherwise it runs without colors. */
	snprintf(line, sizeof(line), "1000 " FOLDER "/rt/* colors=%d most=%d", colors, nr_colors);
	ok &= enter(line);
	pid = start_program(USER, FOLDER "/rt/program", "65536", &status);
	ok &= WIFSTOPPED(status) && !entry_of(pid, &e);
	end_program(pid);
	snprintf(line, sizeof(line), "1000 " FOLDER "/rt/* colors=%d most=%d started=%d refused=2",
		 colors, nr_colors, n);
	ok &= listed(line);
	/* What one gives back the next one gets. */
	end_program(pids[--n]);
	pid = start_program(USER, FOLDER "/rt/program", "65536", &status);
	ok &= WIFSTOPPED(status) && entry_of(pid, &e) && e.nr == colors;
	end_program(pid);
	while (n)
		end_program(pids[--n]);
	enter("-1000 " FOLDER "/rt/*");
	return ok && nobody_owns();
}

/* All pages of a program that uses memory of each kind. */
static bool test_everything(void)
{
	int status;
	pid_t pid;
	bool ok;

	if (!enter("1000 " FOLDER "/rt/* colors=8 strict private"))
		return false;
	pid = start_program(USER, FOLDER "/rt/program", "1048576", &status);
	ok = WIFSTOPPED(status) &&
	     all_own(pid, "program", ALWAYS | KIND(ANON));
	end_program(pid);
	enter("-1000 " FOLDER "/rt/*");
	return ok && nobody_owns();
}

/*
 * Programs as they are installed. Each says something, and cannot end before
 * it has read its input to the end, or all that it says is read.
 */
#define SOURCE	FOLDER "/source.i"
static const struct real {
	const char *what, *path, *argv[10], *end;
	unsigned int wanted;
} reals[] = {
	{ "shell, static", "/bin/busybox",
	  { "sh", "-c", "x=$(echo 1; echo 2); echo $x; read y; echo $((y + 1))" },
	  "\n42\n", ALWAYS },
	{ "shell, dynamic", "/bin/dash",
	  { "sh", "-c", "x=$(echo 1; echo 2); echo $x; read y; echo $((y + 1))" },
	  "\n42\n", ALWAYS | KIND(LIBRARY) },
	{ "interpreter, static", "/bin/busybox",
	  { "awk", "BEGIN { for (i = 0; i < 5000; i++) a[i] = \"x\" i; print \"begin\"; fflush(); "
	    "getline y; for (i in a) n += substr(a[i], 2); print n + y }" },
	  "\n12497541\n", ALWAYS },
	{ "interpreter, dynamic", "/usr/bin/perl",
	  { "perl", "-e", "$| = 1; $a{$_} = \"x$_\" x 20 for 1 .. 5000; print \"begin\\n\"; "
	    "$y = <STDIN>; $n += length for values %a; print $n + $y, \"\\n\"" },
	  "\n477901\n", ALWAYS | KIND(LIBRARY) },
	{ "compiler, dynamic", "/usr/bin/cc1",
	  { "cc1", "-quiet", "-nostdinc", "-fpreprocessed", "-O1", SOURCE, "-o", "-" },
	  "note.GNU-stack,\"\",@progbits\n", ALWAYS | KIND(LIBRARY) | KIND(ANON) },
};

/* Something to compile, of which the result is more than a pipe holds. */
static bool write_source(void)
{
	FILE *file = fopen(SOURCE, "w");

	for (int i = 0; file && i < 60; i++) {
		fprintf(file, "int f%d(int *a, int b)\n{\n\tfor (int i = 0; i < b; i++) {\n", i);
		for (int k = 1; k < 8; k++)
			fprintf(file, "\t\tif (a[i] > %d * b)\n\t\t\ta[i + %d] += a[b] * %d;\n",
				k, k, i + k);
		fprintf(file, "\t}\n\treturn a[b];\n}\n");
	}
	return file && !fclose(file);
}

/* Its pages, in the middle of what it does; then it must do the rest. */
static bool run_real(const struct real *real)
{
	char text[4096], end[64] = "";
	int in[2], out[2], status;
	size_t kept = 0;
	ssize_t n;
	pid_t pid;
	bool ok;

	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) ||
	    fcntl(out[1], F_SETPIPE_SZ, page_size) < 0)
		return false;
	pid = fork();
	if (!pid) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		execv(real->path, (char **)real->argv);
		_exit(127);
	}
	/* If it is gone, its status below says more than a signal here. */
	signal(SIGPIPE, SIG_IGN);
	close(in[0]);
	close(out[1]);
	n = read(out[0], text, 1);
	kill(pid, SIGSTOP);
	waitpid(pid, &status, WUNTRACED);
	ok = n == 1 && WIFSTOPPED(status) && all_own(pid, real->what, real->wanted);
	kill(pid, SIGCONT);
	ok &= write(in[1], "41\n", 3) == 3;
	close(in[1]);
	while ((n = read(out[0], text, sizeof(text))) > 0) {
		size_t more = n < (ssize_t)sizeof(end) - 1 ? n : (ssize_t)sizeof(end) - 1;
		size_t old = kept + more < sizeof(end) ? kept : sizeof(end) - 1 - more;

		memmove(end, end + kept - old, old);
		memcpy(end + old, text + n - more, more);
		kept = old + more;
	}
	end[kept] = '\0';
	close(out[0]);
	waitpid(pid, &status, 0);
	n = strlen(real->end);
	if (!status && kept >= (size_t)n && !strcmp(end + kept - n, real->end))
		return ok;
	ksft_print_msg("%s: status %#x, its last words '%s'\n", real->what, status, end);
	return false;
}

static const struct real *real;

static bool test_real(void)
{
	char line[64];
	bool ok;

	snprintf(line, sizeof(line), "0 %s colors=8 strict private", real->path);
	if (!enter(line))
		return false;
	ok = run_real(real);
	snprintf(line, sizeof(line), "-0 %s", real->path);
	return enter(line) && ok && nobody_owns();
}

/* Others that map the same file keep the pages that they have. */
static bool test_others(void)
{
	size_t size = 64 * page_size;
	char *mine, *theirs;
	int fd, pages, changed = 0;
	uint64_t was[64], now[64];

	fd = open(FOLDER "/file", O_RDWR | O_CREAT | O_TRUNC, 0644);
	if (fd < 0 || ftruncate(fd, size))
		return false;
	theirs = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	for (size_t i = 0; i < size; i += 8)
		*(uint64_t *)(theirs + i) = i * 0x9e3779b97f4a7c15ULL;
	mine = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	for (size_t i = 0; i < size; i += page_size)
		peek(mine + i);
	pages = open("/proc/self/pagemap", O_RDONLY);
	for (int i = 0; i < 64; i++)
		was[i] = page_entry(pages, theirs + i * page_size, true);

	if (set_colors(half, PR_PAGE_COLOR_STRICT | PR_PAGE_COLOR_PRIVATE))
		return false;
	/* What is mapped already is copied when it is recolored. */
	if (prctl(PR_PAGE_COLOR, PR_PAGE_COLOR_MIGRATE, mine, size, 0))
		return false;
	for (size_t i = 0; i < size; i += 8)
		if (*(uint64_t *)(mine + i) != i * 0x9e3779b97f4a7c15ULL)
			return false;
	for (int i = 0; i < 64; i++) {
		now[i] = page_entry(pages, theirs + i * page_size, true);
		/* The frame; whether others map it, too, has changed. */
		changed += (now[i] ^ was[i]) << 9 != 0;
	}
	if (changed)
		ksft_print_msg("%d pages of others changed\n", changed);
	/* A copy is not written back, and a shared mapping is not copied. */
	theirs[0]++;
	return !changed && pure(mine, size, half, "private") &&
	       mine[0] != theirs[0] && !mprotect(mine, size, PROT_READ | PROT_WRITE) &&
	       (mine[1] = 5) && theirs[1] != 5;
}

int main(int argc, char **argv)
{
	char proactive[16] = "";

	page_size = sysconf(_SC_PAGESIZE);
	if (argc > 2 && !strcmp(argv[1], "body"))
		return body(atol(argv[2]));
	start(9 + ARRAY_SIZE(reals));
	umask(022);
	/* While it moves pages, two counts one after the other do not agree. */
	if (read_file(PROACTIVE, proactive, sizeof(proactive)) > 0)
		write_file(PROACTIVE, "0");
	mkdir(FOLDER, 0755);
	mkdir(FOLDER "/rt", 0755);
	if (!copy_self(FOLDER "/program") || !copy_self(FOLDER "/rt/program"))
		ksft_exit_fail_msg("no copies in " FOLDER "\n");

	run("table of programs", test_table);
	run("which programs match", test_match);
	run("disjoint colors", test_disjoint);
	run("more colors", test_growth);
	run("no colors left", test_none_left);
	run("everything a program maps", test_everything);
	if (!write_source())
		ksft_exit_fail_msg("no source in " FOLDER "\n");
	for (real = reals; real < reals + ARRAY_SIZE(reals); real++) {
		if (access(real->path, X_OK))
			ksft_test_result_skip("%s: no %s\n", real->what, real->path);
		else
			run(real->what, test_real);
	}
	run("others that map a file", test_others);
	unlink(FOLDER "/rt/program");
	unlink(FOLDER "/program");
	unlink(FOLDER "/file");
	unlink(SOURCE);
	rmdir(FOLDER "/rt");
	rmdir(FOLDER);
	write_file(PROACTIVE, proactive);
	end_tests();
}
