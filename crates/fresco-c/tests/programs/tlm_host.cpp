// SPDX-License-Identifier: MIT OR Apache-2.0
// A SystemC host of the TLM-2.0 target.
// Usage: tlm_host MACHINE MODE [PICOSECONDS]   the last one: SystemC's time resolution
//        requests                         sends the requests of standard input, a line each (cycle, address, 1 for a write), by the four phases
//                                         of the base protocol, at most one a cycle; prints the picosecond in which each is done, and counts
//        data                             blocking: what is written is read again; prints the picosecond after each transaction
//        odd                              blocking, of opteron-6128: what covers two nodes, what is to be ignored, and a process that is killed
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

    void send_all()
    {
        uint64_t next = 0;
        payloads_.resize(requests.size());
        data_.resize(requests.size());
        ends.resize(requests.size());
        for (size_t i = 0; i < requests.size(); i++) {
            wait_until(std::max<uint64_t>(requests[i].cycle, next));
            payloads_[i].reset(new tlm::tlm_generic_payload());
            tlm::tlm_generic_payload &payload = *payloads_[i];
            payload.set_command(requests[i].is_write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
            payload.set_address(requests[i].address);
            payload.set_data_ptr(data_[i].data());
            payload.set_data_length(64);
            payload.set_streaming_width(64);
            places_[&payload] = i;
            tlm::tlm_phase phase = tlm::BEGIN_REQ;
            sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
            if (socket->nb_transport_fw(payload, phase, delay) != tlm::TLM_ACCEPTED)
                SC_REPORT_FATAL("host", "not accepted");
            sc_core::wait(taken_);
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
        killed_data_.fill(0xff);
        sc_core::wait(20, sc_core::SC_NS);
        killed_.kill();
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

    fresco::Memory &memory_;
    sc_core::sc_process_handle killed_;
    tlm::tlm_generic_payload killed_payload_;
    std::array<unsigned char, 256> killed_data_;
    sc_core::sc_event taken_;
    std::vector<std::unique_ptr<tlm::tlm_generic_payload>> payloads_;
    std::vector<std::array<unsigned char, 64>> data_;
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
