// The contract of Store: what every implementation must do. The tests (contract_*_test.cc) are
// written against the interface alone; an implementation joins by instantiating the suite with a
// StoreMaker of its own.
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "store/store.h"
#include "tests/unit/store/support.h"

namespace reckon::store::testing {

// One place where stores live: each Open is a further connection to the same content.
class StorePlace {
 public:
  virtual ~StorePlace() = default;
  virtual std::unique_ptr<Store> Open(const base::Clock& clock) = 0;
};

struct StoreMaker {
  std::string technology;
  std::function<std::unique_ptr<StorePlace>()> make;  // a new, empty place

  // GoogleTest shows this instead of the bytes.
  friend void PrintTo(const StoreMaker& maker, std::ostream* out) { *out << maker.technology; }
};

class StoreContract : public ::testing::TestWithParam<StoreMaker> {
 protected:
  StoreContract() : place_(GetParam().make()), store_(place_->Open(clock_)) {}

  // As after a restart of the program.
  void Reopen() {
    store_.reset();
    store_ = place_->Open(clock_);
  }
  std::unique_ptr<Store> AnotherConnection() { return place_->Open(clock_); }

  base::Result<core::SampleSet> Add(const std::string& name, const core::Table& table,
                                    const std::string& fingerprint = "f") {
    return store_->AddSampleSet(name, fingerprint, table, {}, progress_);
  }

  FakeClock clock_;
  base::NoProgress progress_;
  std::unique_ptr<StorePlace> place_;
  std::unique_ptr<Store> store_;
};

}  // namespace reckon::store::testing
