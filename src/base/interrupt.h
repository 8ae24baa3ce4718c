// Ctrl-C and SIGTERM as a stop token.
#pragma once

#include <stop_token>
#include <thread>

namespace reckon::base {

// While it lives, SIGINT and SIGTERM ask for a stop instead of killing; work then ends at its next
// safe point. A second signal ends the process at once: files and stores are left whole, since they
// change by rename and by transaction only. It is ignored where others than the user ask for the
// stop, and may do so twice. Make it before any other thread of ours, and one at a time.
class InterruptWatch {
 public:
  enum class Second { kEnds, kIgnored };
  explicit InterruptWatch(Second second = Second::kEnds);
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::jthread watcher_;
};

// While it lives, SIGHUP is noticed instead of killing. One at a time.
class HangUpWatch {
 public:
  HangUpWatch();
  ~HangUpWatch();
  HangUpWatch(const HangUpWatch&) = delete;
  HangUpWatch& operator=(const HangUpWatch&) = delete;

  // Whether one came since the last call.
  bool Take();
};

// SIGCHLD as programs expect it. A parent that ignores it hands that down, and then the kernel
// throws the ends of our children away: call it before any is started.
void ExpectChildren();

}  // namespace reckon::base
