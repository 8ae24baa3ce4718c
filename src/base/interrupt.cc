#include "base/interrupt.h"

#include <string_view>

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

namespace reckon::base {
namespace {

sigset_t WatchedSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

}  // namespace

void ExpectChildren() { (void)signal(SIGCHLD, SIG_DFL); }

InterruptWatch::InterruptWatch(Second second) {
  const sigset_t signals = WatchedSignals();
  // Blocked here and so in every thread made later; only the watcher takes them.
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  watcher_ = std::jthread([this, second](const std::stop_token& end) {
    const sigset_t watched = WatchedSignals();
    while (!end.stop_requested()) {
      const timespec wait{0, 100'000'000};
      const int signal = sigtimedwait(&watched, nullptr, &wait);
      if (signal < 0 || end.stop_requested()) continue;
      if (source_.stop_requested() && second == Second::kEnds) _exit(128 + signal);
      source_.request_stop();
      if (second == Second::kIgnored) continue;
      constexpr std::string_view kMessage = "\nstopping; once more to stop at once\n";
      [[maybe_unused]] const ssize_t written =
          write(STDERR_FILENO, kMessage.data(), kMessage.size());
    }
  });
}

InterruptWatch::~InterruptWatch() {
  watcher_.request_stop();
  // Wakes the watcher, so that a short command does not wait for its next look.
  pthread_kill(watcher_.native_handle(), SIGTERM);
}

}  // namespace reckon::base
