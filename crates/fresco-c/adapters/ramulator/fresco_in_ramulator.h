// SPDX-License-Identifier: MIT OR Apache-2.0
// Fresco's memory in Ramulator's program (version 1), which stays as it is: all its sources are compiled with this header before them (-include).
// What its Main.cpp takes for a memory of some standard is then one of Fresco's, of the machine that its configuration names: `machine = zcu102`.
//
// The standard that the configuration names, too, has controllers that serve nothing: what their statistics count stays 0.
#ifndef FRESCO_ADAPTER_IN_RAMULATOR_H
#define FRESCO_ADAPTER_IN_RAMULATOR_H

#include "fresco_ramulator.h"

namespace ramulator {

template <class T> class Memory<T, Controller> : public fresco::RamulatorMemory {
  public:
    // The controllers are the memory's own, and so is their standard, as Ramulator's program makes them.
    Memory(const Config &configs, const std::vector<Controller<T> *> &controllers)
        : fresco::RamulatorMemory(configs), controllers_(controllers)
    {
    }
    ~Memory()
    {
        T *standard = controllers_.empty() ? nullptr : controllers_[0]->channel->spec;
        for (Controller<T> *controller : controllers_)
            delete controller;
        delete standard;
    }

  private:
    std::vector<Controller<T> *> controllers_;
};

} // namespace ramulator

#endif
