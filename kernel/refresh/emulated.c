// SPDX-License-Identifier: GPL-2.0-only
/*
 * A uMCTL2 in memory: emulated=memory, the module's own, or emulated=ivshmem, that of an ivshmem-plain device of QEMU, which the host
 * sees. umctl2.c drives it as it would one of the machine; what a controller does about a written register is done here, and each
 * refresh is recorded with the time at which its REF begins.
 */
#include <linux/bitfield.h>
#include <linux/io.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>
#include "emulated.h"
#include "umctl2.h"

#define OWN_SIZE (1 << 20)

static char *emulated;
module_param(emulated, charp, 0444);
MODULE_PARM_DESC(emulated, "an emulated controller: memory, or ivshmem");
static unsigned int emulated_ranks = 2;
module_param(emulated_ranks, uint, 0444);
MODULE_PARM_DESC(emulated_ranks, "its ranks, 1 to 4 (default 2)");
static unsigned int emulated_trfc_ns = 350;
module_param(emulated_trfc_ns, uint, 0444);
MODULE_PARM_DESC(emulated_trfc_ns, "its tRFC, in ns (default 350)");
static int emulated_stuck = -1;
module_param(emulated_stuck, int, 0644);
MODULE_PARM_DESC(emulated_stuck, "this rank stays busy, -1: none");

struct page_of {
	struct umctl2 u;
	void *memory;
	size_t size;
	struct pci_dev *device;
	bool disabled;				/* auto-refresh, since the level has changed */
	u64 over[UMCTL2_MOST_RANKS];		/* when the last stored refresh of a rank will be */
	u64 written, refused;
};
static struct page_of page;

static u32 *cell(unsigned int offset)
{
	return page.memory + offset;
}

/* Entries of the record. */
static u32 room(void)
{
	return (page.size - EMULATED_ENTRIES) / sizeof(struct emulated_entry);
}

static void record(u64 time, enum emulated_kind kind, unsigned int rank)
{
	struct emulated_head *head = page.memory + EMULATED_HEAD;
	struct emulated_entry *entries = page.memory + EMULATED_ENTRIES, *entry;
	u32 at;

	div_u64_rem(page.written, room(), &at);
	entry = &entries[at];
	entry->time_ns = cpu_to_le64(time);
	entry->kind = cpu_to_le32(kind);
	entry->rank = cpu_to_le32(rank);
	/* Who reads the number finds the entry. */
	smp_wmb();
	WRITE_ONCE(head->written, cpu_to_le64(++page.written));
}

/* Refreshes of a rank that are stored and have not begun. */
static bool is_full(unsigned int rank, u64 now)
{
	return page.over[rank] > now + (u64)UMCTL2_STORED * emulated_trfc_ns;
}

static void request(unsigned int rank)
{
	struct emulated_head *head = page.memory + EMULATED_HEAD;
	u64 now = ktime_get_ns(), begins;

	if (rank >= emulated_ranks || !page.disabled || is_full(rank, now)) {
		WRITE_ONCE(head->refused, cpu_to_le64(++page.refused));
		record(now, EMULATED_REFUSED, rank);
		return;
	}
	begins = max(now, page.over[rank]);
	page.over[rank] = begins + emulated_trfc_ns;
	record(begins, EMULATED_REFRESH, rank);
}

static u32 read(struct umctl2 *u, unsigned int offset)
{
	unsigned int rank;
	u32 busy = 0;

	if (offset == UMCTL2_DBGSTAT) {
		for (rank = 0; rank < emulated_ranks; rank++)
			if (is_full(rank, ktime_get_ns()) || READ_ONCE(emulated_stuck) == (int)rank)
				busy |= DBGSTAT_RANK_REFRESH_BUSY(rank);
		WRITE_ONCE(*cell(offset), busy);
	}
	return READ_ONCE(*cell(offset));
}

static void write(struct umctl2 *u, unsigned int offset, u32 value)
{
	u32 before = READ_ONCE(*cell(offset));
	unsigned int rank;

	if (offset == UMCTL2_DBGCMD) {
		for (rank = 0; rank < UMCTL2_MOST_RANKS; rank++)
			if (value & DBGCMD_RANK_REFRESH(rank))
				request(rank);
		/* Stored at once. */
		value &= DBGCMD_HW_REF_ZQ_EN;
	}
	WRITE_ONCE(*cell(offset), value);
	if (offset == UMCTL2_RFSHCTL3 && (before ^ value) & RFSHCTL3_REFRESH_UPDATE_LEVEL) {
		bool disabled = value & RFSHCTL3_DIS_AUTO_REFRESH;

		if (disabled != page.disabled)
			record(ktime_get_ns(), disabled ? EMULATED_TAKEN : EMULATED_GIVEN_BACK, 0);
		page.disabled = disabled;
	}
}

