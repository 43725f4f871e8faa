/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Fresco's memory core: DRAM channels with their controllers, simulated command by command. C99,
 * C++11.
 *
 * A memory is made of a machine's description (fresco_memory_new). The host says what arrives
 * when, and how far time goes; the memory says what is done when. It has no cores, no caches and
 * no data: addresses and times alone.
 *
 * Time is counted in cycles of the memory's command clock, from 0. The memory stands at
 * fresco_memory_now: all that happens before this cycle has happened. A request that is sent
 * arrives in that cycle and can be served from the next one on. A read is done in the cycle in
 * which its data are there, a write in the cycle after the one in which a write buffer took it.
 * Results do not depend on how far time is moved at once: a host may tick, or leap to
 * fresco_memory_next_event.
 *
 * Addresses are physical byte addresses. A request moves the line that holds the byte
 * (fresco_info.line_bytes).
 *
 * Returned numbers: FRESCO_OK, FRESCO_FULL and FRESCO_NONE are no errors; errors are negative,
 * have changed nothing but what their functions say, and fresco_memory_error says more about the
 * last one. A null handle is FRESCO_ERROR_ARGUMENT.
 *
 * Threads: the library has no global state but tables of the standards, which are read once,
 * behind a mutex. A handle may be used by one thread at a time, whichever; different handles know
 * nothing of each other and may be used at the same time. Callbacks run in the thread that made
 * the call.
 *
 * Callbacks may call functions with their handle, fresco_memory_send among them, but not
 * fresco_memory_free; and those that move time (fresco_memory_advance, _tick, _next_done,
 * _send_all, _drain, _replay) do nothing there but return FRESCO_ERROR_STATE: time goes on when the
 * callback returns. It must return: no exception and no longjmp may leave it.
 *
 * Structures that begin with `size` may get more fields at their ends in later versions: set
 * `size` to sizeof of the structure before it is passed. Fields that the library does not know
 * must be zero where it reads them, and become zero where it writes them.
 */
#ifndef FRESCO_H
#define FRESCO_H

#include <stddef.h>
#include <stdint.h>

/* The version of this header; fresco_version has the library's. */
#define FRESCO_VERSION_MAJOR 0
#define FRESCO_VERSION_MINOR 1
#define FRESCO_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

/* What functions return. */
enum {
    FRESCO_OK = 0,
    /* The request is not taken now: the limit is reached. Send it again when time stands at
     * fresco_memory_next_event, and so on until it is taken. Who waits for something to be done may
     * wait for ever: writes are done once they are buffered, and a buffer's places become free
     * when it is emptied, with nothing outstanding. */
    FRESCO_FULL = 1,
    /* The time has passed, and nothing more is done by then. */
    FRESCO_NONE = 2,
    /* A null pointer, a size that is too small, a value that is not allowed. */
    FRESCO_ERROR_ARGUMENT = -1,
    /* The machine cannot be found or read, or its description is wrong. */
    FRESCO_ERROR_MACHINE = -2,
    /* There is no memory at the address. */
    FRESCO_ERROR_ADDRESS = -3,
    /* The cycle lies behind FRESCO_LAST_CYCLE; of many requests, one lies more than
     * FRESCO_LONGEST_GAP behind the one before. */
    FRESCO_ERROR_CYCLE = -4,
    /* The checker is asked, but was not switched on; or a callback wants to move time. */
    FRESCO_ERROR_STATE = -5,
    /* A fault of the library, which is told on standard error: the handle can only be freed. */
    FRESCO_ERROR_INTERNAL = -6
};

/* No cycle: what fresco_memory_next_event returns when nothing will ever happen. */
#define FRESCO_NEVER UINT64_MAX
/* The last cycle that a host may name: decades of simulated time. Only fresco_memory_drain and
 * fresco_memory_replay go further, by the little that it takes until all is done; what is sent
 * there is done by fresco_memory_drain alone. */
#define FRESCO_LAST_CYCLE ((uint64_t)1 << 60)
/* Many requests at once: most cycles from one to the next, or to the first from where time stands.
 * The memory is refreshed meanwhile; so many cycles take a second or so. */
#define FRESCO_LONGEST_GAP ((uint64_t)1 << 34)

/* A machine's memory: the channels of all its NUMA nodes. */
typedef struct fresco_memory fresco_memory;

/* Flags of fresco_options. */
/* An independent checker sees every command (fresco_memory_check). It takes about as long as the
 * simulation itself, and 8 bytes for each refresh that a bank is due in a window: 64 KiB a bank, and
 * 135 MB of the largest machines. */
#define FRESCO_CHECK 1u

