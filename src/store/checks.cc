#include "store/checks.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"

namespace reckon::store {
namespace {

base::Result<base::Json> ParseDocument(std::string_view what, std::string_view text) {
  // The parser takes a NUL for the end.
  if (text.find('\0') != std::string_view::npos) {
    return base::BadInput(fmt::format("{} holds a NUL character", what));
  }
  base::Result<base::Json> parsed = base::ParseJson(text, what);
  // The text comes from the caller and not from a file of ours.
  if (!parsed.ok()) return base::BadInput(parsed.error().Describe());
  return parsed;
}

}  // namespace

// Table 3-7 of the Unicode standard: lead byte, range of the second byte, number of bytes.
bool IsUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<uint8_t>(text[i]);
    size_t length = 1;
    uint8_t low = 0x80;
    uint8_t high = 0xBF;
    if (lead >= 0xC2 && lead <= 0xDF) {
      length = 2;
    } else if (lead >= 0xE0 && lead <= 0xEF) {
      length = 3;
      if (lead == 0xE0) low = 0xA0;
      if (lead == 0xED) high = 0x9F;
    } else if (lead >= 0xF0 && lead <= 0xF4) {
      length = 4;
      if (lead == 0xF0) low = 0x90;
      if (lead == 0xF4) high = 0x8F;
    } else if (lead >= 0x80) {
      return false;
    }
    if (length > text.size() - i) return false;
    for (size_t k = 1; k < length; ++k) {
      const auto byte = static_cast<uint8_t>(text[i + k]);
      if (byte < low || byte > high) return false;
      low = 0x80;
      high = 0xBF;
    }
    i += length;
  }
  return true;
}

base::Status CheckName(std::string_view what, std::string_view name) {
  if (name.empty()) return base::BadInput(fmt::format("the name of a {} is empty", what));
  const bool has_control =
      std::any_of(name.begin(), name.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; });
  if (has_control || !IsUtf8(name)) {
    return base::BadInput(
        fmt::format("the name of a {} must be UTF-8 without control characters", what));
  }
  return {};
}

base::Status CheckJson(std::string_view what, std::string_view text) {
  RECKON_TRY(ParseDocument(what, text));
  return {};
}

base::Status CheckJsonObject(std::string_view what, std::string_view text) {
  RECKON_ASSIGN(const base::Json value, ParseDocument(what, text));
  if (!value.is_object()) return base::BadInput(fmt::format("{} is not a JSON object", what));
  return {};
}

base::Status CheckEvent(const core::Event& event) {
  RECKON_TRY(CheckName("kind of event", event.kind));
  if (event.detail.empty()) return {};
  return CheckJsonObject("the detail of an event", event.detail);
}

base::Status CheckEvents(std::span<const core::Event> events) {
  for (const core::Event& event : events) RECKON_TRY(CheckEvent(event));
  return {};
}

base::Status CheckNodes(std::span<const core::NodeRecord> nodes) {
  for (const core::NodeRecord& node : nodes) {
    RECKON_TRY(CheckName("node", node.name));
    RECKON_TRY(CheckJsonObject("the document of a node", node.document));
  }
  return {};
}

base::Status CheckToken(const core::Token& token) {
  RECKON_TRY(CheckName("token", token.name));
  for (const auto& [what, text] : {std::pair("user of a token", &token.user),
                                   std::pair("project of a token", &token.project)}) {
    if (!text->empty()) RECKON_TRY(CheckName(what, *text));
  }
  const bool is_hash =
      token.hash.size() == 64 && std::all_of(token.hash.begin(), token.hash.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
      });
  if (!is_hash) {
    return base::BadInput("the hash of a token is not 64 hexadecimal digits in lower case");
  }
  if (token.most_uses && *token.most_uses < 1) {
    return base::BadInput("a token that may not be used even once");
  }
  return {};
}

base::Status CheckVouches(const core::Token& token, base::WallTime now) {
  const auto refuse = [](std::string why) {
    return base::Error(base::ErrorCode::kFailed, "the join token " + std::move(why));
  };
  if (token.scope != core::TokenScope::kAgent) return refuse("is none: nodes cannot join with it");
  if (token.revoked_at) return refuse("was revoked");
  if (token.expires_at && *token.expires_at <= now) return refuse("has expired");
  if (token.most_uses && token.uses >= *token.most_uses) {
    return refuse(fmt::format("was used {} times, as often as it may be", token.uses));
  }
  return {};
}

}  // namespace reckon::store
