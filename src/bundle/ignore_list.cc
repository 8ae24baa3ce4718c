#include "bundle/ignore_list.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <fnmatch.h>
#include <sys/stat.h>

#include "base/system_error.h"
#include "base/text.h"
#include "bundle/open_below.h"

namespace reckon::bundle {
namespace {

constexpr size_t kMostIgnoreBytes = 64 << 10;

// "" when there is no such file. What a stranger has put there must not keep us reading.
base::Result<std::string> IgnoreText(const Descriptor& folder, const std::string& path) {
  const Descriptor file = OpenBelow(folder, kIgnoreFile, O_RDONLY | O_NONBLOCK);
  if (!file.ok() && errno == ENOENT) return std::string();
  if (!file.ok() && errno != ELOOP) return base::SystemError(fmt::format("cannot read '{}'", path));
  struct stat info {};
  if (!file.ok() || fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return base::BadInput(fmt::format("'{}' is not a file", path));
  }
  std::string text(kMostIgnoreBytes + 1, '\0');
  const ssize_t count = read(file.get(), text.data(), text.size());
  if (count < 0) return base::SystemError(fmt::format("cannot read '{}'", path));
  text.resize(static_cast<size_t>(count));
  if (text.size() <= kMostIgnoreBytes) return text;
  return base::BadInput(fmt::format("'{}' is longer than {} bytes", path, kMostIgnoreBytes));
}

}  // namespace

base::Result<IgnoreList> IgnoreList::Of(const Descriptor& folder,
                                        const std::filesystem::path& path) {
  RECKON_ASSIGN(const std::string text, IgnoreText(folder, (path / kIgnoreFile).string()));
  IgnoreList list;
  for (const std::string_view line : base::Split(text, '\n')) {
    std::string_view word = base::Trim(line);
    if (word.empty() || word.front() == '#') continue;
    Pattern pattern;
    pattern.only_folders = word.back() == '/';
    while (word.ends_with('/')) word.remove_suffix(1);
    // "/data" is how other tools say that it is the one at the top; "./data" is how people do.
    if (word.starts_with("./")) word.remove_prefix(1);
    pattern.only_whole = word.starts_with('/');
    while (word.starts_with('/')) word.remove_prefix(1);
    pattern.text = word;
    if (!pattern.text.empty()) list.patterns_.push_back(pattern);
  }
  return list;
}

bool IgnoreList::Names(const std::string& name, bool is_folder) const {
  const std::string leaf = name.substr(name.rfind('/') + 1);
  return std::any_of(patterns_.begin(), patterns_.end(), [&](const Pattern& pattern) {
    if (pattern.only_folders && !is_folder) return false;
    if (fnmatch(pattern.text.c_str(), name.c_str(), FNM_PATHNAME) == 0) return true;
    return !pattern.only_whole && fnmatch(pattern.text.c_str(), leaf.c_str(), 0) == 0;
  });
}

}  // namespace reckon::bundle
