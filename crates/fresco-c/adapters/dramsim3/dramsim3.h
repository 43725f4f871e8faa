// SPDX-License-Identifier: MIT OR Apache-2.0
// The interface of DRAMsim3 to its hosts, with Fresco's memory behind it: for gem5, SST and others that have a wrapper of DRAMsim3.
//
// Put this directory before DRAMsim3's in the host's include path, and link -lfresco instead of -ldramsim3. C++11.
//
// Sources that lie beside DRAMsim3's own headers, as those of its front end do, get this one by the compiler's -include: it has their guard.
//
// What is different:
// - The configuration is a Fresco machine: the name of a built-in one, or a machine file. A wrong one is std::invalid_argument; DRAMsim3 ends the process.
// - GetQueueSize is the number of requests that may be under way, in all channels: what the read queues of the machine's controllers hold.
//   While fewer are, a transaction is taken (hosts rely on that); one that finds no place in its queue waits for it inside, and is called back later.
//   DRAMsim3 asks the queue of the transaction's channel and direction.
// - A write is called back when a write buffer has taken it, as in DRAMsim3. Each read is served by itself; DRAMsim3 serves reads of an address that wait
//   at the same time by one of the DRAM.
// - What is done in a cycle is called back by the ClockTick that moves time to it, in the order in which it was sent. DRAMsim3 calls back one ClockTick
//   later, channel by channel.
// - Addresses without memory wrap around, as DRAMsim3's do: they name the memory, all of it in order of address, modulo its size. The first is told on
//   standard error. What is called back has its address as it was sent.
// - PrintStats writes fresco.txt into the output directory: counts of all channels together, a line each.
#ifndef FRESCO_ADAPTER_DRAMSIM3_H
#define FRESCO_ADAPTER_DRAMSIM3_H

// The guard of DRAMsim3's dramsim3.h and memory_system.h: what includes them later gets this header alone.
#ifdef __MEMORY_SYSTEM__H
#error "DRAMsim3's own dramsim3.h or memory_system.h was included before Fresco's: put Fresco's directory first in the include path, or name its header by -include"
#endif
#define __MEMORY_SYSTEM__H

#include "fresco.h"

#include <cstdint>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace dramsim3 {

class MemorySystem {
  public:
    typedef std::function<void(uint64_t)> Callback;

    MemorySystem(const std::string &config_file, const std::string &output_dir, Callback read_callback, Callback write_callback)
        : memory_(nullptr, fresco_memory_free), output_dir_(output_dir)
    {
        // How much the queues hold is known of a memory only.
        memory_ = Make(config_file, 0);
        info_.size = sizeof(info_);
        fresco_memory_info(memory_.get(), &info_);
        memory_ = Make(config_file, info_.read_places);
        for (uint32_t i = 0; i < info_.regions; i++) {
            Region region;
            fresco_memory_region(memory_.get(), i, &region.base, &region.bytes);
            regions_.push_back(region);
            bytes_ += region.bytes;
        }
        RegisterCallbacks(std::move(read_callback), std::move(write_callback));
        ResetStats();
    }
    // What is called back knows where the object lies.
    MemorySystem(MemorySystem &&other)
        : memory_(std::move(other.memory_)), output_dir_(std::move(other.output_dir_)), regions_(std::move(other.regions_)),
          info_(other.info_), bytes_(other.bytes_), wrapped_(other.wrapped_), since_(other.since_), reads_(other.reads_),
          writes_(other.writes_), read_latency_(other.read_latency_), longest_(other.longest_)
    {
        RegisterCallbacks(std::move(other.read_callback_), std::move(other.write_callback_));
    }
    MemorySystem(const MemorySystem &) = delete;
    MemorySystem &operator=(const MemorySystem &) = delete;

    // One cycle of the memory's command clock.
    void ClockTick()
    {
        Check(fresco_memory_tick(memory_.get()));
    }

    void RegisterCallbacks(Callback read_callback, Callback write_callback)
    {
        read_callback_ = std::move(read_callback);
        write_callback_ = std::move(write_callback);
        fresco_memory_on_done(memory_.get(), &MemorySystem::Done, this);
    }

    // Nanoseconds.
    double GetTCK() const { return info_.cycle_ps / 1000; }
    int GetBusBits() const { return static_cast<int>(info_.bus_bits); }
    // Transfers that move a transaction: of LPDDR and HBM more than the standard's burst, where a line takes several.
    int GetBurstLength() const { return static_cast<int>(info_.line_transfers); }
    int GetQueueSize() const { return static_cast<int>(info_.read_places); }

    bool WillAcceptTransaction(uint64_t hex_addr, bool is_write) const
    {
        return Check(fresco_memory_can_take(memory_.get(), Place(hex_addr), is_write)) == FRESCO_OK;
    }

