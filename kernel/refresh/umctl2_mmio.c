// SPDX-License-Identifier: GPL-2.0-only
/*
 * The uMCTL2 of this machine, only where it is asked for: umctl2_base=ADDRESS, or umctl2_node=PATH in the device tree. Whoever has
 * the registers already, as a driver for ECC, is in the way: then it does not bind.
 */
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/of_address.h>
#include "umctl2.h"

static unsigned long long umctl2_base;
module_param(umctl2_base, ullong, 0444);
MODULE_PARM_DESC(umctl2_base, "physical address of a uMCTL2 controller's registers");
static char *umctl2_node;
module_param(umctl2_node, charp, 0444);
MODULE_PARM_DESC(umctl2_node, "path of a uMCTL2 controller in the device tree");

struct here {
	struct umctl2 u;
	void __iomem *registers;
	phys_addr_t base;
};
static struct here here;

static u32 read(struct umctl2 *u, unsigned int offset)
{
	return readl(container_of(u, struct here, u)->registers + offset);
}

static void write(struct umctl2 *u, unsigned int offset, u32 value)
{
	writel(value, container_of(u, struct here, u)->registers + offset);
}

static const struct refresh_controller_ops ops = {
	.name = "umctl2",
	.take = umctl2_take,
	.give_back = umctl2_give_back,
	.refresh = umctl2_refresh,
	.busy = umctl2_busy,
};

/* Where the registers are. */
static int place(void)
{
	struct device_node *node;
	struct resource resource;
	int error;

	here.base = umctl2_base;
	if (!umctl2_node)
		return 0;
	if (umctl2_base) {
		pr_notice("umctl2_base and umctl2_node: allowed: one of them\n");
		return -EINVAL;
	}
	node = of_find_node_by_path(umctl2_node);
	if (!node) {
		pr_notice("umctl2_node: found '%s', allowed: a path in this machine's device tree\n", umctl2_node);
		return -ENODEV;
	}
	error = of_address_to_resource(node, 0, &resource);
	of_node_put(node);
	if (error || resource_size(&resource) < UMCTL2_SIZE) {
		pr_notice("umctl2_node: '%s' has no registers of %#x bytes\n", umctl2_node, UMCTL2_SIZE);
		return error ?: -EINVAL;
	}
	here.base = resource.start;
	return 0;
}

int rfw_mmio_bind(void)
{
	int error;

	if (!umctl2_base && !umctl2_node)
		return 1;
	error = place();
	if (error)
		return error;
	if (here.base & 0xfff || here.base + UMCTL2_SIZE < here.base) {
		pr_notice("umctl2_base: found %pa, allowed: a multiple of 0x1000\n", &here.base);
		return -EINVAL;
	}
	/* RAM is no controller, whatever is in it. */
	if (region_intersects(here.base, UMCTL2_SIZE, IORESOURCE_SYSTEM_RAM, IORES_DESC_NONE) != REGION_DISJOINT) {
		pr_notice("umctl2_base: %pa is memory, allowed: the address of a controller's registers\n", &here.base);
		return -EINVAL;
	}
	if (!request_mem_region(here.base, UMCTL2_SIZE, "refresh")) {
		pr_notice("umctl2_base: %pa belongs to another driver, see /proc/iomem; unbind that first\n", &here.base);
		return -EBUSY;
	}
	error = -ENOMEM;
	here.registers = ioremap(here.base, UMCTL2_SIZE);
	if (!here.registers)
		goto release;
	here.u.read = read;
	here.u.write = write;
	error = umctl2_find(&here.u, &ops) ?: refresh_register(&here.u.controller);
	if (!error)
		return 0;
	iounmap(here.registers);
	here.registers = NULL;
release:
	release_mem_region(here.base, UMCTL2_SIZE);
	return error;
}

void rfw_mmio_unbind(void)
{
	if (!here.registers)
		return;
	refresh_unregister(&here.u.controller);
	iounmap(here.registers);
	release_mem_region(here.base, UMCTL2_SIZE);
}
