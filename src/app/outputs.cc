#include "app/outputs.h"

#include <filesystem>

#include <fmt/format.h>

namespace reckon::app {
namespace {

namespace fs = std::filesystem;

// The same for every way to write a path, also of a file that is not there yet.
fs::path Place(const std::string& path) {
  std::error_code failed;
  fs::path place = fs::weakly_canonical(fs::absolute(path, failed), failed);
  return failed ? fs::path(path) : place;
}

bool MayBeReplaced(const std::string& path) {
  if (path.empty() || path == "-") return false;
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return !fs::exists(status) || fs::is_regular_file(status);
}

bool Same(const std::string& a, const std::string& b) {
  if (!MayBeReplaced(a) || !MayBeReplaced(b)) return false;
  std::error_code ignored;
  return Place(a) == Place(b) || fs::equivalent(a, b, ignored);
}

}  // namespace

base::Status CheckOutputs(const std::vector<NamedFile>& outputs,
                          const std::vector<NamedFile>& inputs, const Context& context) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const NamedFile& output = outputs[i];
    for (const NamedFile& input : inputs) {
      if (Same(output.path, input.path)) {
        return base::BadInput(fmt::format("{} {} would replace the file of {}; name another",
                                          output.option, output.path, input.option));
      }
    }
    const store::StoreAddress& store = context.db.address();
    for (const char* part : {"", "-wal", "-shm"}) {
      if (!store.IsPostgres() && Same(output.path, store.text() + part)) {
        return base::BadInput(fmt::format("{} {} would replace the store; name another file",
                                          output.option, output.path));
      }
    }
    for (size_t j = 0; j < i; ++j) {
      if (Same(output.path, outputs[j].path)) {
        return base::BadInput(
            fmt::format("{} and {} are both '{}'", outputs[j].option, output.option, output.path));
      }
    }
  }
  return {};
}

}  // namespace reckon::app
