// SPDX-License-Identifier: GPL-2.0-or-later
// Counts instructions, loads, stores and lines of code fetched of a part of a program under QEMU: what `fresco record` counts, by other means and sharing
// no code with it. scripts/programs-check compiles it.
// Arguments: out=FILE,skip=N,instructions=N. The part is made of whole blocks, as `fresco record` has it.
//
// QEMU reports an access of more than eight bytes in pieces: pieces of one execution of an instruction that lie one behind the other are
// one access. A line of 64 bytes of code is fetched when an instruction has a byte in another one than the last.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// QEMU's plugin interface, version 1, as far as it is used.
typedef uint64_t plugin_id;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
extern struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
extern void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, void (*)(plugin_id, struct qemu_plugin_tb *));
extern void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *, void (*)(unsigned, void *), int, void *);
extern void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *, void (*)(unsigned, uint32_t, uint64_t, void *), int, int, void *);
extern void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *, void (*)(unsigned, void *), int, void *);
extern uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);
extern size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *);
extern void qemu_plugin_register_atexit_cb(plugin_id, void (*)(plugin_id, void *), void *);
extern bool qemu_plugin_mem_is_store(uint32_t);
extern unsigned qemu_plugin_mem_size_shift(uint32_t);
__attribute__((visibility("default"))) int qemu_plugin_version = 1;

static const char *out;
static uint64_t skip, left = UINT64_MAX;
static bool counting;
static uint64_t instructions, loads, stores, fetches;
// The line of code that was fetched last.
static uint64_t line = UINT64_MAX;
// The instruction that accessed last since its block began, and for loads and stores where its last piece ended.
static void *last;
static uint64_t end[2];
static bool has[2];

static void tell(void)
{
    FILE *file = fopen(out, "w");
    if (file) {
        fprintf(file, "%llu %llu %llu %llu\n", (unsigned long long)instructions, (unsigned long long)loads, (unsigned long long)stores,
                (unsigned long long)fetches);
        fclose(file);
    }
}

static void block(unsigned cpu, void *count)
{
    (void)cpu;
    uint64_t n = (uint64_t)(uintptr_t)count;
    last = 0;
    if (left == 0) {
        tell();
        _Exit(0);
    }
    counting = skip == 0;
    if (!counting) {
        skip = skip > n ? skip - n : 0;
        return;
    }
    instructions += n;
    left = left > n ? left - n : 0;
}

static void access(unsigned cpu, uint32_t info, uint64_t address, void *instruction)
{
    (void)cpu;
    if (!counting)
        return;
    if (instruction != last)
        has[0] = has[1] = false;
    last = instruction;
    int store = qemu_plugin_mem_is_store(info);
    if (!has[store] || address != end[store])
        ++*(store ? &stores : &loads);
    has[store] = true;
    end[store] = address + (1ull << qemu_plugin_mem_size_shift(info));
}

static void executed(unsigned cpu, void *data)
{
    (void)cpu;
    const uint64_t *bytes = data;
    if (!counting)
        return;
    for (uint64_t at = bytes[0] / 64; at <= bytes[1] / 64; at++) {
        fetches += at != line;
        line = at;
    }
}

static void translated(plugin_id id, struct qemu_plugin_tb *tb)
{
    (void)id;
    size_t n = qemu_plugin_tb_n_insns(tb);
    qemu_plugin_register_vcpu_tb_exec_cb(tb, block, 0, (void *)(uintptr_t)n);
    for (size_t i = 0; i < n; i++) {
        struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(tb, i);
        // As long as the translation, which is to the end.
        uint64_t *bytes = malloc(2 * sizeof *bytes);
        if (!bytes)
            abort();
        bytes[0] = qemu_plugin_insn_vaddr(instruction);
        bytes[1] = bytes[0] + qemu_plugin_insn_size(instruction) - 1;
        qemu_plugin_register_vcpu_insn_exec_cb(instruction, executed, 0, bytes);
        // 3: loads and stores
        qemu_plugin_register_vcpu_mem_cb(instruction, access, 0, 3, (void *)(uintptr_t)(i + 1));
    }
}

static void over(plugin_id id, void *data)
{
    (void)id, (void)data;
    tell();
}

__attribute__((visibility("default"))) int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv)
{
    (void)info;
    for (int i = 0; i < argc; i++) {
        if (!strncmp(argv[i], "out=", 4))
            out = strdup(argv[i] + 4);
        else if (!strncmp(argv[i], "skip=", 5))
            skip = strtoull(argv[i] + 5, 0, 10);
        else if (!strncmp(argv[i], "instructions=", 13))
            left = strtoull(argv[i] + 13, 0, 10);
    }
    if (!out)
        return 1;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, over, 0);
    return 0;
}