    // In the current cycle. False: it was not accepted.
    bool AddTransaction(uint64_t hex_addr, bool is_write)
    {
        const uint64_t place = Place(hex_addr);
        if (place != hex_addr && !wrapped_) {
            wrapped_ = true;
            std::cerr << "Fresco: there is no memory at address 0x" << std::hex << hex_addr << std::dec
                      << ": it wraps around, and so do later ones" << std::endl;
        }
        // The address is the transaction's name, too.
        return Check(fresco_memory_send(memory_.get(), place, is_write, hex_addr)) == FRESCO_OK;
    }

    void PrintStats() const
    {
        const std::string path = (output_dir_.empty() ? std::string(".") : output_dir_) + "/fresco.txt";
        std::ofstream out(path.c_str());
        fresco_stats s;
        s.size = sizeof(s);
        fresco_memory_stats(memory_.get(), FRESCO_ALL_CHANNELS, &s);
        const uint64_t cycles = fresco_memory_now(memory_.get()) - since_;
        out << "cycles " << cycles << "\nnum_reads_done " << reads_ << "\nnum_writes_done " << writes_ << "\nread_latency_sum "
            << read_latency_ << "\nread_latency_max " << longest_ << "\ndram_reads " << s.reads << "\ndram_writes " << s.writes
            << "\nforwarded_reads " << s.forwarded << "\nmerged_writes " << s.merged << "\nrow_hits " << s.row_hits
            << "\nrow_misses " << s.row_misses << "\nrow_conflicts " << s.row_conflicts << "\ndata_cycles " << s.data_cycles
            << "\nrank_active_cycles " << s.rank_active_cycles << "\nact " << s.act << "\npre " << s.pre + s.prea << "\nrefresh "
            << s.ref_ab + s.ref_ab4 + s.ref_pb + s.ref_sb << "\n";
        out.flush();
        if (!out)
            std::cerr << path << ": cannot be written" << std::endl;
    }

    void ResetStats()
    {
        fresco_memory_reset_stats(memory_.get());
        since_ = fresco_memory_now(memory_.get());
        reads_ = writes_ = read_latency_ = longest_ = 0;
    }

    // For what DRAMsim3 has no function of: events, the checker, latencies and their parts.
    fresco_memory *Fresco() const { return memory_.get(); }

  private:
    typedef std::unique_ptr<fresco_memory, void (*)(fresco_memory *)> Handle;

    struct Region {
        uint64_t base, bytes;
    };

    static Handle Make(const std::string &machine, uint32_t outstanding)
    {
        fresco_options options = fresco_options();
        options.size = sizeof(options);
        options.outstanding = outstanding;
        char message[4096];
        fresco_memory *memory = nullptr;
        if (fresco_memory_new(machine.c_str(), &options, message, sizeof(message), &memory) != FRESCO_OK)
            throw std::invalid_argument(message);
        return Handle(memory, fresco_memory_free);
    }

    int Check(int status) const
    {
        if (status < 0)
            throw std::runtime_error(fresco_memory_error(memory_.get()));
        return status;
    }

    // The address of the memory that an address names.
    uint64_t Place(uint64_t address) const
    {
        for (const Region &region : regions_)
            if (address - region.base < region.bytes)
                return address;
        uint64_t offset = address % bytes_;
        for (const Region &region : regions_) {
            if (offset < region.bytes)
                return region.base + offset;
            offset -= region.bytes;
        }
        return address;
    }

    static void Done(void *user, const fresco_done *done)
    {
        MemorySystem *self = static_cast<MemorySystem *>(user);
        if (done->is_write) {
            self->writes_++;
            if (self->write_callback_)
                self->write_callback_(done->tag);
        } else {
            const uint64_t latency = done->at - done->arrived;
            self->reads_++;
            self->read_latency_ += latency;
            self->longest_ = latency > self->longest_ ? latency : self->longest_;
            if (self->read_callback_)
                self->read_callback_(done->tag);
        }
    }

    Handle memory_;
    std::string output_dir_;
    Callback read_callback_, write_callback_;
    std::vector<Region> regions_;
    fresco_info info_;
    uint64_t bytes_ = 0; // of all regions
    bool wrapped_ = false;
    uint64_t since_, reads_, writes_, read_latency_, longest_;
};

inline MemorySystem *GetMemorySystem(const std::string &config_file, const std::string &output_dir,
                                     MemorySystem::Callback read_callback, MemorySystem::Callback write_callback)
{
    return new MemorySystem(config_file, output_dir, std::move(read_callback), std::move(write_callback));
}

} // namespace dramsim3

#endif
