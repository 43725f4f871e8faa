// SPDX-License-Identifier: GPL-2.0-only
/*
 * Control files, for root alone: /sys/kernel/debug/refresh
 *
 *   schedule   the text of a schedule is judged when its last line is written; read back as it is executed
 *   active     1 takes the controller's refreshes, 0 gives them back
 *   stat       what was done
 *   record     of the emulated controller: its memory
 *
 * What is refused is an error of the write, and the kernel's log says why.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/kstrtox.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "refresh.h"

static struct dentry *folder;
static struct debugfs_blob_wrapper blob;

/* A text that is being written. */
struct draft {
	struct mutex mutex;
	size_t size, room;
	char *text;
	bool done;	/* its end was written */
};

static int schedule_open(struct inode *inode, struct file *file)
{
	struct draft *draft;

	if (file->f_mode & FMODE_WRITE && file->f_mode & FMODE_READ)
		return -EINVAL;
	draft = kzalloc(sizeof(*draft), GFP_KERNEL);
	if (!draft)
		return -ENOMEM;
	mutex_init(&draft->mutex);
	if (file->f_mode & FMODE_READ) {
		/* A line of a window has 40 characters at most, and there are no more than fit into a text. */
		draft->room = 3 * RFW_MOST_TEXT;
		draft->text = kvmalloc(draft->room, GFP_KERNEL);
		if (!draft->text) {
			kfree(draft);
			return -ENOMEM;
		}
		draft->size = rfw_show(draft->text, draft->room);
	}
	file->private_data = draft;
	return 0;
}

static int schedule_release(struct inode *inode, struct file *file)
{
	struct draft *draft = file->private_data;

	if (file->f_mode & FMODE_WRITE && draft->size && !draft->done)
		pr_notice("schedule: the text has no last line 'end', nothing was changed\n");
	kvfree(draft->text);
	kfree(draft);
	return 0;
}

static ssize_t schedule_read(struct file *file, char __user *to, size_t size, loff_t *at)
{
	struct draft *draft = file->private_data;

	return simple_read_from_buffer(to, size, at, draft->text, draft->size);
}

/* Is the last line that was written whole "end"? */
static bool has_end(const struct draft *draft)
{
	static const char end[] = "\nend\n";
	const size_t length = sizeof(end) - 1;

	return draft->size >= length && !memcmp(draft->text + draft->size - length, end, length);
}

static int judge(struct draft *draft)
{
	u32 room = rfw_room(draft->size);
	struct rfw_window *read = kvmalloc_array(room, sizeof(*read), GFP_KERNEL);
	struct rfw_window *grouped = kvmalloc_array(room, sizeof(*grouped), GFP_KERNEL);
	struct rfw_schedule schedule;
	struct rfw_refusal why;
	int error = -ENOMEM;

	if (read && grouped) {
		error = rfw_parse(draft->text, draft->size, read, grouped, &schedule, &why);
		if (error)
			pr_notice("schedule: %s\n", why.text);
		else
			error = rfw_load(&schedule, grouped);
	}
	kvfree(read);
	if (error)
		kvfree(grouped);
	return error;
}

static ssize_t schedule_write(struct file *file, const char __user *from, size_t size, loff_t *at)
{
	struct draft *draft = file->private_data;
	ssize_t error;

	mutex_lock(&draft->mutex);
	error = -EINVAL;
	if (draft->done) {
		pr_notice("schedule: more is written behind 'end', allowed: nothing\n");
		goto out;
	}
	error = -EFBIG;
	if (size > RFW_MOST_TEXT - draft->size) {
		pr_notice("schedule: more than %d bytes\n", RFW_MOST_TEXT);
		goto out;
	}
	if (draft->size + size > draft->room) {
		size_t room = min_t(size_t, RFW_MOST_TEXT, max_t(size_t, 2 * draft->room, draft->size + size));
		char *text = kvmalloc(room, GFP_KERNEL);

		error = -ENOMEM;
		if (!text)
			goto out;
		memcpy(text, draft->text, draft->size);
		kvfree(draft->text);
		draft->text = text;
		draft->room = room;
	}
	error = -EFAULT;
	if (copy_from_user(draft->text + draft->size, from, size))
		goto out;
	draft->size += size;
	*at += size;
	error = size;
	if (has_end(draft)) {
		draft->done = true;
		error = judge(draft) ?: error;
	}
out:
	mutex_unlock(&draft->mutex);
	return error;
}

static const struct file_operations schedule_operations = {
	.owner = THIS_MODULE,
	.open = schedule_open,
	.release = schedule_release,
	.read = schedule_read,
	.write = schedule_write,
	.llseek = default_llseek,
};

static int active_get(void *unused, u64 *value)
{
	struct rfw_stat stat;
	unsigned int ranks;
	char name[32];
	int cpu, watch;

	rfw_stat(&stat, name, &ranks, &cpu, &watch);
	*value = stat.active;
	return 0;
}

static int active_set(void *unused, u64 value)
{
	if (value > 1) {
		pr_notice("active: found %llu, allowed: 0, 1\n", value);
		return -EINVAL;
	}
	if (value)
		return rfw_start();
	rfw_stop("it was asked to");
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(active_operations, active_get, active_set, "%llu\n");

static int stat_show(struct seq_file *file, void *unused)
{
	struct rfw_stat *stat = kmalloc(sizeof(*stat), GFP_KERNEL);
	unsigned int ranks, rank;
	char name[32];
	int cpu, watch;

	if (!stat)
		return -ENOMEM;
	rfw_stat(stat, name, &ranks, &cpu, &watch);
	seq_printf(file, "controller %s\nranks %u\nactive %d\ncpu %d\nwatching %d\n", name, ranks, stat->active, cpu, watch);
	for (rank = 0; rank < ranks; rank++)
		seq_printf(file, "issued %u %llu\ncompleted %u %llu\n", rank, stat->issued[rank], rank, stat->completed[rank]);
	seq_printf(file, "late_max_ns %llu\nbusy_ns %llu\npasses %llu\nmade_up %llu\nfallbacks %llu\nended %s\n", stat->late_max_ns, stat->busy_ns,
		   stat->passes, stat->made_up, stat->fallbacks, stat->ended);
	kfree(stat);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(stat);

int rfw_files_init(void)
{
	folder = debugfs_create_dir("refresh", NULL);
	if (IS_ERR(folder))
		return PTR_ERR(folder);
	debugfs_create_file("schedule", 0600, folder, NULL, &schedule_operations);
	debugfs_create_file_unsafe("active", 0600, folder, NULL, &active_operations);
	debugfs_create_file("stat", 0400, folder, NULL, &stat_fops);
	blob.data = rfw_emulated_page(&blob.size);
	if (blob.data)
		debugfs_create_blob("record", 0400, folder, &blob);
	return 0;
}

/* Nobody is in a file any more after that. */
void rfw_files_exit(void)
{
	debugfs_remove_recursive(folder);
}
