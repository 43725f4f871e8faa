// SPDX-License-Identifier: GPL-2.0-only
/* The module: which controller, beginning and end. */
#include <linux/module.h>
#include "refresh.h"

static int __init refresh_init(void)
{
	int error = rfw_executor_init(), emulated, here;

	if (error)
		return error;
	here = rfw_mmio_bind();
	error = here < 0 ? here : 0;
	if (!error) {
		emulated = rfw_emulated_bind();
		error = emulated < 0 ? emulated : 0;
	}
	if (error == -EBUSY && here == 0)
		pr_notice("emulated, umctl2_base and umctl2_node: allowed: one of them\n");
	if (!error)
		error = rfw_files_init();
	if (!error)
		return 0;
	rfw_emulated_unbind();
	rfw_mmio_unbind();
	rfw_executor_exit();
	return error;
}

static void __exit refresh_exit(void)
{
	rfw_files_exit();
	rfw_emulated_unbind();
	rfw_mmio_unbind();
	rfw_executor_exit();
}

module_init(refresh_init);
module_exit(refresh_exit);
MODULE_DESCRIPTION("Refreshes of DRAM in windows that a schedule chooses");
MODULE_LICENSE("GPL");
