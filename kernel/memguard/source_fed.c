// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts that are fed from outside: an emulator writes them into memory that it shares with the machine
 * (ivshmem-plain of QEMU), 64 bytes for each CPU, of which the second 8 are lines that the CPU has read from memory.
 * There is no interrupt, so they are looked at every so often.
 */
#include <linux/io.h>
#include <linux/pci.h>
#include "memguard.h"

struct cell {
	u64 instructions, lines, unused[6];
};

static struct pci_dev *device;
static struct cell *cells;

int mg_fed_open(void)
{
	int error;

	if (cells)
		return 0;
	device = pci_get_device(PCI_VENDOR_ID_REDHAT_QUMRANET, 0x1110, NULL);
	if (!device)
		return -ENODEV;
	error = pci_enable_device(device);
	if (error)
		goto put;
	error = -ENOSPC;
	if (pci_resource_len(device, 2) < nr_cpu_ids * sizeof(*cells))
		goto disable;
	cells = memremap(pci_resource_start(device, 2), pci_resource_len(device, 2), MEMREMAP_WB);
	if (cells)
		return 0;
	error = -ENOMEM;
disable:
	pci_disable_device(device);
put:
	pci_dev_put(device);
	return error;
}

void mg_fed_close(void)
{
	if (!cells)
		return;
	memunmap(cells);
	cells = NULL;
	pci_disable_device(device);
	pci_dev_put(device);
}

static int make(struct mg_cpu *c)
{
	return 0;
}

static void end(struct mg_cpu *c)
{
}

static u64 read(struct mg_cpu *c)
{
	return READ_ONCE(cells[c->cpu].lines);
}

static bool counts(struct mg_cpu *c)
{
	return true;
}

const struct mg_source mg_fed = { .name = "fed", .make = make, .end = end, .read = read, .counts = counts };
