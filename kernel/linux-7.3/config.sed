# SPDX-License-Identifier: GPL-2.0-only
# Options of kernel/config/ that have another name in Linux 7.3; and ext4, as ext2 has no DAX of its own any more.
s/^CONFIG_PROC_SYSCTL=/CONFIG_SYSCTL=/
s/^CONFIG_EXT2_FS=y$/&\nCONFIG_EXT4_FS=y/
