// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: memory of guests of KVM, as the table of fillers in
 * Documentation/admin-guide/mm/page_color.rst says.
 *
 * Needs root, coloring switched on (/sys/kernel/mm/page_color/enabled), debugfs, and
 * /dev/kvm with nested page tables and CONFIG_KVM_SW_PROTECTED_VM. For x86 alone.
 */
#define _GNU_SOURCE
#include <linux/falloc.h>
#include <linux/kvm.h>
#include <pthread.h>
#include "page_color_kinds.h"

#ifdef __x86_64__

#ifndef KVM_PRE_FAULT_MEMORY
#define KVM_PRE_FAULT_MEMORY	_IOWR(KVMIO, 0xd5, struct kvm_pre_fault_memory)
struct kvm_pre_fault_memory {
	uint64_t gpa, size, flags, padding[5];
};
#endif

#ifndef KVM_CREATE_GUEST_MEMFD
#define KVM_X86_SW_PROTECTED_VM		1
#define KVM_MEM_GUEST_MEMFD		0x4
#define KVM_MEMORY_ATTRIBUTE_PRIVATE	0x8
#define KVM_SET_USER_MEMORY_REGION2	\
	_IOW(KVMIO, 0x49, struct kvm_userspace_memory_region2)
#define KVM_SET_MEMORY_ATTRIBUTES	_IOW(KVMIO, 0xd2, struct kvm_memory_attributes)
#define KVM_CREATE_GUEST_MEMFD		_IOWR(KVMIO, 0xd4, struct kvm_create_guest_memfd)
struct kvm_userspace_memory_region2 {
	uint32_t slot, flags;
	uint64_t guest_phys_addr, memory_size, userspace_addr, guest_memfd_offset;
	uint32_t guest_memfd, pad1;
	uint64_t pad2[14];
};

struct kvm_memory_attributes {
	uint64_t address, size, attributes, flags;
};

struct kvm_create_guest_memfd {
	uint64_t size, flags, reserved[6];
};
#endif

/*
 * The first MiB has the program, and what it writes to; a part above is asked for
 * without the guest, the last part is the guest's private memory.
 */
#define LOW		MB
#define ASKED		(4 * MB)
#define PRIVATE		(16 * MB)
#define CODE		0x1000
/* The program writes a word into each page from here to there: its own address / 16. */
#define FROM		0x20000UL
#define TO		0xf0000UL

static const unsigned char program[] = {
	0xb8, 0x00, 0x20,		/*    mov  $0x2000, %ax */
	0x8e, 0xc0,			/* 1: mov  %ax, %es */
	0x26, 0xa3, 0x00, 0x00,		/*    mov  %ax, %es:0 */
	0x05, 0x00, 0x01,		/*    add  $0x100, %ax */
	0x3d, 0x00, 0xf0,		/*    cmp  $0xf000, %ax */
	0x75, 0xf2,			/*    jne  1b */
	0xf4,				/*    hlt */
};

struct guest {
	int vm, cpu, file;
	char *mem;
	struct kvm_run *run;
};

static void may(bool ok, const char *what)
{
	if (!ok)
		ksft_exit_fail_msg("KVM: %s: %s\n", what, strerror(errno));
}

/* A guest with memory of this process and, if it is of that type, private memory. */
static struct guest new_guest(unsigned long type)
{
	int kvm = open("/dev/kvm", O_RDWR);
	struct guest g = { .file = -1 };
	struct kvm_userspace_memory_region region = {
		.memory_size = LOW + ASKED,
	};
	struct kvm_create_guest_memfd file = { .size = PRIVATE };
	struct kvm_sregs sregs;

