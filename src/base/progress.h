// Progress of long work, reported by whoever does it and shown by whoever likes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace reckon::base {

// How far some work is that knows itself how long it will take.
struct ProgressState {
  std::string_view what;  // "training"
  double elapsed_s = 0;
  std::optional<double> share;        // done, 0 to 1; none: unknown
  std::optional<double> remaining_s;  // none: unknown
};

// Thread-safe: parallel work advances one Progress from every thread.
class Progress {
 public:
  virtual ~Progress() = default;
  // A new stretch of work of `total` steps (0: unknown), described in two or three words.
  virtual void Begin(std::string_view what, uint64_t total) = 0;
  virtual void Advance(uint64_t steps) = 0;
  // Instead of Begin and Advance; as often as one likes, until End.
  virtual void Tell(const ProgressState&) {}
  virtual void End() = 0;
};

class NoProgress final : public Progress {
 public:
  void Begin(std::string_view, uint64_t) override {}
  void Advance(uint64_t) override {}
  void End() override {}
};

}  // namespace reckon::base
