// SPDX-License-Identifier: MIT OR Apache-2.0
// A SystemC TLM-2.0 target with Fresco's memory behind it: a module with one target socket, `socket`, for the base protocol, blocking and not.
// SystemC 2.3.2 or later, in the C++ that it was built for; link -lfresco -lsystemc.
//
// - Time is that of SystemC: a request arrives in the first cycle of the memory that begins at or after it does. Between cycles in which something
//   may be done nothing runs. Where SystemC's time resolution is coarser than a picosecond, what happens within a step of it happens at its end.
// - Non-blocking: END_REQ comes when the memory has taken the request, in whose queue there may be no place before; BEGIN_RESP when it is done: a
//   read's data are there, a write is in the write buffer. Requests are taken in the order in which they come; responses come as they are done, one at a time.
// - Blocking: returns when it is done, with a delay of zero. If its process is killed meanwhile, lines that were sent go on, and the payload is left alone.
// - A transaction may cover several lines, and regions of memory that follow each other: it is done when the last line is.
// - Data are kept in pages, as they are written; bytes that never were are zero. They are moved when the memory has taken the request (END_REQ), reads
//   and writes in this order, whichever is done first: requests that overlap have the effect of being executed one after the other as they came.
// - Debug accesses move what exists of their bytes, at once and without a trace: address, length and data count, no response is set. They see what
//   was written by requests that were taken.
// - No byte enables, no direct memory interface. Addresses without memory are TLM_ADDRESS_ERROR_RESPONSE. TLM_IGNORE_COMMAND is answered at once, and
//   nothing is read.
#ifndef FRESCO_ADAPTER_TLM_H
#define FRESCO_ADAPTER_TLM_H

#include "fresco.h"

