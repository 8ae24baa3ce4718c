// Which block devices are disks of their own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>

namespace reckon::observe {

// "MAJOR:MINOR" each.
using DiskNumbers = std::set<std::string, std::less<>>;

// Of every disk below `root`/sys/block that stands for hardware: no partitions, and
// none of what is made of other disks or of memory (loop, ram, zram, dm, md), which would count
// bytes twice.
DiskNumbers WholeDisks(const std::filesystem::path& root);

struct DiskBytes {
  uint64_t read = 0;
  uint64_t written = 0;
};

// Of these disks, from the text of /proc/diskstats, of io.stat of a cgroup of version 2, and of
// blkio.throttle.io_service_bytes_recursive of one of version 1. Lines that are something else are
// passed over.
DiskBytes BytesOfDiskstats(std::string_view text, const DiskNumbers& disks);
DiskBytes BytesOfIoStat(std::string_view text, const DiskNumbers& disks);
DiskBytes BytesOfBlkio(std::string_view text, const DiskNumbers& disks);

}  // namespace reckon::observe
