// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: what everybody may see, what nobody else, and what is recorded.
 *
 * Needs root, coloring switched on, and cgroup2 in /sys/fs/cgroup.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <sys/klog.h>
#include <sys/stat.h>
#include "../../../../include/uapi/linux/page_color.h"
#include "page_color_util.h"

#define TOP		"/sys/fs/cgroup"
#define GROUP		TOP "/page_color_public"
#define PROGRAMS	"/proc/page_color/programs"
#define NOBODY		65534

static bool become(uid_t uid)
{
	return !setresgid(uid, uid, uid) && !setresuid(uid, uid, uid);
}

/* 0 or the error of opening or reading. */
static int sees(const char *folder, const char *name)
{
	char path[320], text[4096];
	int fd, err = 0;

	snprintf(path, sizeof(path), "%s%s", folder, name);
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof(text)) < 0)
		err = errno;
	if (fd >= 0)
		close(fd);
	return err;
}

static bool all_closed(const char *folder)
{
	struct dirent **entries;
	int n = scandir(folder, &entries, NULL, NULL);
	bool ok = n > 2;

	for (int i = 0; i < n; i++) {
		const char *name = entries[i]->d_name;

		if (name[0] == '.' || sees(folder, name) == EACCES)
			continue;
		ksft_print_msg("everybody sees %s%s\n", folder, name);
		ok = false;
	}
	return ok;
}

/* Without the right to addresses there are no colors of others. */
static bool test_files(void)
{
	bool ok = !sees(DIR, "map") && !sees(DIR, "owned") && become(NOBODY);

	return ok && sees(DIR, "map") == EACCES && sees(DIR, "owned") == EACCES &&
	       sees(DIR, "spilled") == EACCES && all_closed(DIR "stats/") &&
	       all_closed("/proc/page_color/") && !sees(DIR, "enabled") &&
	       !sees(DIR, "colors");
}

/* Root without CAP_SYS_ADMIN, as in containers, owns the files. */
static bool test_root(void)
{
	/* Bit 21 of the bounding set, and what is left after exec. */
	if (prctl(PR_CAPBSET_DROP, 21, 0, 0, 0))
		return false;
	execl("/proc/self/exe", "page_color_public", "root", NULL);
	return false;
}

static bool without_admin(void)
{
	return sees(DIR, "map") == EPERM && sees(DIR, "owned") == EPERM &&
	       !write_file(DIR "enabled", "1") && errno == EPERM &&
	       !write_file(DIR "limits/ahead", "1") && errno == EPERM;
}

static bool sees_cgroup(bool member, int want)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit((member && !write_file(GROUP "/cgroup.procs", "0")) ||
		      !become(NOBODY) || sees(GROUP, "/cpuset.colors") != want ||
		      sees(GROUP, "/cpuset.colors.effective") != want);
	return waitpid(pid, &status, 0) == pid && !status;
}

/* Which colors a cgroup has is for root to know, its owner and its tasks. */
static bool test_cgroup(void)
{
	bool ok = write_file(GROUP "/cpuset.colors", "1") && !sees(GROUP, "/cpuset.colors");

	ok &= sees_cgroup(false, EPERM) && sees_cgroup(true, 0);
	ok &= !chown(GROUP "/cpuset.colors", NOBODY, NOBODY) &&
	      !chown(GROUP "/cpuset.colors.effective", NOBODY, NOBODY) &&
	      sees_cgroup(false, 0);
	return write_file(GROUP "/cpuset.colors", "\n") && ok && nobody_owns();
}

/* Does the end of the kernel's log have it? */
static bool in_log(const char *what)
{
	static char text[1 << 17];
	int n = klogctl(3, text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = '\0';
	if (n > 0 && strstr(text, what))
		return true;
	ksft_print_msg("not logged: %s\n", what);
	return false;
}

/* What concerns the whole machine, however it was changed. */
static bool test_recorded(void)
{
	bool ok = write_file(PROGRAMS, "1007 /recorded\033 colors=3") &&
		  write_file(PROGRAMS, "-1007 /recorded\033");

	ok &= in_log("programs: '1007 /recorded\\e colors=3' by uid 0, page_color_publ") &&
	      in_log("programs: '-1007 /recorded");
	if (mmap((void *)(PAGE_COLOR_USER | 5), 0, PAGE_COLOR_PROT,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) {
		ok &= in_log("programs by mmap: 'colors=5' by uid 0");
		mmap((void *)PAGE_COLOR_USER, 0, PAGE_COLOR_PROT,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	}
	ok &= write_file(DIR "enabled", "0") && write_file(DIR "enabled", "1") &&
	      in_log("enabled: '0' by uid 0");
	return ok && !write_file(DIR "map", "0x4") && in_log("map: '' by uid 0");
}

/* Nobody writes lines of others by the name of a thread, or two lines as one. */
static bool test_names(void)
{
	static char text[65536];

	return !write_file(PROGRAMS, "1007 /names\n0 colors=2") && errno == EINVAL &&
	       !prctl(PR_SET_NAME, "x\n1 1 0 prog", 0, 0, 0) && !set_colors(one, 0) &&
	       read_file("/proc/page_color/tasks", text, sizeof(text)) > 0 &&
	       strstr(text, " 1 x\\n1 1 0 prog\n") && !strstr(text, "\n1 1 0 prog");
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "root"))
		return !without_admin();
	start(7);
	write_file(TOP "/cgroup.subtree_control", "+cpuset");
	if (mkdir(GROUP, 0755))
		ksft_exit_fail_msg("no cgroup: %s\n", strerror(errno));
	run("what everybody sees", test_files);
	run("root without CAP_SYS_ADMIN", test_root);
	run("colors of a cgroup", test_cgroup);
	run("names of threads", test_names);
	/* The log's limit of messages is for five seconds. */
	sleep(6);
	run("changes are recorded", test_recorded);
	for (int i = 0; i < 100 && rmdir(GROUP) && errno == EBUSY; i++)
		usleep(10000);
	end_tests();
}
