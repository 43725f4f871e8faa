// SPDX-License-Identifier: MIT OR Apache-2.0
// A SystemC host of the TLM-2.0 target.
// Usage: tlm_host MACHINE MODE [PICOSECONDS]   the last one: SystemC's time resolution
//        requests                         sends the requests of standard input, a line each (cycle, address, 1 for a write), by the four phases
//                                         of the base protocol, at most one a cycle; prints the picosecond in which each is done, and counts
//        data                             blocking: what is written is read again; prints the picosecond after each transaction
//        odd                              blocking, of opteron-6128: what covers two nodes, what is to be ignored, and a process that is killed
//        overlap                          reads and writes of the same bytes that are under way together, blocking and by phases: prints how many reads
//                                         saw what they should, and how many did not
//        debug                            transport_dbg, of ddr4-2400-bench; prints the bytes moved by each
#include "fresco_tlm.h"

#include <cstdio>
#include <cstdlib>
#include <tlm_utils/simple_initiator_socket.h>

namespace {

struct Request {
    unsigned long long cycle, address, is_write;
};

uint64_t now_ps()
{
    return static_cast<uint64_t>(sc_core::sc_time_stamp().to_seconds() * 1e12 + 0.5);
}

class Host : public sc_core::sc_module {
  public:
    SC_HAS_PROCESS(Host);
    tlm_utils::simple_initiator_socket<Host> socket;
    std::vector<Request> requests;
    std::vector<uint64_t> ends;

    Host(sc_core::sc_module_name name, fresco::Memory &memory, const std::string &mode) : sc_core::sc_module(name), socket("socket"), memory_(memory)
    {
        socket.register_nb_transport_bw(this, &Host::nb_transport_bw);
        if (mode == "data") {
            SC_THREAD(move_data);
        } else if (mode == "odd") {
            SC_THREAD(be_killed);
            SC_THREAD(be_odd);
        } else if (mode == "overlap") {
            SC_THREAD(read_early);
            SC_THREAD(write_late);
            SC_THREAD(send_overlapping);
        } else if (mode == "debug") {
            SC_THREAD(debug);
        } else {
            SC_THREAD(send_all);
        }
    }

  private:
    void wait_until(uint64_t cycle)
    {
        const uint64_t at = fresco_memory_cycle_to_ps(memory_.handle(), cycle);
        if (at > now_ps())
            sc_core::wait(sc_core::sc_time(static_cast<double>(at - now_ps()), sc_core::SC_PS));
    }

    // The `i`th request, by phases; returns when it is taken.
    void send(size_t i, uint64_t address, unsigned length, bool is_write)
    {
        payloads_[i].reset(new tlm::tlm_generic_payload());
        tlm::tlm_generic_payload &payload = *payloads_[i];
        payload.set_command(is_write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
        payload.set_address(address);
        payload.set_data_ptr(data_[i].data());
        payload.set_data_length(length);
        payload.set_streaming_width(length);
        places_[&payload] = i;
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        if (socket->nb_transport_fw(payload, phase, delay) != tlm::TLM_ACCEPTED)
            SC_REPORT_FATAL("host", "not accepted");
        sc_core::wait(taken_);
    }

    void send_all()
    {
        uint64_t next = 0;
        payloads_.resize(requests.size());
        data_.resize(requests.size());
        ends.resize(requests.size());
        for (size_t i = 0; i < requests.size(); i++) {
            wait_until(std::max<uint64_t>(requests[i].cycle, next));
            send(i, requests[i].address, 64, requests[i].is_write != 0);
            next = fresco_memory_ps_to_cycle(memory_.handle(), now_ps()) + 1;
        }
    }

    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &)
    {
        if (phase == tlm::END_REQ) {
            taken_.notify(sc_core::SC_ZERO_TIME);
            return tlm::TLM_ACCEPTED;
        }
        if (phase != tlm::BEGIN_RESP || !payload.is_response_ok())
            SC_REPORT_FATAL("host", "a response that is none");
        ends[places_[&payload]] = now_ps();
        return tlm::TLM_COMPLETED;
    }

    void transport(tlm::tlm_command command, uint64_t address, std::vector<unsigned char> &bytes, tlm::tlm_response_status wanted)
    {
        tlm::tlm_generic_payload payload;
        sc_core::sc_time delay(3, sc_core::SC_NS);
        payload.set_command(command);
        payload.set_address(address);
        payload.set_data_ptr(bytes.data());
        payload.set_data_length(static_cast<unsigned>(bytes.size()));
        payload.set_streaming_width(static_cast<unsigned>(bytes.size()));
        socket->b_transport(payload, delay);
        if (payload.get_response_status() != wanted || delay != sc_core::SC_ZERO_TIME)
            SC_REPORT_FATAL("host", payload.get_response_string().c_str());
        std::printf("%llu\n", static_cast<unsigned long long>(now_ps()));
    }