/* How a memory is set up. All zero but for `size` is the default. */
typedef struct fresco_options {
    size_t size;
    /* How many requests may be under way before fresco_memory_send says FRESCO_FULL. 0: as many as
     * the queues of the machine's controllers hold; a request is not taken while the queue that it
     * would go into is full. A number: so many requests that are not yet done, wherever; those
     * that find no place in a queue wait for one, and the wait counts as theirs. */
    uint32_t outstanding;
    /* FRESCO_CHECK or 0. */
    uint32_t flags;
    /* Keys of the machine's file to replace: `settings_count` strings such as
     * "memory.controller.page=closed". */
    const char *const *settings;
    size_t settings_count;
} fresco_options;

/* What a memory is. */
typedef struct fresco_info {
    size_t size;
    uint64_t capacity;       /* bytes of memory */
    uint64_t line_bytes;     /* bytes that a request moves, a power of two */
    double cycle_ps;         /* picoseconds of a cycle; fresco_memory_cycle_to_ps rounds once */
    uint32_t regions;        /* contiguous regions of physical addresses (fresco_memory_region) */
    uint32_t nodes;          /* NUMA nodes */
    uint32_t channels;       /* of all nodes together */
    uint32_t ranks;          /* of a channel */
    uint32_t bank_groups;    /* of a rank */
    uint32_t banks;          /* of a bank group */
    uint32_t bus_bits;       /* of a channel's data bus */
    uint32_t line_transfers; /* data transfers that move a line: bus_bits times this is 8 times line_bytes */
    uint32_t read_places;    /* reads that the queues of all channels hold; of front queues, requests */
    uint32_t write_places;   /* writes that the buffers of all channels hold */
} fresco_info;

/* What a request found in its bank (fresco_done.outcome). */
enum {
    FRESCO_HIT = 0,       /* its row was open */
    FRESCO_MISS = 1,      /* no row was open */
    FRESCO_CONFLICT = 2,  /* another row was open and had to be closed */
    FRESCO_FORWARDED = 3, /* a read that the write buffer served, without the DRAM */
    FRESCO_BUFFERED = 4   /* a write, taken into the write buffer; what it will find is not known yet */
};

/* A request that is done. Times are cycles; of a read, the waits and `service` add up to `at -
 * arrived`, of a write to one less. */
typedef struct fresco_done {
    size_t size;
    uint64_t tag;          /* the host's name for it */
    uint64_t address;      /* as it was sent */
    uint64_t arrived;      /* the cycle in which it arrived */
    uint64_t at;           /* the cycle in which it is done */
    uint64_t wait_queue;   /* in queues before the scheduler saw it, or ready but not chosen */
    uint64_t wait_bank;    /* its bank was busy with other rows */
    uint64_t wait_bus;     /* its rank, bank group or the data bus were busy */
    uint64_t wait_refresh; /* its bank was refreshed */
    uint64_t service;      /* its own commands and data */
    uint32_t is_write;     /* 0 or 1 */
    uint32_t outcome;      /* FRESCO_HIT and so on */
} fresco_done;

/* What is called for each request that is done, in the order of fresco_done.at, and of the same
 * cycle in the order in which they were sent. `done` is valid during the call. */
typedef void (*fresco_done_fn)(void *user, const fresco_done *done);

/* One request of many. Its layout stays as it is. */
typedef struct fresco_request {
    uint64_t cycle;    /* the earliest cycle in which it arrives, at most FRESCO_LAST_CYCLE */
    uint64_t address;
    uint64_t is_write; /* 0: a read; anything else: a write */
} fresco_request;

/* In place of a channel's number: all of them. */
#define FRESCO_ALL_CHANNELS UINT32_MAX

/* What channels counted since the beginning or the last reset, up to fresco_memory_now. Of all
 * channels: sums, but for the two maxima. */
typedef struct fresco_stats {
    size_t size;
    uint64_t reads;                /* that the DRAM served */
    uint64_t writes;               /* that the DRAM served */
    uint64_t forwarded;            /* reads that found their line in the write buffer */
    uint64_t merged;               /* writes that replaced a buffered write to the same line */
    uint64_t row_hits;             /* requests that found their row open */
    uint64_t row_misses;           /* ... their bank closed */
    uint64_t row_conflicts;        /* ... another row open */
    uint64_t data_cycles;          /* in which the data bus carried data */
    uint64_t read_queue_integral;  /* sum over cycles of the reads in the queues */
    uint64_t read_queue_max;       /* most reads in a channel's queues at one time */
    uint64_t write_queue_integral; /* sum over cycles of the buffered writes */
    uint64_t write_queue_max;      /* most buffered writes of a channel at one time */
    uint64_t rank_active_cycles;   /* sum over ranks of the cycles in which a row was open */
    uint64_t act, pre, prea;       /* commands, by kind */
    uint64_t rd, rda, wr, wra;
    uint64_t ref_ab, ref_ab4, ref_pb, ref_sb;
    uint64_t rfm_ab, rfm_sb;
} fresco_stats;

