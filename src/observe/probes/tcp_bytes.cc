#include "observe/probes/tcp_bytes.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/text.h"

namespace reckon::observe {
namespace {

// The kernel tells an end a moment later, from a queue.
constexpr int kMostMissing = 3;

}  // namespace

std::set<uint64_t> SocketInodes(const std::vector<pid_t>& processes) {
  constexpr std::string_view kPrefix = "socket:[";
  std::set<uint64_t> inodes;
  for (const pid_t pid : processes) {
    const std::string path = fmt::format("/proc/{}/fd", pid);
    DIR* folder = opendir(path.c_str());
    if (folder == nullptr) continue;
    // This folder is ours alone; readdir is safe.
    while (const dirent* entry = readdir(folder)) {  // NOLINT(concurrency-mt-unsafe)
      std::array<char, 64> target{};
      const ssize_t size = readlinkat(dirfd(folder), entry->d_name, target.data(), target.size());
      const std::string_view text(target.data(), static_cast<size_t>(std::max<ssize_t>(size, 0)));
      if (!text.starts_with(kPrefix)) continue;
      const auto inode =
          base::ParseInteger(text.substr(kPrefix.size(), text.size() - kPrefix.size() - 1));
      if (inode) inodes.insert(static_cast<uint64_t>(*inode));
    }
    closedir(folder);
  }
  return inodes;
}

void TcpBytes::Retire(const Known& known) {
  if (known.owner == Owner::kOurs) {
    ended_sent_ += known.last.sent;
    ended_received_ += known.last.received;
  } else if (known.owner == Owner::kUnknown && known.last.sent + known.last.received > 0) {
    complete_ = false;
  }
}

void TcpBytes::Sample(const std::vector<pid_t>& processes) {
  const auto sockets = diag_->List();
  // After the list, so that what is open in the list and is ours is found open here too.
  const std::set<uint64_t> ours = SocketInodes(processes);
  if (sockets.ok()) {
    for (auto& [cookie, known] : known_) ++known.missing;
    for (const TcpSocket& socket : *sockets) {
      Known& known = known_[socket.cookie];
      known.last = socket;
      known.missing = 0;
      if (socket.inode == 0) continue;  // not yet accepted, or closed: stays whose it was
      if (ours.contains(socket.inode)) {
        known.owner = Owner::kOurs;
      } else if (known.owner == Owner::kUnknown) {
        known.owner = Owner::kOther;
      }
    }
  } else {
    complete_ = false;
  }
  bool lost = false;
  for (const TcpSocket& socket : diag_->Ended(lost)) {
    const auto found = known_.find(socket.cookie);
    Retire({socket, found == known_.end() ? Owner::kUnknown : found->second.owner, 0});
    if (found != known_.end()) known_.erase(found);
  }
  if (lost || !diag_->hears_ends()) complete_ = false;
  for (auto at = known_.begin(); at != known_.end();) {
    const bool gone = at->second.missing >= (diag_->hears_ends() ? kMostMissing : 1);
    if (gone) Retire(at->second);
    at = gone ? known_.erase(at) : std::next(at);
  }
}

bool TcpBytes::Pending() const {
  return std::any_of(known_.begin(), known_.end(),
                     [](const auto& entry) { return entry.second.owner == Owner::kOurs; });
}

uint64_t TcpBytes::sent() const {
  uint64_t bytes = ended_sent_;
  for (const auto& [cookie, known] : known_) {
    if (known.owner == Owner::kOurs) bytes += known.last.sent;
  }
  return bytes;
}

uint64_t TcpBytes::received() const {
  uint64_t bytes = ended_received_;
  for (const auto& [cookie, known] : known_) {
    if (known.owner == Owner::kOurs) bytes += known.last.received;
  }
  return bytes;
}

}  // namespace reckon::observe