	may(kvm >= 0, "/dev/kvm");
	g.vm = ioctl(kvm, KVM_CREATE_VM, type);
	may(g.vm >= 0, "KVM_CREATE_VM");
	g.mem = map_pages(LOW + ASKED);
	madvise(g.mem, LOW + ASKED, MADV_NOHUGEPAGE);
	memcpy(g.mem + CODE, program, sizeof(program));
	region.userspace_addr = (uintptr_t)g.mem;
	may(!ioctl(g.vm, KVM_SET_USER_MEMORY_REGION, &region), "memory");
	if (type) {
		struct kvm_userspace_memory_region2 private = {
			.slot = 1,
			.flags = KVM_MEM_GUEST_MEMFD,
			.guest_phys_addr = LOW + ASKED,
			.memory_size = PRIVATE,
		};
		struct kvm_memory_attributes attributes = {
			.address = LOW + ASKED,
			.size = PRIVATE,
			.attributes = KVM_MEMORY_ATTRIBUTE_PRIVATE,
		};

		g.file = ioctl(g.vm, KVM_CREATE_GUEST_MEMFD, &file);
		may(g.file >= 0, "guest_memfd");
		private.guest_memfd = g.file;
		private.userspace_addr = (uintptr_t)map_pages(PRIVATE);
		may(!ioctl(g.vm, KVM_SET_USER_MEMORY_REGION2, &private), "private memory");
		may(!ioctl(g.vm, KVM_SET_MEMORY_ATTRIBUTES, &attributes), "attributes");
	}
	g.cpu = ioctl(g.vm, KVM_CREATE_VCPU, 0);
	may(g.cpu >= 0, "KVM_CREATE_VCPU");
	g.run = mmap(NULL, ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0), PROT_READ | PROT_WRITE,
		     MAP_SHARED, g.cpu, 0);
	may(g.run != MAP_FAILED && !ioctl(g.cpu, KVM_GET_SREGS, &sregs), "CPU");
	sregs.cs.base = 0;
	sregs.cs.selector = 0;
	may(!ioctl(g.cpu, KVM_SET_SREGS, &sregs), "registers");
	return g;
}

/* All of it, which may take several calls. */
static bool pre_fault(const struct guest *g, uint64_t from, uint64_t size)
{
	struct kvm_pre_fault_memory range = { .gpa = from, .size = size };

	while (range.size)
		if (ioctl(g->cpu, KVM_PRE_FAULT_MEMORY, &range) && errno != EINTR) {
			ksft_print_msg("KVM_PRE_FAULT_MEMORY: %s\n", strerror(errno));
			return false;
		}
	return true;
}

static bool run_guest(struct guest *g)
{
	struct kvm_regs regs = { .rip = CODE, .rflags = 2 };

	if (ioctl(g->cpu, KVM_SET_REGS, &regs) || ioctl(g->cpu, KVM_RUN, 0) ||
	    g->run->exit_reason != KVM_EXIT_HLT) {
		ksft_print_msg("the guest ended with %u: %s\n", g->run->exit_reason,
			       strerror(errno));
		return false;
	}
	for (unsigned long at = FROM; at < TO; at += page_size)
		if (*(uint16_t *)(g->mem + at) != at / 16)
			return false;
	return true;
}

/* What a thread does that has the other half of the colors. */
static bool (*do_it)(struct guest *g);
static pthread_barrier_t ready;

static void *in_thread(void *arg)
{
	bool ok = !set_colors(other_half(), PR_PAGE_COLOR_STRICT);

	pthread_barrier_wait(&ready);
	/* Meanwhile the process sets its own. */
	pthread_barrier_wait(&ready);
	return ok && do_it(arg) ? arg : NULL;
}

/* Done by a thread with the other half, in a process that set its half later. */
static bool done_by_thread(struct guest *g, bool (*what)(struct guest *g))
{
	long spilled = read_long(DIR "spilled");
	pthread_t thread;
	void *result;

	do_it = what;
	pthread_barrier_init(&ready, NULL, 2);
	if (pthread_create(&thread, NULL, in_thread, g))
		return false;
	pthread_barrier_wait(&ready);
	if (set_colors(half, PR_PAGE_COLOR_STRICT))
		return false;
	pthread_barrier_wait(&ready);
	pthread_join(thread, &result);
	spilled = read_long(DIR "spilled") - spilled;
	if (spilled)
		ksft_print_msg("%ld pages spilled\n", spilled);
	return result && !spilled;
}

