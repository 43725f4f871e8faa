// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernels of the tests have no loop devices. Files that these are made of have page
 * cache for which no file system is called, as those of XFS.
 */
#include <drivers/block/loop.c>
