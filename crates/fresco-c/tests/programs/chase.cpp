// SPDX-License-Identifier: MIT OR Apache-2.0
// A pointer chase: the callback of each read sends the next one, so that each arrives in the cycle in which the one before is done.
// Time is moved all the way at once. And two memories in two threads, each as if it were alone.
#include "fresco.h"

#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

struct Chase {
    fresco_memory *memory = nullptr;
    std::uint64_t next = 0;
    int left = 0;
    std::vector<std::uint64_t> ends;

    explicit Chase(const char *machine)
    {
        if (fresco_memory_new(machine, nullptr, nullptr, 0, &memory) != FRESCO_OK)
            std::exit(1);
        fresco_memory_on_done(memory, &Chase::done, this);
    }
    Chase(const Chase &) = delete;
    Chase &operator=(const Chase &) = delete;
    ~Chase() { fresco_memory_free(memory); }

    void send()
    {
        if (left-- > 0 && fresco_memory_send(memory, next, 0, 0) != FRESCO_OK)
            std::exit(1);
        next = (next * 5 + (1 << 20)) % (std::uint64_t(1) << 30);
    }

    static void done(void *user, const fresco_done *what)
    {
        Chase *self = static_cast<Chase *>(user);
        if (fresco_memory_now(self->memory) != what->at)
            std::exit(1);
        self->ends.push_back(what->at);
        self->send();
    }

    void run(int reads)
    {
        left = reads;
        send();
        fresco_memory_advance(memory, 1000000);
    }
};

} // namespace

int main(int, char **argv)
{
    Chase first(argv[1]), second(argv[1]), third(argv[1]);
    first.run(2000);
    std::thread one([&] { second.run(2000); }), other([&] { third.run(2000); });
    one.join();
    other.join();
    if (second.ends != first.ends || third.ends != first.ends || first.ends.size() != 2000)
        return 1;
    for (std::uint64_t end : first.ends)
        std::printf("%llu\n", static_cast<unsigned long long>(end));
    return 0;
}
