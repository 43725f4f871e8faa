// SPDX-License-Identifier: MIT OR Apache-2.0
// A SystemC TLM-2.0 target with Fresco's memory behind it: a module with one target socket, `socket`, for the base protocol, blocking and not.
// SystemC 2.3.2 or later, in the C++ that it was built for; link -lfresco -lsystemc.
//
// - Time is that of SystemC: a request arrives in the first cycle of the memory that begins at or after it does. Between cycles in which something
//   may be done nothing runs.
// - Non-blocking: END_REQ comes when the memory has taken the request, in whose queue there may be no place before; BEGIN_RESP when it is done: a
//   read's data are there, a write is in the write buffer. Requests are taken in the order in which they come; responses come as they are done, one at a time.
// - Blocking: returns when it is done, with a delay of zero.
// - A transaction may cover several lines: it is done when the last one is.
// - Data are kept in pages, as they are written; bytes that never were are zero. Reads see them as they are when their lines are done.
// - No byte enables, no direct memory interface. Addresses without memory are TLM_ADDRESS_ERROR_RESPONSE.
#ifndef FRESCO_ADAPTER_TLM_H
#define FRESCO_ADAPTER_TLM_H

#include "fresco.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <stdexcept>
#include <string>
#include <systemc>
#include <tlm>
#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_target_socket.h>
#include <unordered_map>
#include <vector>

namespace fresco {

class Memory : public sc_core::sc_module {
  public:
    SC_HAS_PROCESS(Memory);
    tlm_utils::simple_target_socket<Memory> socket;

    // machine: a built-in machine's name, or the path of a machine file. settings: "key=value" strings, as fresco_options has them.
    // Throws std::invalid_argument if the machine is wrong.
    Memory(sc_core::sc_module_name name, const std::string &machine, const std::vector<const char *> &settings = {}, uint32_t flags = 0)
        : sc_core::sc_module(name), socket("socket"), arrivals_(this, &Memory::phase_came), memory_(nullptr, fresco_memory_free)
    {
        fresco_options options = fresco_options();
        options.size = sizeof(options);
        options.flags = flags;
        options.settings = settings.data();
        options.settings_count = settings.size();
        char message[4096];
        fresco_memory *made = nullptr;
        if (fresco_memory_new(machine.c_str(), &options, message, sizeof(message), &made) != FRESCO_OK)
            throw std::invalid_argument(message);
        memory_.reset(made);
        fresco_memory_on_done(made, &Memory::line_done, this);
        info_.size = sizeof(info_);
        fresco_memory_info(made, &info_);
        socket.register_b_transport(this, &Memory::b_transport);
        socket.register_nb_transport_fw(this, &Memory::nb_transport_fw);
        socket.register_transport_dbg(this, &Memory::transport_dbg);
        SC_METHOD(run);
        sensitive << wake_;
        dont_initialize();
    }

    // For statistics and the checker.
    fresco_memory *handle() const { return memory_.get(); }

  private:
    // A transaction that has come and is not done.
    struct Under {
        tlm::tlm_generic_payload *payload;
        uint64_t arrival;                 // the cycle from which on it may be sent
        uint64_t next_line;               // the next one to send
        uint64_t end;                     // behind its last byte
        unsigned under_way;               // lines sent and not done
        sc_core::sc_event *done;          // of blocking ones
        std::list<Under>::iterator place; // its own, to be taken out by
    };
    typedef std::array<unsigned char, 4096> Page;

    static uint64_t ps(const sc_core::sc_time &time) { return static_cast<uint64_t>(time / sc_core::sc_time(1, sc_core::SC_PS) + 0.5); }
    static sc_core::sc_time time_of(uint64_t ps) { return sc_core::sc_time(static_cast<double>(ps), sc_core::SC_PS); }

    // Is there memory at all its bytes, and can it be served? If not, its response says so.
    bool is_sound(tlm::tlm_generic_payload &payload)
    {
        if (payload.get_byte_enable_ptr()) {
            payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
            return false;
        }
        if (payload.get_data_length() == 0 || payload.get_streaming_width() < payload.get_data_length()) {
            payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
            return false;
        }
        const uint64_t first = payload.get_address(), last = first + payload.get_data_length() - 1;
        for (uint32_t i = 0; i < info_.regions; i++) {
            uint64_t base = 0, bytes = 0;
            fresco_memory_region(memory_.get(), i, &base, &bytes);
            if (first >= base && last >= first && last - base < bytes)
                return true;
        }
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return false;
    }

    void take(tlm::tlm_generic_payload &payload, sc_core::sc_event *done)
    {
        const uint64_t now = ps(sc_core::sc_time_stamp());
        const uint64_t line = payload.get_address() & ~(info_.line_bytes - 1);
        const uint64_t end = payload.get_address() + payload.get_data_length();
        const uint64_t arrival = fresco_memory_ps_to_cycle(memory_.get(), now);
        under_.push_back({&payload, arrival, line, end, 0, done, under_.end()});
        under_.back().place = std::prev(under_.end());
        waiting_.push_back(&under_.back());
        wake_at(arrival);
    }