static bool test_run(void)
{
	struct guest g;

	if (set_colors(half, PR_PAGE_COLOR_STRICT))
		return false;
	g = new_guest(0);
	if (!done_by_thread(&g, run_guest) ||
	    !pure(g.mem + FROM, TO - FROM, other_half(), "written by the guest") ||
	    !pure(g.mem + CODE, page_size, half, "the program") ||
	    move_to_colors(g.mem, LOW) || !pure(g.mem + FROM, TO - FROM, half, "moved"))
		return false;
	/* Again, with the pages where they are now. */
	memset(g.mem + FROM, 0, TO - FROM);
	return run_guest(&g);
}

static bool ask(struct guest *g)
{
	return pre_fault(g, LOW, ASKED);
}

static bool test_pre_fault(void)
{
	struct guest g = new_guest(0);

	return done_by_thread(&g, ask) &&
	       pure(g.mem + LOW, ASKED, other_half(), "faulted ahead");
}

/* Pages of users, of the lower half of the colors and of the upper. */
struct tally {
	long lower, upper;
};

static struct tally users(void)
{
	FILE *file = fopen("/sys/kernel/debug/page_color/colors", "r");
	struct tally sum = {};
	char line[256];
	long user;
	int color;

	if (!file)
		ksft_exit_fail_msg("debugfs: %s\n", strerror(errno));
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "node %*d zone %*s color %d pages %*d free %*d user %ld",
			   &color, &user) != 2 || color < 0)
			continue;
		if (has(half, color))
			sum.lower += user;
		else
			sum.upper += user;
	}
	fclose(file);
	return sum;
}

static bool allocate(struct guest *g)
{
	return !fallocate(g->file, FALLOC_FL_KEEP_SIZE, 0, PRIVATE);
}

static bool fault_private(struct guest *g)
{
	return pre_fault(g, LOW + ASKED, PRIVATE);
}

/* What others have may change by this many pages meanwhile. */
#define NOISE	256

/*
 * Nobody can map it: looked at is which colors have more pages of users. They are the
 * thread's, not those of the process, to which it does not move.
 */
static bool private_by(bool (*what)(struct guest *g))
{
	const long pages = PRIVATE / page_size;
	struct guest g = new_guest(KVM_X86_SW_PROTECTED_VM);
	struct tally before = users(), after, later;

	if (!done_by_thread(&g, what))
		return false;
	after = users();
	if (move_all_to_colors() < 0)
		return false;
	later = users();
	ksft_print_msg("%ld pages: %ld more of its colors, %ld of others; MIGRATE: %ld, %ld\n",
		       pages, after.upper - before.upper, after.lower - before.lower,
		       later.upper - before.upper, later.lower - before.lower);
	return after.upper - before.upper > pages - NOISE &&
	       after.lower - before.lower < NOISE &&
	       later.upper - before.upper > pages - NOISE &&
	       later.lower - before.lower < NOISE;
}

static bool test_allocate(void)
{
	return private_by(allocate);
}

static bool test_fault_private(void)
{
	return private_by(fault_private);
}

/* With PREEMPT_RT KVM wants a time stamp counter that is constant. */
static bool has_kvm(void)
{
	return !access("/dev/kvm", F_OK);
}

int main(void)
{
	static const struct row rows[] = {
		{ "memory of a guest, written by it", test_run, has_kvm },
		{ "memory of a guest, faulted ahead", test_pre_fault, has_kvm },
		{ "guest_memfd, allocated", test_allocate, has_kvm },
		{ "guest_memfd, faulted", test_fault_private, has_kvm },
	};

	run_rows(rows, sizeof(rows) / sizeof(*rows));
}

#else /* __x86_64__ */

int main(void)
{
	run_rows(NULL, 0);
}

#endif /* __x86_64__ */
