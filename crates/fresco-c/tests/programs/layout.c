/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Prints how a C compiler lays out what the library shares with its host, and the constants. */
#include "fresco.h"

#include <inttypes.h>
#include <stdio.h>

#define SIZE(type) printf(#type " %zu\n", sizeof(type))
#define FIELD(type, field) printf(#type "." #field " %zu\n", offsetof(type, field))
#define VALUE(name) printf(#name " %" PRId64 "\n", (int64_t)(name))

int main(void)
{
	SIZE(fresco_options);
	FIELD(fresco_options, outstanding);
	FIELD(fresco_options, flags);
	FIELD(fresco_options, settings);
	FIELD(fresco_options, settings_count);
	SIZE(fresco_info);
	FIELD(fresco_info, capacity);
	FIELD(fresco_info, line_bytes);
	FIELD(fresco_info, cycle_ps);
	FIELD(fresco_info, regions);
	FIELD(fresco_info, nodes);
	FIELD(fresco_info, channels);
	FIELD(fresco_info, ranks);
	FIELD(fresco_info, bank_groups);
	FIELD(fresco_info, banks);
	FIELD(fresco_info, bus_bits);
	FIELD(fresco_info, line_transfers);
	FIELD(fresco_info, read_places);
	FIELD(fresco_info, write_places);
	SIZE(fresco_done);
	FIELD(fresco_done, tag);
	FIELD(fresco_done, address);
	FIELD(fresco_done, arrived);
	FIELD(fresco_done, at);
	FIELD(fresco_done, wait_queue);
	FIELD(fresco_done, wait_bank);
	FIELD(fresco_done, wait_bus);
	FIELD(fresco_done, wait_refresh);
	FIELD(fresco_done, service);
	FIELD(fresco_done, is_write);
	FIELD(fresco_done, outcome);
	SIZE(fresco_request);
	FIELD(fresco_request, cycle);
	FIELD(fresco_request, address);
	FIELD(fresco_request, is_write);
	SIZE(fresco_stats);
	FIELD(fresco_stats, reads);
	FIELD(fresco_stats, data_cycles);
	FIELD(fresco_stats, rank_active_cycles);
	FIELD(fresco_stats, act);
	FIELD(fresco_stats, rd);
	FIELD(fresco_stats, ref_ab);
	FIELD(fresco_stats, rfm_sb);
	SIZE(fresco_verdict);
	FIELD(fresco_verdict, end);
	FIELD(fresco_verdict, commands);
	FIELD(fresco_verdict, violations);
	FIELD(fresco_verdict, late_rows);
	FIELD(fresco_verdict, short_banks);
	FIELD(fresco_verdict, clean);
	FIELD(fresco_verdict, long_pauses);
	FIELD(fresco_verdict, refresh_judged);
	VALUE(FRESCO_OK);
	VALUE(FRESCO_FULL);
	VALUE(FRESCO_NONE);
	VALUE(FRESCO_ERROR_ARGUMENT);
	VALUE(FRESCO_ERROR_MACHINE);
	VALUE(FRESCO_ERROR_ADDRESS);
	VALUE(FRESCO_ERROR_CYCLE);
	VALUE(FRESCO_ERROR_STATE);
	VALUE(FRESCO_ERROR_INTERNAL);
	VALUE(FRESCO_NEVER);
	VALUE(FRESCO_LAST_CYCLE);
	VALUE(FRESCO_LONGEST_GAP);
	VALUE(FRESCO_ALL_CHANNELS);
	VALUE(FRESCO_CHECK);
	return 0;
}
