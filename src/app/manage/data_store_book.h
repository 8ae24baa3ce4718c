// The data stores that a manager knows: parties of their own, which ask for model updates and say
// every second that they are there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "base/json.h"
#include "base/result.h"

namespace reckon::app {

struct KnownDataStore {
  std::string name;
  int64_t images = 0;      // that it has to train on
  int64_t new_images = 0;  // since its last update
  double heard_at = 0;     // seconds since 1970
  std::string wanted;      // why somebody wants an update of it; empty: nobody does
};

// Wishes survive the manager: they are in a file. Not thread-safe.
class DataStoreBook {
 public:
  // What the file has, if there is one. kCorrupt.
  static base::Result<DataStoreBook> Open(std::filesystem::path file, double now);

  // It has spoken. kIo: it is new and cannot be kept.
  base::Status Hear(const std::string& name, int64_t images, int64_t new_images, double now);
  // kNotFound: nobody of that name has ever spoken.
  base::Status Want(const std::string& name, const std::string& reason);
  // It has asked.
  base::Status Fulfil(const std::string& name);

  // The manager itself stood still for so long: nobody's silence counts.
  void Excuse(double seconds);

  const std::map<std::string, KnownDataStore>& stores() const { return stores_; }
  // nullptr: not known.
  const KnownDataStore* Find(const std::string& name) const;

 private:
  explicit DataStoreBook(std::filesystem::path file) : file_(std::move(file)) {}
  base::Status Keep() const;

  std::filesystem::path file_;
  std::map<std::string, KnownDataStore> stores_;
};

base::Json ToJson(const KnownDataStore& store);

}  // namespace reckon::app
