// One progress for pieces of work that run side by side and each report as if they were alone.
#pragma once

#include <atomic>
#include <string_view>

#include "base/progress.h"

namespace reckon::app {

// Shows `parts` pieces as one stretch. Ends with the object. Thread-safe.
class SharedProgress {
 public:
  SharedProgress(base::Progress& shown, std::string_view what, size_t parts);
  ~SharedProgress() { shown_.End(); }
  SharedProgress(const SharedProgress&) = delete;
  SharedProgress& operator=(const SharedProgress&) = delete;

  // The progress of one piece. Its stretches are expected to take less and less time: each fills
  // most of what those before have left, and the end of the object fills the rest.
  class Part final : public base::Progress {
   public:
    explicit Part(SharedProgress& whole) : whole_(whole) {}
    ~Part() override;
    void Begin(std::string_view what, uint64_t total) override;
    void Advance(uint64_t steps) override;
    void End() override;

   private:
    void Show(uint64_t units);

    SharedProgress& whole_;
    uint64_t total_ = 0;              // of the stretch
    uint64_t begin_ = 0;              // units shown before the stretch
    uint64_t room_ = 0;               // units that the stretch fills
    std::atomic<uint64_t> done_{0};   // steps of the stretch
    std::atomic<uint64_t> shown_{0};  // units
  };

 private:
  base::Progress& shown_;
};

}  // namespace reckon::app
