// SPDX-License-Identifier: MIT OR Apache-2.0
// A memory of Ramulator (version 1) that is Fresco's, for hosts that have a ramulator::MemoryBase: Ramulator's processor with its caches and
// traces, and others. fresco_in_ramulator.h puts it into Ramulator's own program.
//
// Ramulator's sources are in the include path, for Memory.h. C++11. Link -lfresco.
//
// What is different from Ramulator's own memories:
// - A Fresco machine says what the memory is: the name of a built-in one, or a machine file. Of Ramulator's configuration the number of cores,
//   `translation` and `machine` count. A wrong machine is std::invalid_argument.
// - send takes a request while the queue of its controller has a place, as in Ramulator; how many there are the machine says. Requests are reads and
//   writes; others are std::invalid_argument.
// - A read is called back by the tick that moves time to the cycle in which its data are there. A write is not, unless CallBackWrites says so, and then
//   as soon as a write buffer has it: a core of Ramulator takes a write that is called back for the end of its reads of that line.
// - pending_requests counts reads that are not done and writes that no buffer has. A few writes may stay in the buffers, as the machine file says
//   (memory.controller.drain_low); watermarks that a host sets change nothing.
// - Addresses without memory wrap around, as Ramulator's do: they name the memory, all of it in order of address, modulo its size.
// - Statistics are of all channels together. Those with Ramulator's names count what Ramulator's do.
#ifndef FRESCO_ADAPTER_RAMULATOR_H
#define FRESCO_ADAPTER_RAMULATOR_H

#include "fresco.h"

