#include "base/interrupt.h"

#include <atomic>
#include <cerrno>
#include <string_view>

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace reckon::base {
namespace {

// Threads that libraries made before main have the signals unblocked, and the kernel gives them one
// before it waits for the watcher. They hand it on. One watch a process, so this may be global; by
// number and not by handle, since a signal may come while the watcher ends.
std::atomic<pid_t> the_watcher{0};

// Any thread may get it, and all that a handler reaches is global.
std::atomic<bool> the_hang_up{false};

void NoteHangUp(int /*signal*/) { the_hang_up = true; }

void HandOn(int signal) {
  const int error = errno;
  if (const pid_t watcher = the_watcher; watcher != 0) {
    syscall(SYS_tgkill, getpid(), watcher, signal);
  }
  errno = error;
}

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
    the_watcher = gettid();
    the_watcher.notify_one();
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
  the_watcher.wait(0);  // from now on signals can be handed to it
  // They stay when the watch ends: a signal that somebody still has to take must not kill then.
  struct sigaction hand_on {};
  hand_on.sa_handler = &HandOn;
  hand_on.sa_flags = SA_RESTART;
  sigaction(SIGINT, &hand_on, nullptr);
  sigaction(SIGTERM, &hand_on, nullptr);
}

InterruptWatch::~InterruptWatch() {
  the_watcher = 0;
  watcher_.request_stop();
  // Wakes the watcher, so that a short command does not wait for its next look.
  pthread_kill(watcher_.native_handle(), SIGTERM);
}

HangUpWatch::HangUpWatch() {
  the_hang_up = false;
  struct sigaction note {};
  note.sa_handler = &NoteHangUp;
  note.sa_flags = SA_RESTART;
  sigaction(SIGHUP, &note, nullptr);
}

HangUpWatch::~HangUpWatch() { (void)signal(SIGHUP, SIG_DFL); }

bool HangUpWatch::Take() { return the_hang_up.exchange(false); }

}  // namespace reckon::base