static const struct refresh_controller_ops ops = {
	.name = "emulated",
	.take = umctl2_take,
	.give_back = umctl2_give_back,
	.refresh = umctl2_refresh,
	.busy = umctl2_busy,
};

/* The memory of the first device that shares some. */
static int share(void)
{
	int error;

	page.device = pci_get_device(PCI_VENDOR_ID_REDHAT_QUMRANET, 0x1110, NULL);
	if (!page.device) {
		pr_notice("emulated: no device ivshmem-plain was found; allowed without one: memory\n");
		return -ENODEV;
	}
	error = pci_enable_device(page.device);
	if (error)
		goto put;
	page.size = pci_resource_len(page.device, 2);
	error = -ENOSPC;
	if (page.size < EMULATED_LEAST) {
		pr_notice("emulated: the device shares %zu bytes, allowed: %zu or more\n", page.size, (size_t)EMULATED_LEAST);
		goto disable;
	}
	error = pci_request_region(page.device, 2, "refresh");
	if (error)
		goto disable;
	page.memory = memremap(pci_resource_start(page.device, 2), page.size, MEMREMAP_WB);
	if (page.memory)
		return 0;
	error = -ENOMEM;
	pci_release_region(page.device, 2);
disable:
	pci_disable_device(page.device);
put:
	pci_dev_put(page.device);
	page.device = NULL;
	return error;
}

static void unshare(void)
{
	if (!page.device) {
		vfree(page.memory);
	} else {
		memunmap(page.memory);
		pci_release_region(page.device, 2);
		pci_disable_device(page.device);
		pci_dev_put(page.device);
	}
	page = (struct page_of) { 0 };
}

/* A record of the same layout that is there already, as of the module when it was loaded before, goes on. */
static void go_on(void)
{
	const struct emulated_head *head = page.memory + EMULATED_HEAD;

	if (le32_to_cpu(head->magic) != EMULATED_MAGIC || le32_to_cpu(head->version) != 1 || le32_to_cpu(head->ranks) != emulated_ranks ||
	    le32_to_cpu(head->entries) != room() || le32_to_cpu(head->trfc_ns) != emulated_trfc_ns)
		return;
	page.written = le64_to_cpu(head->written);
	page.refused = le64_to_cpu(head->refused);
}

int rfw_emulated_bind(void)
{
	struct emulated_head *head;
	int error;

	if (!emulated)
		return 1;
	if (emulated_ranks < 1 || emulated_ranks > UMCTL2_MOST_RANKS || emulated_trfc_ns < 50 || emulated_trfc_ns > 5000) {
		pr_notice("emulated_ranks, emulated_trfc_ns: found %u and %u, allowed: 1 to 4 and 50 to 5000\n", emulated_ranks, emulated_trfc_ns);
		return -EINVAL;
	}
	if (!strcmp(emulated, "memory")) {
		page.size = OWN_SIZE;
		page.memory = vzalloc(page.size);
		if (!page.memory)
			return -ENOMEM;
	} else if (!strcmp(emulated, "ivshmem")) {
		error = share();
		if (error)
			return error;
	} else {
		pr_notice("emulated: found '%s', allowed: memory, ivshmem\n", emulated);
		return -EINVAL;
	}
	go_on();
	memset(page.memory, 0, EMULATED_HEAD);
	*cell(UMCTL2_MSTR) = MSTR_DDR4 | FIELD_PREP(MSTR_ACTIVE_RANKS, GENMASK(emulated_ranks - 1, 0));
	*cell(UMCTL2_STAT) = STAT_NORMAL;
	head = page.memory + EMULATED_HEAD;
	head->version = cpu_to_le32(1);
	head->written = cpu_to_le64(page.written);
	head->refused = cpu_to_le64(page.refused);
	head->ranks = cpu_to_le32(emulated_ranks);
	head->entries = cpu_to_le32(room());
	head->trfc_ns = cpu_to_le32(emulated_trfc_ns);
	/* With it the rest can be read. */
	smp_wmb();
	head->magic = cpu_to_le32(EMULATED_MAGIC);
	page.u.read = read;
	page.u.write = write;
	error = umctl2_find(&page.u, &ops) ?: refresh_register(&page.u.controller);
	if (error)
		unshare();
	return error;
}

void rfw_emulated_unbind(void)
{
	if (!page.memory)
		return;
	refresh_unregister(&page.u.controller);
	unshare();
}

/* For a control file; NULL if there is none. */
void *rfw_emulated_page(size_t *size)
{
	*size = page.size;
	return page.memory;
}
