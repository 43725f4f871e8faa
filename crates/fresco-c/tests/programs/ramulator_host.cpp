// SPDX-License-Identifier: MIT OR Apache-2.0
// Ramulator's program, with its own arguments; or, with a configuration alone, a host of a memory that asks it for what that program does not.
#include "Main.h"

#include "fresco_ramulator.h"

namespace {

using ramulator::Request;

void expect(bool holds, const char *what)
{
    if (!holds) {
        std::fprintf(stderr, "not so: %s\n", what);
        std::exit(1);
    }
}

template <class Call> std::string refused(const Call &call)
{
    try {
        call();
    } catch (const std::invalid_argument &error) {
        return error.what();
    }
    return "";
}

int ask(const char *name)
{
    ramulator::Config configs(name);
    fresco::RamulatorMemory own(configs);
    ramulator::MemoryBase &memory = own;
    std::printf("clock %.6f ns\n", memory.clk_ns());

    int back = 0;
    const auto count = [&back](Request &request) {
        back++;
        expect(request.depart == -1, "a write has no time at which it leaves");
    };
    for (bool yes : {false, true}) {
        own.CallBackWrites(yes);
        expect(memory.send(Request(64, Request::Type::WRITE, count)), "a write is taken");
        expect(memory.pending_requests() == 1, "it is under way");
        memory.tick();
        expect(memory.pending_requests() == 0, "a buffer has it");
        expect(back == (yes ? 1 : 0), "it is called back if that is wanted");
    }
    // A request without a callback, as a host may have it.
    Request none;
    none.addr = 128;
    none.type = Request::Type::READ;
    expect(memory.send(none), "a read is taken");
    while (memory.pending_requests() > 0)
        memory.tick();

    const long first = memory.page_allocator(0x12345, 0), again = memory.page_allocator(0x12fff, 0);
    expect((first & 4095) == 0x345 && again - first == 0xfff - 0x345, "a page has its place");
    expect(memory.page_allocator(0x12345, 1) >> 12 != first >> 12, "a page of another core has another place");

    std::printf("%s\n", refused([&memory] { memory.send(Request(0, Request::Type::REFRESH)); }).c_str());
    std::printf("%s\n", refused([&configs] { fresco::RamulatorMemory wrong(configs, "ddr9"); }).c_str());
    ramulator::Config translated;
    translated.add("translation", "Some");
    std::printf("%s\n", refused([&translated] { fresco::RamulatorMemory wrong(translated, "zcu102"); }).c_str());
    return 0;
}

} // namespace

int main(int argc, const char *argv[])
{
    return argc == 2 ? ask(argv[1]) : ramulator_main(argc, argv);
}