/* What the checker found, which shares no code with the controllers. */
typedef struct fresco_verdict {
    size_t size;
    uint64_t end;         /* the cycle up to which it judged */
    uint64_t commands;    /* that it judged */
    uint64_t violations;  /* commands too early, or to a bank in the wrong state */
    uint64_t late_rows;   /* rows not refreshed in time */
    uint64_t short_banks; /* banks with too few refreshes */
    uint64_t clean;       /* 1: none of these, 0: some */
    uint64_t long_pauses; /* of refresh, beyond what the standard lets a controller postpone: a warning */
    /* 1: refresh was judged. 0: it was not, as memory.controller.refresh is "none"; late_rows,
     * short_banks and long_pauses are 0 then, whatever became of the rows. */
    uint64_t refresh_judged;
} fresco_verdict;

/* The library's version, as "0.1.0". Static. */
const char *fresco_version(void);

/* Makes a memory, empty, at cycle 0.
 *
 * machine: the name of a built-in machine (`fresco machine list`), or the path of a machine
 *          file, with a "/" or ending in ".toml". UTF-8.
 * options: may be null.
 * message: room for `message_size` bytes, may be null. On failure it says what is wrong: file,
 *          line, field, what was found, what is allowed. On success it is empty, or has a warning
 *          about the machine. It ends with a zero, and is cut short if need be.
 * memory:  where the handle goes; null on failure. It is to be freed with fresco_memory_free.
 *
 * FRESCO_ERROR_MACHINE, FRESCO_ERROR_ARGUMENT, FRESCO_ERROR_INTERNAL. */
int fresco_memory_new(const char *machine, const fresco_options *options, char *message, size_t message_size,
                      fresco_memory **memory);

/* The same, of the text of a machine file. */
int fresco_memory_parse(const char *text, const fresco_options *options, char *message, size_t message_size,
                        fresco_memory **memory);

/* Frees a memory. Null is allowed. */
void fresco_memory_free(fresco_memory *memory);

/* Why the last failed call with this handle failed, for people. Empty if none has; null for null.
 * Valid until the next call with the handle. */
const char *fresco_memory_error(const fresco_memory *memory);

/* What the memory is. FRESCO_ERROR_ARGUMENT. */
int fresco_memory_info(fresco_memory *memory, fresco_info *info);

/* The `index`th region of physical addresses, below fresco_info.regions: its first address, and
 * its bytes. FRESCO_ERROR_ARGUMENT. */
int fresco_memory_region(fresco_memory *memory, uint32_t index, uint64_t *base, uint64_t *bytes);

/* The picosecond in which a cycle begins, rounded down; 0 for null. UINT64_MAX if it is as large or
 * larger, which is after 213 days, long before FRESCO_LAST_CYCLE. */
uint64_t fresco_memory_cycle_to_ps(const fresco_memory *memory, uint64_t cycle);

/* The first cycle that begins at or after a picosecond; 0 for null. */
uint64_t fresco_memory_ps_to_cycle(const fresco_memory *memory, uint64_t ps);

/* From now on `callback` is called for what is done (fresco_memory_advance, _tick, _drain,
 * _send_all), with `user` as its first argument. Null: what is done is counted and told to nobody. */
int fresco_memory_on_done(fresco_memory *memory, fresco_done_fn callback, void *user);

/* All that happens before this cycle has happened. 0 for null. */
uint64_t fresco_memory_now(const fresco_memory *memory);

/* Requests that were sent and have not been told as done. 0 for null. */
uint64_t fresco_memory_outstanding(const fresco_memory *memory);

/* Nothing is done, and no place becomes free, before this cycle, if nothing is sent before; never
 * earlier than fresco_memory_now. FRESCO_NEVER if nothing will ever happen: nothing is
 * outstanding, no request waits for a place, and there are no refreshes; and for null. */
uint64_t fresco_memory_next_event(const fresco_memory *memory);

/* Would such a request be taken now? FRESCO_OK or FRESCO_FULL. FRESCO_ERROR_ADDRESS. */
int fresco_memory_can_take(fresco_memory *memory, uint64_t address, int is_write);