#include "Memory.h"

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace fresco {

class RamulatorMemory : public ramulator::MemoryBase {
  public:
    // `machine` of the configuration is the machine.
    explicit RamulatorMemory(const ramulator::Config &configs) : RamulatorMemory(configs, configs["machine"]) {}

    RamulatorMemory(const ramulator::Config &configs, const std::string &machine) : memory_(nullptr, fresco_memory_free)
    {
        if (machine.empty())
            throw std::invalid_argument("machine: not found in Ramulator's configuration, allowed: the name of a machine, or of its file");
        const std::string translation = configs["translation"];
        if (translation != "" && translation != "None" && translation != "Random")
            throw std::invalid_argument("translation: found " + translation + ", allowed: None, Random");
        random_ = translation == "Random";

        char message[4096];
        fresco_memory *memory = nullptr;
        if (fresco_memory_new(machine.c_str(), nullptr, message, sizeof(message), &memory) != FRESCO_OK)
            throw std::invalid_argument(message);
        memory_.reset(memory);
        info_.size = sizeof(info_);
        fresco_memory_info(memory, &info_);
        for (uint32_t i = 0; i < info_.regions; i++) {
            Region region;
            fresco_memory_region(memory, i, &region.base, &region.bytes);
            regions_.push_back(region);
            bytes_ += region.bytes;
        }
        fresco_memory_on_done(memory, &RamulatorMemory::Done, this);

        Named(capacity_, "dram_capacity", "Number of bytes in simulated DRAM");
        Named(cycles_, "dram_cycles", "Number of DRAM cycles simulated");
        Named(active_, "ramulator_active_cycles", "Number of DRAM cycles that began with requests under way");
        Named(incoming_, "incoming_requests", "Number of incoming requests to DRAM");
        Named(latency_, "read_latency_sum", "Memory latency cycles, sum of all reads");
        Named(longest_, "read_latency_max", "Memory latency cycles, longest read");
        Named(dram_reads_, "dram_reads", "Reads that the DRAM served");
        Named(dram_writes_, "dram_writes", "Writes that the DRAM served");
        Named(forwarded_, "forwarded_reads", "Reads that the write buffer served");
        Named(merged_, "merged_writes", "Writes that replaced one in the write buffer");
        Named(hits_, "row_hits", "Number of row hits");
        Named(misses_, "row_misses", "Number of row misses");
        Named(conflicts_, "row_conflicts", "Number of row conflicts");
        Named(activates_, "activates", "Number of ACT commands");
        Named(refreshes_, "refreshes", "Number of refresh commands");
        average_.name("read_latency_avg").desc("Memory latency cycles, average of all reads").precision(6);
        const unsigned cores = static_cast<unsigned>(configs.get_core_num());
        reads_.init(cores).name("read_requests").desc("Number of incoming read requests to DRAM per core").precision(0);
        writes_.init(cores).name("write_requests").desc("Number of incoming write requests to DRAM per core").precision(0);
        reads_recorded_.init(cores).name("record_read_requests").desc("The same when the core reached its limit").precision(0);
        writes_recorded_.init(cores).name("record_write_requests").desc("The same when the core reached its limit").precision(0);
    }
    // The memory calls back by its address.
    RamulatorMemory(const RamulatorMemory &) = delete;
    RamulatorMemory &operator=(const RamulatorMemory &) = delete;

    // Nanoseconds.
    double clk_ns() { return info_.cycle_ps / 1000; }

    // One cycle of the memory's command clock.
    void tick()
    {
        Follow();
        ++cycles_;
        active_ += fresco_memory_outstanding(memory_.get()) > 0 ? 1 : 0;
        ticked_ = true;
        Check(fresco_memory_tick(memory_.get()));
    }

    // In the current cycle. False: it was not taken.
    bool send(ramulator::Request request)
    {
        const bool is_write = request.type == ramulator::Request::Type::WRITE;
        if (!is_write && request.type != ramulator::Request::Type::READ)
            throw std::invalid_argument("Fresco's memory takes reads and writes alone");
        Follow();
        if (free_.empty()) {
            free_.push_back(waiting_.size());
            waiting_.emplace_back();
        }
        const size_t name = free_.back();
        if (Check(fresco_memory_send(memory_.get(), Place(static_cast<uint64_t>(request.addr)), is_write, name)) == FRESCO_FULL)
            return false;
        free_.pop_back();
        ++incoming_;
        ++(is_write ? writes_ : reads_)[request.coreid];
        request.arrive = static_cast<long>(fresco_memory_now(memory_.get()));
        waiting_[name] = std::move(request);
        return true;
    }

    int pending_requests() { return static_cast<int>(fresco_memory_outstanding(memory_.get())); }

    // Before the host prints its statistics.
    void finish()
    {
        Follow();
        fresco_stats s;
        s.size = sizeof(s);
        fresco_memory_stats(memory_.get(), FRESCO_ALL_CHANNELS, &s);
        capacity_ = info_.capacity;
        dram_reads_ = s.reads;
        dram_writes_ = s.writes;
        forwarded_ = s.forwarded;
        merged_ = s.merged;
        hits_ = s.row_hits;
        misses_ = s.row_misses;
        conflicts_ = s.row_conflicts;
        activates_ = s.act;
        refreshes_ = s.ref_ab + s.ref_ab4 + s.ref_pb + s.ref_sb;
        average_ = done_ == 0 ? 0.0 : latency_.value() / static_cast<double>(done_);
    }

    // Pages of 4 KiB: as they are, or with translation = Random each at a random free place of its core's own, always the same.
    long page_allocator(long address, int core)
    {
        if (!random_)
            return address;
        const std::pair<int, long> page(core, address >> 12);
        std::map<std::pair<int, long>, uint64_t>::iterator found = frames_.find(page);
        if (found == frames_.end()) {
            const uint64_t frames = bytes_ >> 12;
            uint64_t frame = generator_() % frames;
            // When all are taken, some are shared, as in Ramulator.
            while (taken_.size() < frames && taken_.count(frame) != 0)
                frame = (frame + 1) % frames;
            taken_.insert(frame);
            found = frames_.insert(std::make_pair(page, At(frame << 12))).first;
        }
        return static_cast<long>(found->second) | (address & 4095);
    }

    void record_core(int core)
    {
        reads_recorded_[core] = reads_[core];
        writes_recorded_[core] = writes_[core];
    }

    void set_high_writeq_watermark(const float) {}
    void set_low_writeq_watermark(const float) {}

    // Of some versions of Ramulator. The machine's map has banks and channels by bits and hashes that the interface does not tell.
    int getBankID() { return 0; }
    unsigned get_channel_id(uint64_t) { return 0; }

    // Whether writes are called back: for hosts that count them.
    void CallBackWrites(bool yes) { call_back_writes_ = yes; }

    // For what Ramulator has no function of: events, the checker, latencies and their parts.
    fresco_memory *Fresco() const { return memory_.get(); }

  private:
    struct Region {
        uint64_t base, bytes;
    };

    template <class Stat> static void Named(Stat &stat, const char *name, const char *description)
    {
        stat.name(name).desc(description).precision(0);
    }

    int Check(int status) const
    {
        if (status < 0)
            throw std::runtime_error(fresco_memory_error(memory_.get()));
        return status;
    }

    // The address of a byte of the memory, all of it in order of address.
    uint64_t At(uint64_t offset) const
    {
        size_t i = 0;
        while (offset >= regions_[i].bytes)
            offset -= regions_[i++].bytes;
        return regions_[i].base + offset;
    }

    // The address of the memory that an address names.
    uint64_t Place(uint64_t address) const
    {
        for (const Region &region : regions_)
            if (address - region.base < region.bytes)
                return address;
        return At(address % bytes_);
    }

    // The host may have reset all statistics since the last call (Stats::reset_stats): the memory's counts begin anew with them.
    void Follow()
    {
        if (!ticked_ || cycles_.value() != 0)
            return;
        ticked_ = false;
        done_ = 0;
        fresco_memory_reset_stats(memory_.get());
    }

    static void Done(void *user, const fresco_done *done)
    {
        RamulatorMemory *self = static_cast<RamulatorMemory *>(user);
        const size_t name = static_cast<size_t>(done->tag);
        ramulator::Request request = std::move(self->waiting_[name]);
        self->free_.push_back(name);
        if (!done->is_write) {
            const double latency = static_cast<double>(done->at - done->arrived);
            self->done_++;
            self->latency_ += latency;
            if (latency > self->longest_.value())
                self->longest_ = latency;
            request.depart = static_cast<long>(done->at);
        }
        if (request.callback && (!done->is_write || self->call_back_writes_))
            request.callback(request);
    }

    std::unique_ptr<fresco_memory, void (*)(fresco_memory *)> memory_;
    fresco_info info_;
    std::vector<Region> regions_;
    uint64_t bytes_ = 0; // of all regions
    // Requests under way, by the names that the memory has for them, and names that are free.
    std::vector<ramulator::Request> waiting_;
    std::vector<size_t> free_;
    bool call_back_writes_ = false;
    bool ticked_ = false;
    uint64_t done_ = 0; // reads
    // Where pages are, and frames that have one.
    bool random_;
    std::mt19937_64 generator_;
    std::map<std::pair<int, long>, uint64_t> frames_;
    std::set<uint64_t> taken_;
    ramulator::ScalarStat capacity_, cycles_, active_, incoming_, latency_, longest_, average_, dram_reads_, dram_writes_, forwarded_,
        merged_, hits_, misses_, conflicts_, activates_, refreshes_;
    ramulator::VectorStat reads_, writes_, reads_recorded_, writes_recorded_;
};

} // namespace fresco

#endif
