/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _MM_PAGE_COLOR_AMD10H_H
#define _MM_PAGE_COLOR_AMD10H_H

/*
 * The map of machines of AMD family 10h, from the registers of their
 * northbridges. FnXrrr is register rrr of function n.
 */
#include <linux/types.h>

#define AMD10H_NODES	8
#define AMD10H_RANGES	8
#define AMD10H_CHANNELS	2
#define AMD10H_SELECTS	8
/* What a map takes as text, and why there is none. */
#define AMD10H_TEXT	2048
#define AMD10H_WHY	112

/**
 * struct amd10h_range - DRAM of a node, as function 1 of node 0 has it
 * @base: F1x40 and every eighth from there on
 * @limit: F1x44
 * @base_high: F1x140
 * @limit_high: F1x144
 */
struct amd10h_range {
	u32 base;
	u32 limit;
	u32 base_high;
	u32 limit_high;
};

/**
 * struct amd10h_channel - a DRAM controller
 * @select: F2x40 to F2x5C, bases of the chip selects; F2x140 of the second one
 * @mask: F2x60 to F2x6C, of two chip selects each
 * @mapping: F2x80, bank address mapping
 * @config: F2x94
 */
struct amd10h_channel {
	u32 select[AMD10H_SELECTS];
	u32 mask[AMD10H_SELECTS / 2];
	u32 mapping;
	u32 config;
};

/**
 * struct amd10h_node - what a node has
 * @hole: F1xF0
 * @select: F2x110
 * @select_high: F2x114
 * @channel: its controllers
 */
struct amd10h_node {
	u32 hole;
	u32 select;
	u32 select_high;
	struct amd10h_channel channel[AMD10H_CHANNELS];
};

/**
 * struct amd10h_registers - all that decides where an address is
 * @nr_nodes: how many of @node are there
 * @range: of all nodes
 * @node: by number
 */
struct amd10h_registers {
	unsigned int nr_nodes;
	struct amd10h_range range[AMD10H_RANGES];
	struct amd10h_node node[AMD10H_NODES];
};

/* Reads a register of a function of a node; 0 or an error. */
typedef int (*amd10h_read_t)(void *from, unsigned int node,
			     unsigned int function, unsigned int offset,
			     u32 *value);

int amd10h_collect(struct amd10h_registers *regs, amd10h_read_t read, void *from,
		   char *why);
int amd10h_decode(const struct amd10h_registers *regs, char *text, char *why);

#endif /* _MM_PAGE_COLOR_AMD10H_H */