    void move_data()
    {
        // A byte, a line, what covers four lines and two pages, and more than write buffers hold.
        const uint64_t addresses[] = {0x12345, 0x40000, 0x7ffull * 4096 + 4000, 0x1000000};
        const size_t lengths[] = {1, 64, 180, 4096};
        for (size_t k = 0; k < 4; k++) {
            const uint64_t address = addresses[k];
            const size_t length = lengths[k];
            std::vector<unsigned char> written(length), read(length, 0xff), zero(length);
            for (size_t i = 0; i < length; i++)
                written[i] = static_cast<unsigned char>(i * 7 + 1);
            transport(tlm::TLM_READ_COMMAND, address, read, tlm::TLM_OK_RESPONSE);
            if (read != zero)
                SC_REPORT_FATAL("host", "not zero");
            transport(tlm::TLM_WRITE_COMMAND, address, written, tlm::TLM_OK_RESPONSE);
            transport(tlm::TLM_READ_COMMAND, address, read, tlm::TLM_OK_RESPONSE);
            if (read != written)
                SC_REPORT_FATAL("host", "not what was written");
        }
        std::vector<unsigned char> beyond(64);
        transport(tlm::TLM_READ_COMMAND, 1ull << 34, beyond, tlm::TLM_ADDRESS_ERROR_RESPONSE);
        transport(tlm::TLM_READ_COMMAND, (1ull << 34) - 32, beyond, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    }

    // The victim reads four lines, of which some are under way when it is killed.
    void be_killed()
    {
        killed_ = sc_core::sc_get_current_process_handle();
        sc_core::sc_time delay(1, sc_core::SC_NS);
        killed_payload_.set_command(tlm::TLM_READ_COMMAND);
        killed_payload_.set_address(0);
        killed_payload_.set_data_ptr(killed_data_.data());
        killed_payload_.set_data_length(256);
        killed_payload_.set_streaming_width(256);
        socket->b_transport(killed_payload_, delay);
        SC_REPORT_FATAL("host", "it was to be killed");
    }

    void be_odd()
    {
        sc_core::wait(20, sc_core::SC_NS);
        killed_.kill();
        // The data that it had so far are its own; they may be gone now.
        killed_data_.fill(0xff);
        sc_core::wait(980, sc_core::SC_NS);
        if (std::count(killed_data_.begin(), killed_data_.end(), 0xff) != 256 || fresco_memory_outstanding(memory_.handle()) != 0)
            SC_REPORT_FATAL("host", "the data of a process that is no more");
        std::vector<unsigned char> line(64);
        transport(tlm::TLM_READ_COMMAND, 0xffffffe0, line, tlm::TLM_OK_RESPONSE);
        transport(tlm::TLM_IGNORE_COMMAND, 0, line, tlm::TLM_OK_RESPONSE);
        fresco_stats s;
        s.size = sizeof(s);
        fresco_memory_stats(memory_.handle(), FRESCO_ALL_CHANNELS, &s);
        std::printf("%d\n", static_cast<int>(s.reads));
    }

    // A read that opens its row, and a write of the same line 3 ns later, which is in the write buffer long before the read is done.
    void read_early()
    {
        std::vector<unsigned char> line(64, 0xff);
        transport(tlm::TLM_READ_COMMAND, 0x800000, line, tlm::TLM_OK_RESPONSE);
        if (std::count(line.begin(), line.end(), 0) != 64)
            SC_REPORT_FATAL("host", "an older read saw a younger write");
    }

    void write_late()
    {
        std::vector<unsigned char> line(64, 0x5a);
        sc_core::wait(3, sc_core::SC_NS);
        transport(tlm::TLM_WRITE_COMMAND, 0x800000, line, tlm::TLM_OK_RESPONSE);
    }

    // Parts of eight lines of four rows, up to three lines at once, each third one written, as fast as they are taken.
    void send_overlapping()
    {
        const size_t count = 3000;
        payloads_.resize(count);
        data_.resize(count);
        ends.resize(count);
        std::vector<std::vector<unsigned char>> expected(count);
        std::vector<unsigned char> bytes(8 * 64);
        uint32_t random = 1;
        for (size_t i = 0; i < count; i++) {
            random = random * 1664525 + 1013904223;
            const unsigned first = (random >> 8) % 384, length = 1 + (random >> 18) % 128;
            const bool is_write = (random >> 26) % 3 == 0;
            data_[i].fill(static_cast<unsigned char>(i));
            if (is_write)
                std::fill_n(bytes.begin() + first, length, static_cast<unsigned char>(i));
            else
                expected[i].assign(bytes.begin() + first, bytes.begin() + first + length);
            send(i, first, length, is_write);
        }
        sc_core::wait(1, sc_core::SC_MS);
        int right = 0, wrong = 0;
        for (size_t i = 0; i < count; i++) {
            const bool same = std::equal(expected[i].begin(), expected[i].end(), data_[i].begin());
            if (!expected[i].empty())
                same ? right++ : wrong++;
        }
        std::printf("right %d wrong %d\n", right, wrong);
        ends.clear();
    }

    // A payload as constructors leave it: no streaming width, and byte enables that are not to be looked at.
    void peek(tlm::tlm_command command, uint64_t address, std::vector<unsigned char> &bytes)
    {
        tlm::tlm_generic_payload payload;
        unsigned char enable = TLM_BYTE_DISABLED;
        payload.set_command(command);
        payload.set_address(address);
        payload.set_data_ptr(bytes.data());
        payload.set_data_length(static_cast<unsigned>(bytes.size()));
        payload.set_byte_enable_ptr(&enable);
        payload.set_byte_enable_length(1);
        std::printf("%u\n", socket->transport_dbg(payload));
        if (payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE)
            SC_REPORT_FATAL("host", "a debug access has a response");
    }

    void debug()
    {
        std::vector<unsigned char> written(200), read(200, 0xff), end(64, 0xff), none;
        for (size_t i = 0; i < written.size(); i++)
            written[i] = static_cast<unsigned char>(i);
        peek(tlm::TLM_WRITE_COMMAND, 4000, written);
        peek(tlm::TLM_READ_COMMAND, 4000, read);
        if (read != written)
            SC_REPORT_FATAL("host", "not what was written");
        // Half of it lies behind the last byte; all of it; none is asked for; neither read nor written.
        peek(tlm::TLM_READ_COMMAND, (1ull << 34) - 32, end);
        if (std::count(end.begin(), end.begin() + 32, 0) != 32 || std::count(end.begin() + 32, end.end(), 0xff) != 32)
            SC_REPORT_FATAL("host", "not the bytes that exist");
        peek(tlm::TLM_WRITE_COMMAND, 1ull << 34, end);
        peek(tlm::TLM_READ_COMMAND, 0, none);
        peek(tlm::TLM_IGNORE_COMMAND, 0, end);
        // Ordinary transactions see it, too, and no time passed.
        std::vector<unsigned char> line(64);
        transport(tlm::TLM_READ_COMMAND, 4000, line, tlm::TLM_OK_RESPONSE);
        if (!std::equal(line.begin(), line.end(), written.begin()))
            SC_REPORT_FATAL("host", "debug and ordinary accesses differ");
    }

    fresco::Memory &memory_;
    sc_core::sc_process_handle killed_;
    tlm::tlm_generic_payload killed_payload_;
    std::array<unsigned char, 256> killed_data_;
    sc_core::sc_event taken_;
    std::vector<std::unique_ptr<tlm::tlm_generic_payload>> payloads_;
    std::vector<std::array<unsigned char, 128>> data_;
    std::unordered_map<tlm::tlm_generic_payload *, size_t> places_;
};

} // namespace

int sc_main(int argc, char **argv)
{
    if (argc != 3 && argc != 4)
        return 2;
    if (argc == 4)
        sc_core::sc_set_time_resolution(std::atof(argv[3]), sc_core::SC_PS);
    fresco::Memory memory("memory", argv[1]);
    Host host("host", memory, argv[2]);
    host.socket.bind(memory.socket);
    Request request;
    while (std::scanf("%llu %llu %llu", &request.cycle, &request.address, &request.is_write) == 3)
        host.requests.push_back(request);
    sc_core::sc_start();
    for (uint64_t end : host.ends)
        std::printf("%llu\n", static_cast<unsigned long long>(end));
    fresco_stats s;
    s.size = sizeof(s);
    fresco_memory_stats(memory.handle(), FRESCO_ALL_CHANNELS, &s);
    if (!host.requests.empty())
        std::printf("%llu %llu %llu %llu\n", static_cast<unsigned long long>(s.reads), static_cast<unsigned long long>(s.writes),
                    static_cast<unsigned long long>(s.row_hits), static_cast<unsigned long long>(s.act));
    return 0;
}
