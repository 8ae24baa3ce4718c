#include "act/lab/cpu_slice.h"

#include <algorithm>
#include <fstream>
#include <system_error>

#include "base/file.h"
#include "base/text.h"

namespace reckon::act {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kFineUs = 500;

fs::path Remembered(const fs::path& records) { return records / "cpu-slice-us"; }

// In place: settings of the kernel cannot be replaced by another file.
bool Write(const fs::path& setting, const std::string& value) {
  std::ofstream out(setting);
  out << value << std::flush;
  return out.good();
}

}  // namespace

base::Status RefineCpuSlice(const core::Lab& lab, const fs::path& setting,
                            const fs::path& records) {
  const bool several = std::any_of(lab.hosts.begin(), lab.hosts.end(),
                                   [](const core::LabHost& host) { return host.cpus > 1; });
  if (!several) return {};
  const auto text = base::ReadFile(setting);
  if (!text.ok()) return {};
  const std::string was = text->substr(0, text->find('\n'));
  const auto value = base::ParseInteger(was);
  if (!value || *value <= kFineUs) return {};
  std::error_code ignored;
  if (!fs::exists(Remembered(records), ignored)) {
    RECKON_TRY(base::WriteFile(Remembered(records), was));
  }
  if (!Write(setting, std::to_string(kFineUs))) fs::remove(Remembered(records), ignored);
  return {};
}

base::Status RestoreCpuSlice(const fs::path& setting, const fs::path& records) {
  std::error_code ignored;
  if (!fs::exists(Remembered(records), ignored)) return {};
  RECKON_ASSIGN(const std::string was, base::ReadFile(Remembered(records)));
  if (!Write(setting, was)) {
    return base::Error(base::ErrorCode::kIo, "cannot put " + setting.string() + " back to " + was);
  }
  fs::remove(Remembered(records), ignored);
  return {};
}

}  // namespace reckon::act
