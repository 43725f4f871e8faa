// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page coloring: the registers of AMD family 10h, from PCI configuration space.
 */
#define pr_fmt(fmt) "page_color: " fmt

#include <linux/err.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include "page_color.h"
#include "page_color_amd10h.h"

/* Device of node 0 on bus 0; that of node n is n further. */
#define FIRST_DEVICE	0x18

static int read_register(void *from, unsigned int node, unsigned int function,
			 unsigned int offset, u32 *value)
{
	static const u16 identity[] = {
		[1] = PCI_DEVICE_ID_AMD_10H_NB_MAP,
		[2] = PCI_DEVICE_ID_AMD_10H_NB_DRAM,
	};
	struct pci_dev *dev;
	int err = -ENODEV;

	dev = pci_get_domain_bus_and_slot(0, 0, PCI_DEVFN(FIRST_DEVICE + node, function));
	if (dev && dev->vendor == PCI_VENDOR_ID_AMD && dev->device == identity[function])
		err = pcibios_err_to_errno(pci_read_config_dword(dev, offset, value));
	pci_dev_put(dev);
	return err;
}

/**
 * page_color_amd10h_map - the map that the registers of this machine describe
 *
 * Context: may sleep; after PCI devices were found.
 * Return: the map as text, for kfree(), or an error: -ENODEV on other machines,
 * -EINVAL if memory is set up in a way that is not decoded, -EIO, -ENOMEM.
 */
char *page_color_amd10h_map(void)
{
	struct amd10h_registers *regs = kzalloc(sizeof(*regs), GFP_KERNEL);
	char *text = kzalloc(AMD10H_TEXT, GFP_KERNEL);
	char why[AMD10H_WHY] = "out of memory";
	int err = -ENOMEM;

	if (regs && text)
		err = amd10h_collect(regs, read_register, NULL, why);
	if (err == -ENODEV)
		pr_err("map refused: this is no machine of AMD family 10h: %s\n", why);
	if (!err)
		err = amd10h_decode(regs, text, why);
	if (err && err != -ENODEV)
		pr_err("map refused: %s\n", why);
	kfree(regs);
	if (!err)
		return text;
	kfree(text);
	return ERR_PTR(err);
}