#include <algorithm>
#include <array>
#include <cmath>
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
        // A power of ten, from a femtosecond on.
        const uint64_t step_fs = static_cast<uint64_t>(std::llround(sc_core::sc_get_time_resolution().to_seconds() * 1e15));
        step_ps_ = std::max<uint64_t>(step_fs / 1000, 1);
        steps_of_ps_ = std::max<uint64_t>(1000 / step_fs, 1);
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
    // A process that waits in b_transport.
    struct Blocked {
        sc_core::sc_event event;
        bool is_done;
    };
    // A transaction that has come and is not done.
    struct Under {
        tlm::tlm_generic_payload *payload; // null: given up by its process
        uint64_t arrival;                 // the cycle from which on it may be sent
        uint64_t next_line;               // the next one to send
        uint64_t end;                     // behind its last byte
        unsigned under_way;               // lines sent and not done
        Blocked *blocked;                 // of blocking ones
        std::list<Under>::iterator place; // its own, to be taken out by
    };
    typedef std::array<unsigned char, 4096> Page;

    static uint64_t up(uint64_t dividend, uint64_t divisor) { return dividend / divisor + (dividend % divisor != 0); }
    // Steps of SystemC's time that have passed, and the picosecond, rounded up.
    static uint64_t steps_now() { return sc_core::sc_time_stamp().value(); }
    uint64_t ps_now() const { return up(steps_now(), steps_of_ps_) * step_ps_; }
    // The memory's cycle that began last.
    uint64_t cycle_now() const
    {
        const uint64_t now = ps_now(), cycle = fresco_memory_ps_to_cycle(memory_.get(), now);
        return fresco_memory_cycle_to_ps(memory_.get(), cycle) > now ? cycle - 1 : cycle;
    }

    // Is it to be sent to the memory? If not, its response says why.
    bool is_to_be_sent(tlm::tlm_generic_payload &payload)
    {
        if (!payload.is_read() && !payload.is_write()) {
            payload.set_response_status(tlm::TLM_OK_RESPONSE);
            return false;
        }
        if (payload.get_byte_enable_ptr()) {
            payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
            return false;
        }
        if (payload.get_data_length() == 0 || payload.get_streaming_width() < payload.get_data_length()) {
            payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
            return false;
        }
        if (present(payload.get_address(), payload.get_data_length()) < payload.get_data_length()) {
            payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return false;
        }
        return true;
    }

    // So many of these bytes there are, from the first one on.
    uint64_t present(uint64_t first, uint64_t length) const
    {
        uint64_t base = 0, bytes = 0;
        for (uint32_t i = 0; i < info_.regions; i++) {
            fresco_memory_region(memory_.get(), i, &base, &bytes);
            if (first < base || first - base >= bytes)
                continue;
            const uint64_t here = bytes - (first - base);
            if (length <= here || first + here == 0)
                return std::min(length, here);
            // The rest may lie in the region that follows, of the next node.
            return here + present(first + here, length - here);
        }
        return 0;
    }

    void take(tlm::tlm_generic_payload &payload, Blocked *blocked)
    {
        const uint64_t line = payload.get_address() & ~(info_.line_bytes - 1);
        const uint64_t end = payload.get_address() + payload.get_data_length();
        const uint64_t arrival = fresco_memory_ps_to_cycle(memory_.get(), ps_now());
        under_.push_back({&payload, arrival, line, end, 0, blocked, under_.end()});
        under_.back().place = std::prev(under_.end());
        waiting_.push_back(&under_.back());
        wake_at(arrival);
    }

    void wake_at(uint64_t cycle)
    {
        const uint64_t at = up(fresco_memory_cycle_to_ps(memory_.get(), cycle), step_ps_) * steps_of_ps_, now = steps_now();
        // An earlier notification stands.
        wake_.notify(at > now ? sc_core::sc_time::from_value(at - now) : sc_core::SC_ZERO_TIME);
    }

    // What is due in this cycle; then sleep until something may be.
    void run()
    {
        const uint64_t cycle = cycle_now();
        fresco_memory_advance(memory_.get(), cycle);
        while (!waiting_.empty() && waiting_.front()->arrival <= cycle && send(*waiting_.front()))
            waiting_.pop_front();
        const bool has_to_come = !waiting_.empty() && waiting_.front()->arrival > cycle;
        // One that is not taken may wait for a place in a write buffer, with nothing outstanding.
        if (fresco_memory_outstanding(memory_.get()) > 0 || (!waiting_.empty() && !has_to_come))
            wake_at(std::max(fresco_memory_next_event(memory_.get()), cycle + 1));
        if (has_to_come)
            wake_at(waiting_.front()->arrival);
    }

    // Sends the lines of a transaction, and moves its data with the last; false if one is not taken now.
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
        move(*under.payload, under.payload->get_data_length());
        if (!under.blocked) {
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
        if (under->payload) {
            under->payload->set_response_status(tlm::TLM_OK_RESPONSE);
            if (under->blocked) {
                under->blocked->is_done = true;
                under->blocked->event.notify(sc_core::SC_ZERO_TIME);
            } else {
                self->respond(*under->payload);
            }
        }
        self->under_.erase(under->place);
    }

    // Its process is no more: what was not sent is not, and nothing of the process is used any longer.
    void give_up(Under &under)
    {
        under.payload = nullptr;
        under.end = std::min(under.end, under.next_line);
        waiting_.erase(std::remove(waiting_.begin(), waiting_.end(), &under), waiting_.end());
        if (under.under_way == 0)
            under_.erase(under.place);
    }

    void b_transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay)
    {
        sc_core::wait(delay);
        delay = sc_core::SC_ZERO_TIME;
        if (!is_to_be_sent(payload))
            return;
        Blocked blocked;
        blocked.is_done = false;
        take(payload, &blocked);
        // SystemC kills and resets a process by an exception out of its wait.
        struct Unwound {
            Memory &memory;
            Under &under;
            const Blocked &blocked;
            ~Unwound()
            {
                if (!blocked.is_done)
                    memory.give_up(under);
            }
        } unwound = {*this, under_.back(), blocked};
        sc_core::wait(blocked.event);
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
            if (is_to_be_sent(payload))
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

    // Moves the first bytes of a transaction, all of which exist.
    void move(const tlm::tlm_generic_payload &payload, uint64_t left)
    {
        uint64_t at = payload.get_address();
        unsigned char *data = payload.get_data_ptr();
        while (left > 0) {
            const uint64_t offset = at % Page().size(), part = std::min<uint64_t>(left, Page().size() - offset);
            const auto place = pages_.find(at / Page().size());
            Page *page = place == pages_.end() ? nullptr : place->second.get();
            if (payload.is_write()) {
                if (!page)
                    page = (pages_[at / Page().size()] = std::unique_ptr<Page>(new Page())).get();
                std::copy(data, data + part, page->begin() + offset);
            } else if (page) {
                std::copy(page->begin() + offset, page->begin() + offset + part, data);
            } else {
                std::fill_n(data, part, static_cast<unsigned char>(0));
            }
            at += part;
            data += part;
            left -= part;
        }
    }

    unsigned transport_dbg(tlm::tlm_generic_payload &payload)
    {
        if (!payload.is_read() && !payload.is_write())
            return 0;
        const uint64_t bytes = present(payload.get_address(), payload.get_data_length());
        move(payload, bytes);
        return static_cast<unsigned>(bytes);
    }

    tlm_utils::peq_with_cb_and_phase<Memory> arrivals_;
    std::unique_ptr<fresco_memory, void (*)(fresco_memory *)> memory_;
    fresco_info info_;
    // SystemC's time resolution is the one in picoseconds or the other to a picosecond; one of them is 1.
    uint64_t step_ps_, steps_of_ps_;
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
