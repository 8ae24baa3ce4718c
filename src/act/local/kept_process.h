// A process of a run as its supervisor holds it: through a keeper.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <vector>

#include <sys/types.h>

#include "act/local/keep_order.h"
#include "act/local/line_channel.h"
#include "base/result.h"

namespace reckon::act {

// Not thread-safe; the thread that started it must outlive it, for its end stops the keeper.
class KeptProcess {
 public:
  // Starts `program --keep`, which must call RunKeeper, and sends the order. kIo when there can be
  // no more processes.
  static base::Result<std::unique_ptr<KeptProcess>> Start(const std::filesystem::path& program,
                                                          const KeepOrder& order);
  // A keeper that is still there sees the channel end and kills all.
  ~KeptProcess() = default;
  KeptProcess(const KeptProcess&) = delete;
  KeptProcess& operator=(const KeptProcess&) = delete;

  pid_t keeper() const { return keeper_; }
  // Readable when there is news; -1 once the keeper is gone.
  int descriptor() const { return gone_ ? -1 : channel_.descriptor(); }
  // The keeper is gone and was waited for.
  bool gone() const { return gone_; }

  // What has been told since the last call. A keeper that goes without telling the end has been
  // killed: an end with a failure is told in its place, and what was below it is a stray.
  std::vector<KeeperNews> News();

  void Stop();
  // For a keeper that does not answer.
  void KillKeeper();

 private:
  KeptProcess(pid_t keeper, LineChannel channel);

  pid_t keeper_;
  LineChannel channel_;
  std::chrono::steady_clock::time_point begin_;
  bool told_end_ = false;
  bool gone_ = false;
};

}  // namespace reckon::act