/* A request arrives in cycle fresco_memory_now; as many may in one cycle as the limit lets in.
 * `tag` is the host's name for it, which need not be unique. FRESCO_OK, or FRESCO_FULL: it was not
 * taken, and is to be sent again at fresco_memory_next_event. FRESCO_ERROR_ADDRESS. */
int fresco_memory_send(fresco_memory *memory, uint64_t address, int is_write, uint64_t tag);

/* Moves time on by a cycle: fresco_memory_advance to the next one. */
int fresco_memory_tick(fresco_memory *memory);

/* Moves time on to `cycle`, and calls the callback for each request that is done by then, with
 * fresco_memory_now at the cycle in which it is: what the callback sends arrives in that cycle. A
 * cycle that has passed changes nothing. Idle time costs its refreshes, and nothing else: some
 * FRESCO_LONGEST_GAP cycles take a second, FRESCO_LAST_CYCLE takes years where there are refreshes.
 * FRESCO_ERROR_CYCLE, FRESCO_ERROR_STATE. */
int fresco_memory_advance(fresco_memory *memory, uint64_t cycle);

/* Moves time on to the next request that is done, but not beyond `cycle`, without the callback.
 * FRESCO_OK: `done` has the request, and time stands at done->at. FRESCO_NONE: time stands at
 * `cycle`, and all that is done by then has been told; so far, with nothing outstanding, it takes
 * as long as fresco_memory_advance. FRESCO_ERROR_CYCLE, FRESCO_ERROR_ARGUMENT, FRESCO_ERROR_STATE. */
int fresco_memory_next_done(fresco_memory *memory, uint64_t cycle, fresco_done *done);

/* Sends requests as `fresco memory` sends those of a trace: in order, in a cycle at most as many as
 * the machine has channels (fresco_info.channels), each in its cycle or as soon after as fewer than
 * `outstanding` (1 or more) are not yet done; one that has to wait holds those behind it. The limit
 * of fresco_options does not count here. They are called `tag`, `tag` + 1 and so on. Returns with
 * time at the cycle of the last. The callback is called for what is done meanwhile, in order, but
 * later: after each 1,024 requests and at the end. `sent`, which may be null, is how many were
 * sent: all, or those before the one that has no memory (FRESCO_ERROR_ADDRESS) or comes too late
 * (FRESCO_ERROR_CYCLE). FRESCO_ERROR_ARGUMENT, for more requests than an array can have, too;
 * FRESCO_ERROR_STATE. */
int fresco_memory_send_all(fresco_memory *memory, const fresco_request *requests, size_t count,
                           uint32_t outstanding, uint64_t tag, size_t *sent);

/* Waits for all that is outstanding, and has the write buffers emptied. `end`, which may be null,
 * is the cycle in which the last data are over; time stands there, or later if it did before. The
 * callback is called then for all that was done meanwhile. What it sends is outstanding anew: who
 * has such a callback calls this until fresco_memory_outstanding is 0. FRESCO_ERROR_STATE. */
int fresco_memory_drain(fresco_memory *memory, uint64_t *end);

/* fresco_memory_send_all and fresco_memory_drain: all that `fresco memory` does with a trace, with
 * the same results. ends[i] is the cycle in which the ith request is done (fresco_done.at);
 * `ends`, with room for `count`, and `end` may be null. What was outstanding before is waited for
 * first. The callback is not called: of what was outstanding the host is never told. On failure the
 * requests before the wrong one have been sent and are done; other ends are left as they were.
 * FRESCO_ERROR_ADDRESS, FRESCO_ERROR_CYCLE, FRESCO_ERROR_ARGUMENT, FRESCO_ERROR_STATE. */
int fresco_memory_replay(fresco_memory *memory, const fresco_request *requests, size_t count,
                         uint32_t outstanding, uint64_t *ends, uint64_t *end);

/* What a channel counted: numbered through, those of the first node first; or FRESCO_ALL_CHANNELS.
 * FRESCO_ERROR_ARGUMENT. */
int fresco_memory_stats(fresco_memory *memory, uint32_t channel, fresco_stats *stats);

/* Counts from here on. */
int fresco_memory_reset_stats(fresco_memory *memory);

/* What the checker says of all commands so far. `text`, room for `text_size` bytes or null, gets
 * the findings for people, as `fresco memory --check` prints them, with the distances that were
 * demanded as the machine has them (`own_timing` of --json). FRESCO_ERROR_STATE: it was not
 * switched on. FRESCO_ERROR_ARGUMENT. */
int fresco_memory_check(fresco_memory *memory, fresco_verdict *verdict, char *text, size_t text_size);

#ifdef __cplusplus
}
#endif

#endif
