// A SQLite VFS that passes everything to the real one until told to fail: the disk that fills up
// or breaks at exactly the N-th operation.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include <sqlite3.h>

namespace reckon::fault {

enum class Operation { kOpen, kWrite, kSync, kTruncate, kDelete, kSharedMemory };
inline constexpr size_t kOperationCount = 6;

const char* OperationName(Operation operation);

struct Fault {
  Operation operation = Operation::kWrite;
  int at = 0;            // the at-th such operation from now fails, from 1
  int code = SQLITE_OK;  // with this SQLite code
  int system_errno = 0;  // and this errno
  bool lasting = false;  // and so does every one after it, as on a disk that stays full
};

// SQLite's default VFS while it lives. One at a time; not thread-safe.
class FaultyVfs {
 public:
  FaultyVfs();
  ~FaultyVfs();
  FaultyVfs(const FaultyVfs&) = delete;
  FaultyVfs& operator=(const FaultyVfs&) = delete;

  // Counts anew.
  void Arm(const Fault& fault);
  void Disarm() { Arm(Fault{}); }
  // How often it failed since Arm.
  int failures() const { return failures_; }

  // For the callbacks: SQLITE_OK, or the code to fail with.
  int Check(Operation operation);
  sqlite3_vfs* real() const { return real_; }
  int last_errno() const { return last_errno_; }

 private:
  sqlite3_vfs* real_;
  sqlite3_vfs shim_;
  Fault fault_;
  int count_ = 0;
  int failures_ = 0;
  int last_errno_ = 0;
};

}  // namespace reckon::fault
