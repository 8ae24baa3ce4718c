#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/units.h"
#include "bundle/bundle.h"
#include "bundle/entry_name.h"
#include "bundle/input.h"
#include "bundle/new_tree.h"
#include "bundle/open_archive.h"

namespace reckon::bundle {
namespace {

using base::BadInput;
using base::Error;
using base::Result;
using base::Status;

// "" for files and folders; otherwise what it is instead, to follow its name.
std::string_view WhyNotTaken(archive_entry* entry) {
  if (archive_entry_is_encrypted(entry) != 0) return "is encrypted";
  if (archive_entry_hardlink(entry) != nullptr) return "is a hard link";
  if (archive_entry_symlink(entry) != nullptr) return "is a symbolic link";
  switch (archive_entry_filetype(entry)) {
    case AE_IFREG:
    case AE_IFDIR:
      return "";
    case AE_IFLNK:
      return "is a symbolic link";
    case AE_IFCHR:
    case AE_IFBLK:
      return "is a device";
    case AE_IFIFO:
      return "is a pipe";
    default:
      return "is neither a file nor a folder";
  }
}

// Goes through an archive once; what passes is put into a tree if there is one.
class Reading {
 public:
  Reading(const Input& input, const Limits& limits, NewTree* tree)
      : input_(input), limits_(limits), tree_(tree) {}

  Result<Contents> All() {
    RECKON_ASSIGN(archive_, OpenArchive::Open(input_, limits_));
    for (;;) {
      RECKON_ASSIGN(archive_entry* const entry, archive_->Next());
      if (entry == nullptr) break;
      RECKON_TRY(Take(entry));
    }
    if (contents_.files == 0) return BadInput(input_.name() + " has no file in it");
    return contents_;
  }

 private:
  Status Take(archive_entry* entry);
  Status TakeFile(const std::string& name, bool is_executable);

  // `why` follows the name of the entry.
  Error Refused(std::string_view why) const {
    return BadInput(fmt::format("{}: entry '{}' {}", input_.name(), shown_, why));
  }

  const Input& input_;
  const Limits limits_;
  NewTree* const tree_;
  std::unique_ptr<OpenArchive> archive_;
  NamesSeen names_;
  Contents contents_;
  std::string shown_;  // name of the entry
};

Status Reading::Take(archive_entry* entry) {
  const char* const given = archive_entry_pathname(entry);
  if (given == nullptr) {
    return BadInput(input_.name() + " has an entry whose name cannot be read");
  }
  shown_ = ShownName(given);
  const std::string_view kind = WhyNotTaken(entry);
  if (!kind.empty()) {
    return Refused(fmt::format("{}; only files and folders are unpacked", kind));
  }
  const Result<std::string> name = PlainName(given);
  if (!name.ok()) return Refused(name.error().message());
  const bool is_folder = archive_entry_filetype(entry) == AE_IFDIR;
  if (!name->empty()) {
    const Status added = names_.Add(*name, is_folder);
    if (!added.ok()) return Refused(added.error().message());
  } else if (!is_folder) {
    return Refused("is a file without a name");
  }
  if (names_.count() > limits_.most_files) {
    return BadInput(fmt::format("{} has more than {} files and folders, which is the limit",
                                input_.name(), limits_.most_files));
  }
  if (!is_folder) return TakeFile(*name, (archive_entry_perm(entry) & S_IXUSR) != 0);
  return tree_ == nullptr ? Status() : tree_->MakeFolder(*name);
}

Status Reading::TakeFile(const std::string& name, bool is_executable) {
  if (tree_ != nullptr) RECKON_TRY(tree_->BeginFile(name, is_executable));
  for (uint64_t end = 0;;) {
    RECKON_ASSIGN(const OpenArchive::Piece piece, archive_->NextPiece());
    if (piece.at < end && !piece.is_end) return Refused("has pieces that lie on one another");
    // Holes are counted: whoever reads the file will read their zeros.
    const uint64_t next = std::max(end, piece.at + piece.bytes.size());
    if (next - end > limits_.most_bytes - contents_.bytes) {
      return BadInput(fmt::format("{} unpacks to more than {}, which is the limit (at '{}')",
                                  input_.name(), base::FormatBytes(limits_.most_bytes), shown_));
    }
    contents_.bytes += next - end;
    end = next;
    if (tree_ != nullptr && !piece.is_end) RECKON_TRY(tree_->Write(piece.at, piece.bytes));
    if (!piece.is_end) continue;
    ++contents_.files;
    return tree_ == nullptr ? Status() : tree_->EndFile(end);
  }
}

}  // namespace

Result<Contents> Check(const std::filesystem::path& file, const Limits& limits) {
  RECKON_ASSIGN(const Input input, Input::OfFile(file));
  return Reading(input, limits, nullptr).All();
}

Result<Contents> CheckBytes(std::string_view bytes, const Limits& limits) {
  const Input input = Input::OfBytes(bytes);
  return Reading(input, limits, nullptr).All();
}

Result<Contents> Unpack(const std::filesystem::path& file, const std::filesystem::path& folder,
                        const Limits& limits) {
  RECKON_ASSIGN(const Input input, Input::OfFile(file));
  RECKON_ASSIGN(NewTree tree, NewTree::In(folder));
  return Reading(input, limits, &tree).All();
}

}  // namespace reckon::bundle