    void wake_at(uint64_t cycle)
    {
        const uint64_t at = fresco_memory_cycle_to_ps(memory_.get(), cycle), now = ps(sc_core::sc_time_stamp());
        // An earlier notification stands.
        wake_.notify(at > now ? time_of(at - now) : sc_core::SC_ZERO_TIME);
    }

    // What is due in this cycle; then sleep until something may be.
    void run()
    {
        const uint64_t now = ps(sc_core::sc_time_stamp()), cycle = fresco_memory_ps_to_cycle(memory_.get(), now);
        if (fresco_memory_cycle_to_ps(memory_.get(), cycle) > now)
            return wake_at(cycle);
        fresco_memory_advance(memory_.get(), cycle);
        while (!waiting_.empty() && waiting_.front()->arrival <= cycle && send(*waiting_.front()))
            waiting_.pop_front();
        if (fresco_memory_outstanding(memory_.get()) > 0)
            wake_at(std::max(fresco_memory_next_event(memory_.get()), cycle + 1));
        if (!waiting_.empty() && waiting_.front()->arrival > cycle)
            wake_at(waiting_.front()->arrival);
    }

    // Sends the lines of a transaction; false if one is not taken now.
    bool send(Under &under)
    {
        while (under.next_line < under.end) {
            const int is_write = under.payload->is_write();
            const uint64_t tag = reinterpret_cast<uintptr_t>(&under);
            if (fresco_memory_send(memory_.get(), under.next_line, is_write, tag) != FRESCO_OK)
                return false;
            under.under_way++;
            under.next_line += info_.line_bytes;
        }
        if (!under.done) {
            tlm::tlm_phase phase = tlm::END_REQ;
            sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
            socket->nb_transport_bw(*under.payload, phase, delay);
        }
        return true;
    }

    static void line_done(void *user, const fresco_done *done)
    {
        Memory *self = static_cast<Memory *>(user);
        Under *under = reinterpret_cast<Under *>(static_cast<uintptr_t>(done->tag));
        if (--under->under_way > 0 || under->next_line < under->end)
            return;
        self->move(*under->payload);
        under->payload->set_response_status(tlm::TLM_OK_RESPONSE);
        if (under->done)
            under->done->notify(sc_core::SC_ZERO_TIME);
        else
            self->respond(*under->payload);
        self->under_.erase(under->place);
    }

    void b_transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay)
    {
        sc_core::wait(delay);
        delay = sc_core::SC_ZERO_TIME;
        if (!is_sound(payload))
            return;
        sc_core::sc_event done;
        take(payload, &done);
        sc_core::wait(done);
    }

    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay)
    {
        if (phase == tlm::BEGIN_REQ && payload.has_mm())
            payload.acquire();
        arrivals_.notify(payload, phase, delay);
        return tlm::TLM_ACCEPTED;
    }

    void phase_came(tlm::tlm_generic_payload &payload, const tlm::tlm_phase &phase)
    {
        if (phase == tlm::BEGIN_REQ) {
            if (is_sound(payload))
                return take(payload, nullptr);
            // BEGIN_RESP says END_REQ, too.
            respond(payload);
        } else if (phase == tlm::END_RESP) {
            responding_ = false;
            if (payload.has_mm())
                payload.release();
            next_response();
        }
    }

    // One response at a time may be under way on a socket.
    void respond(tlm::tlm_generic_payload &payload)
    {
        responses_.push_back(&payload);
        next_response();
    }

    void next_response()
    {
        if (responding_ || responses_.empty())
            return;
        tlm::tlm_generic_payload *payload = responses_.front();
        responses_.pop_front();
        responding_ = true;
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        const tlm::tlm_sync_enum answer = socket->nb_transport_bw(*payload, phase, delay);
        if (answer == tlm::TLM_COMPLETED || (answer == tlm::TLM_UPDATED && phase == tlm::END_RESP)) {
            tlm::tlm_phase end = tlm::END_RESP;
            arrivals_.notify(*payload, end, delay);
        }
    }

    // Moves the bytes of a transaction.
    void move(tlm::tlm_generic_payload &payload)
    {
        uint64_t at = payload.get_address();
        unsigned char *data = payload.get_data_ptr();
        for (uint64_t left = payload.get_data_length(); left > 0;) {
            const uint64_t offset = at % Page().size(), part = std::min<uint64_t>(left, Page().size() - offset);
            std::unique_ptr<Page> &page = pages_[at / Page().size()];
            if (!page)
                page.reset(new Page());
            if (payload.is_write())
                std::copy(data, data + part, page->begin() + offset);
            else if (payload.is_read())
                std::copy(page->begin() + offset, page->begin() + offset + part, data);
            at += part;
            data += part;
            left -= part;
        }
    }

    unsigned transport_dbg(tlm::tlm_generic_payload &payload)
    {
        if (!is_sound(payload))
            return 0;
        move(payload);
        return payload.get_data_length();
    }

    tlm_utils::peq_with_cb_and_phase<Memory> arrivals_;
    std::unique_ptr<fresco_memory, void (*)(fresco_memory *)> memory_;
    fresco_info info_;
    sc_core::sc_event wake_;
    std::list<Under> under_;
    // Those that are not sent in full, in the order in which they came.
    std::deque<Under *> waiting_;
    std::deque<tlm::tlm_generic_payload *> responses_;
    bool responding_ = false;
    std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
};

} // namespace fresco

#endif
