# SPDX-License-Identifier: GPL-2.0-only
# Options of kernel/config/ that have another name in Linux 7.3.
s/^CONFIG_PROC_SYSCTL=/CONFIG_SYSCTL=/
