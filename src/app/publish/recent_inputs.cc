#include "app/publish/recent_inputs.h"

#include <algorithm>
#include <fstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/field_reader.h"
#include "base/file.h"
#include "base/text.h"

namespace reckon::app {
namespace {

using base::Error;
using base::ErrorCode;
using base::Json;
using base::Result;
using base::Status;

Json AskedLine(const RecentInput& input) {
  return {{"id", input.id},
          {"version", input.version},
          {"predicted", input.predicted},
          {"pixels", HexOf(input.pixels)}};
}

Json LabelLine(const RecentInput& input) {
  return {{"id", input.id}, {"label", input.label.value_or(0)}};
}

constexpr std::string_view kHexDigits = "0123456789abcdef";

}  // namespace

std::string HexOf(std::string_view bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text.push_back(kHexDigits[byte >> 4]);
    text.push_back(kHexDigits[byte & 15]);
  }
  return text;
}

std::optional<std::string> BytesOfHex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (size_t i = 0; i < text.size(); i += 2) {
    const size_t high = kHexDigits.find(text[i]);
    const size_t low = kHexDigits.find(text[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    bytes.push_back(static_cast<char>(high << 4 | low));
  }
  return bytes;
}

Result<RecentInputs> RecentInputs::Open(std::filesystem::path file) {
  RecentInputs recent(std::move(file));
  RECKON_TRY(recent.Read());
  return recent;
}

Status RecentInputs::Read() {
  const auto text = base::ReadFile(file_);
  if (!text.ok()) {
    if (text.error().code() == ErrorCode::kNotFound) return {};
    return text.error();
  }
  const size_t whole = text->rfind('\n') + 1;  // 0 without any
  for (const std::string_view line : base::Split(std::string_view(*text).substr(0, whole), '\n')) {
    if (line.empty()) continue;
    RECKON_ASSIGN(const Json json, base::ParseJson(line, file_.string()));
    if (const Status taken = Take(json); !taken.ok()) {
      return base::Corrupt(
          fmt::format("{}: line {}: {}", file_.string(), lines_ + 1, taken.error().Describe()));
    }
  }
  if (whole < text->size()) return Rewrite();
  return {};
}

Status RecentInputs::Take(const Json& line) {
  base::FieldReader fields(line, "");
  RecentInput input;
  fields.Require("id");
  fields.Read("id", input.id);
  if (fields.Has("label")) {
    int64_t label = 0;
    fields.Read("label", label);
    RECKON_TRY(fields.Check());
    if (RecentInput* found = Find(input.id)) found->label = label;
  } else {
    std::string pixels;
    fields.Read("version", input.version);
    fields.Read("predicted", input.predicted);
    fields.Read("pixels", pixels);
    RECKON_TRY(fields.Check());
    auto bytes = BytesOfHex(pixels);
    if (!bytes) return base::BadInput("pixels: expected hexadecimal digits");
    input.pixels = *std::move(bytes);
    next_id_ = std::max(next_id_, input.id + 1);
    Keep(std::move(input));
  }
  ++lines_;
  return {};
}

void RecentInputs::Keep(RecentInput input) {
  inputs_.push_back(std::move(input));
  if (inputs_.size() > kMost) inputs_.pop_front();
}

RecentInput* RecentInputs::Find(int64_t id) {
  const auto found =
      std::lower_bound(inputs_.begin(), inputs_.end(), id,
                       [](const RecentInput& input, int64_t wanted) { return input.id < wanted; });
  return found == inputs_.end() || found->id != id ? nullptr : &*found;
}

Status RecentInputs::Append(const Json& line) {
  std::error_code none;
  const auto before =
      std::filesystem::exists(file_, none) ? std::filesystem::file_size(file_, none) : 0;
  std::ofstream out(file_, std::ios::binary | std::ios::app);
  out << base::DumpJsonLine(line) << '\n';
  out.close();
  if (!out) {
    // Half a line, with others behind it, would be damage.
    std::filesystem::resize_file(file_, before, none);
    return Error(ErrorCode::kIo, fmt::format("{} cannot be written", file_.string()));
  }
  ++lines_;
  // Old ones go, all at once and seldom.
  return lines_ > 4 * kMost ? Rewrite() : Status();
}

Status RecentInputs::Rewrite() {
  std::string text;
  size_t lines = 0;
  for (const RecentInput& input : inputs_) {
    text += base::DumpJsonLine(AskedLine(input)) + "\n";
    ++lines;
    if (!input.label) continue;
    text += base::DumpJsonLine(LabelLine(input)) + "\n";
    ++lines;
  }
  RECKON_TRY(base::WriteFile(file_, text));
  lines_ = lines;
  return {};
}

Result<int64_t> RecentInputs::Add(int64_t version, int64_t predicted, std::string pixels) {
  RecentInput input{next_id_, version, predicted, std::move(pixels), {}};
  const Json line = AskedLine(input);
  ++next_id_;
  Keep(std::move(input));
  RECKON_TRY(Append(line));
  return next_id_ - 1;
}

Status RecentInputs::Label(int64_t id, int64_t label) {
  RecentInput* input = Find(id);
  if (input == nullptr) {
    return Error(ErrorCode::kNotFound,
                 fmt::format("answer {} is not among the newest {}", id, kMost));
  }
  input->label = label;
  return Append(LabelLine(*input));
}

Judged RecentInputs::JudgedOf(int64_t version) const {
  Judged judged;
  for (const RecentInput& input : inputs_) {
    if (input.version != version || !input.label) continue;
    ++judged.count;
    judged.right += *input.label == input.predicted ? 1 : 0;
  }
  return judged;
}

std::vector<RecentInput> RecentInputs::Labelled(int64_t after, size_t most) const {
  std::vector<RecentInput> labelled;
  for (const RecentInput& input : inputs_) {
    if (labelled.size() == most) break;
    if (input.label && input.id > after) labelled.push_back(input);
  }
  return labelled;
}

}  // namespace reckon::app
