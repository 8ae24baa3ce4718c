#include "tests/fault/faulty_vfs.h"

#include <cerrno>
#include <new>

#include "base/check.h"

namespace reckon::fault {
namespace {

// SQLite allocates szOsFile bytes: this, then the real VFS's own file.
struct ShimFile {
  sqlite3_file base;
  FaultyVfs* vfs;
};

FaultyVfs& VfsOf(sqlite3_file* file) { return *reinterpret_cast<ShimFile*>(file)->vfs; }
FaultyVfs& VfsOf(sqlite3_vfs* vfs) { return *static_cast<FaultyVfs*>(vfs->pAppData); }
sqlite3_file* Real(sqlite3_file* file) {
  return reinterpret_cast<sqlite3_file*>(reinterpret_cast<ShimFile*>(file) + 1);
}

int Close(sqlite3_file* file) { return Real(file)->pMethods->xClose(Real(file)); }
int Read(sqlite3_file* file, void* to, int size, sqlite3_int64 at) {
  return Real(file)->pMethods->xRead(Real(file), to, size, at);
}
int Write(sqlite3_file* file, const void* from, int size, sqlite3_int64 at) {
  if (const int code = VfsOf(file).Check(Operation::kWrite); code != SQLITE_OK) {
    // A disk that fills up takes part of the bytes first.
    (void)Real(file)->pMethods->xWrite(Real(file), from, size / 2, at);
    return code;
  }
  return Real(file)->pMethods->xWrite(Real(file), from, size, at);
}
int Truncate(sqlite3_file* file, sqlite3_int64 size) {
  const int code = VfsOf(file).Check(Operation::kTruncate);
  return code != SQLITE_OK ? code : Real(file)->pMethods->xTruncate(Real(file), size);
}
int Sync(sqlite3_file* file, int flags) {
  const int code = VfsOf(file).Check(Operation::kSync);
  return code != SQLITE_OK ? code : Real(file)->pMethods->xSync(Real(file), flags);
}
int FileSize(sqlite3_file* file, sqlite3_int64* size) {
  return Real(file)->pMethods->xFileSize(Real(file), size);
}
int Lock(sqlite3_file* file, int level) { return Real(file)->pMethods->xLock(Real(file), level); }
int Unlock(sqlite3_file* file, int level) {
  return Real(file)->pMethods->xUnlock(Real(file), level);
}
int CheckReservedLock(sqlite3_file* file, int* result) {
  return Real(file)->pMethods->xCheckReservedLock(Real(file), result);
}
int FileControl(sqlite3_file* file, int op, void* argument) {
  return Real(file)->pMethods->xFileControl(Real(file), op, argument);
}
int SectorSize(sqlite3_file* file) { return Real(file)->pMethods->xSectorSize(Real(file)); }
int DeviceCharacteristics(sqlite3_file* file) {
  return Real(file)->pMethods->xDeviceCharacteristics(Real(file));
}
int ShmMap(sqlite3_file* file, int page, int size, int extend, void volatile** memory) {
  const int code = extend != 0 ? VfsOf(file).Check(Operation::kSharedMemory) : SQLITE_OK;
  if (code != SQLITE_OK) {
    *memory = nullptr;
    return code;
  }
  return Real(file)->pMethods->xShmMap(Real(file), page, size, extend, memory);
}
int ShmLock(sqlite3_file* file, int offset, int count, int flags) {
  return Real(file)->pMethods->xShmLock(Real(file), offset, count, flags);
}
void ShmBarrier(sqlite3_file* file) { Real(file)->pMethods->xShmBarrier(Real(file)); }
int ShmUnmap(sqlite3_file* file, int remove) {
  return Real(file)->pMethods->xShmUnmap(Real(file), remove);
}

// Version 2: shared memory for the write-ahead log, no memory-mapped reads.
const sqlite3_io_methods kMethods{2,
                                  Close,
                                  Read,
                                  Write,
                                  Truncate,
                                  Sync,
                                  FileSize,
                                  Lock,
                                  Unlock,
                                  CheckReservedLock,
                                  FileControl,
                                  SectorSize,
                                  DeviceCharacteristics,
                                  ShmMap,
                                  ShmLock,
                                  ShmBarrier,
                                  ShmUnmap,
                                  nullptr,
                                  nullptr};

int Open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  auto* shim = new (file) ShimFile{{nullptr}, &VfsOf(vfs)};
  if (const int code = shim->vfs->Check(Operation::kOpen); code != SQLITE_OK) return code;
  sqlite3_vfs* const real = shim->vfs->real();
  const int code = real->xOpen(real, name, Real(file), flags, out_flags);
  if (code == SQLITE_OK) file->pMethods = &kMethods;
  return code;
}

int Delete(sqlite3_vfs* vfs, const char* name, int sync_folder) {
  if (const int code = VfsOf(vfs).Check(Operation::kDelete); code != SQLITE_OK) return code;
  sqlite3_vfs* const real = VfsOf(vfs).real();
  return real->xDelete(real, name, sync_folder);
}

int LastError(sqlite3_vfs* vfs, int size, char* text) {
  FaultyVfs& shim = VfsOf(vfs);
  if (shim.failures() > 0) return shim.last_errno();
  return shim.real()->xGetLastError(shim.real(), size, text);
}

}  // namespace

const char* OperationName(Operation operation) {
  constexpr std::array<const char*, kOperationCount> kNames{"open",     "write",  "sync",
                                                            "truncate", "delete", "shared memory"};
  return kNames[static_cast<size_t>(operation)];
}

FaultyVfs::FaultyVfs() : real_(sqlite3_vfs_find(nullptr)), shim_(*real_) {
  shim_.zName = "reckon-faulty";
  shim_.pAppData = this;
  shim_.szOsFile = static_cast<int>(sizeof(ShimFile)) + real_->szOsFile;
  shim_.xOpen = Open;
  shim_.xDelete = Delete;
  shim_.xGetLastError = LastError;
  RECKON_CHECK(sqlite3_vfs_register(&shim_, 1) == SQLITE_OK);
}

FaultyVfs::~FaultyVfs() {
  sqlite3_vfs_unregister(&shim_);
  sqlite3_vfs_register(real_, 1);
}

void FaultyVfs::Arm(const Fault& fault) {
  fault_ = fault;
  count_ = 0;
  failures_ = 0;
}

int FaultyVfs::Check(Operation operation) {
  if (fault_.at == 0 || operation != fault_.operation) return SQLITE_OK;
  ++count_;
  if (count_ != fault_.at && !(fault_.lasting && count_ > fault_.at)) return SQLITE_OK;
  ++failures_;
  last_errno_ = fault_.system_errno;
  errno = fault_.system_errno;
  return fault_.code;
}

}  // namespace reckon::fault
