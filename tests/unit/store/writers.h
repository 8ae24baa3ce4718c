// Threads and processes that write to one store at once, and whether all of it arrived.
#pragma once

#include <chrono>
#include <memory>
#include <set>
#include <string>

#include <sys/types.h>

#include "store/address.h"
#include "store/open_options.h"
#include "store/store.h"

namespace reckon::store::testing {

// Waiting is right here and may be long under a sanitizer on a busy machine.
inline constexpr OpenOptions kPatient{.busy_timeout = std::chrono::minutes(2)};

// Events and sets, told apart by the writer's name.
void Write(Store& store, const std::string& writer);

// All that these writers have written, and nothing else, is there, in the order of each.
void ExpectNothingLost(const StoreAddress& address, const std::set<std::string>& writers);

// Another process that does the same to the store at `address`.
pid_t StartWriter(const StoreAddress& address, const std::string& writer);
void ExpectEndedWell(pid_t child);

// Four threads with connections of their own and two processes: nothing is lost. The store need not
// be there yet.
void WriteFromEverywhere(const StoreAddress& address);

}  // namespace reckon::store::testing
