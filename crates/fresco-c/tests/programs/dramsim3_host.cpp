// SPDX-License-Identifier: MIT OR Apache-2.0
// A host of DRAMsim3's interface that uses it as gem5 and SST do: the memory is made by GetMemorySystem, its clock, queue and burst are asked for, a
// transaction is sent while fewer than the queue holds are outstanding, and then has to be accepted; the clock ticks once per cycle.
// Usage: dramsim3_host MACHINE OUTPUT_DIRECTORY < requests       (a line each: cycle, address, 1 for a write)
#include "dramsim3.h"

#include <cstdio>
#include <deque>
#include <map>
#include <vector>

namespace {

struct Request {
    unsigned long long cycle, address, is_write;
};

std::vector<unsigned long long> ends;
unsigned long long now, outstanding;
// Transactions to an address are taken to be done in order: the interface has no names for them.
std::map<uint64_t, std::deque<size_t>> reads, writes;

void done(std::map<uint64_t, std::deque<size_t>> &pending, uint64_t address)
{
    std::deque<size_t> &queue = pending.at(address);
    ends[queue.front()] = now;
    queue.pop_front();
    outstanding--;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    std::vector<Request> requests;
    Request request;
    while (std::scanf("%llu %llu %llu", &request.cycle, &request.address, &request.is_write) == 3)
        requests.push_back(request);
    ends.resize(requests.size());

    std::unique_ptr<dramsim3::MemorySystem> memory;
    try {
        memory.reset(dramsim3::GetMemorySystem(
            argv[1], argv[2], [](uint64_t address) { done(reads, address); }, [](uint64_t address) { done(writes, address); }));
    } catch (const std::invalid_argument &error) {
        std::printf("%s\n", error.what());
        return 3;
    }
    std::printf("clock %.6f ns, queue %d, burst %d bytes\n", memory->GetTCK(), memory->GetQueueSize(),
                memory->GetBusBits() * memory->GetBurstLength() / 8);
    size_t next = 0;
    while (next < requests.size() || outstanding > 0) {
        if (next < requests.size() && requests[next].cycle <= now &&
            outstanding < static_cast<unsigned long long>(memory->GetQueueSize())) {
            const Request &r = requests[next];
            if (!memory->WillAcceptTransaction(r.address, r.is_write) || !memory->AddTransaction(r.address, r.is_write))
                return 1;
            (r.is_write ? writes : reads)[r.address].push_back(next++);
            outstanding++;
        }
        // Callbacks are of the cycle that begins.
        now++;
        memory->ClockTick();
    }
    for (unsigned long long end : ends)
        std::printf("%llu\n", end);
    memory->PrintStats();
    memory->ResetStats();
    // An object that has moved is called back, and by the address that was sent, though there is no memory.
    dramsim3::MemorySystem moved(std::move(*memory));
    ends.resize(1);
    reads[UINT64_MAX].push_back(0);
    outstanding = 1;
    if (!moved.WillAcceptTransaction(UINT64_MAX, false) || !moved.AddTransaction(UINT64_MAX, false))
        return 1;
    for (int tick = 0; outstanding > 0; tick++, moved.ClockTick())
        if (tick == 1000000)
            return 1;
    return 0;
}
