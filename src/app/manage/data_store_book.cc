#include "app/manage/data_store_book.h"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/field_reader.h"
#include "base/file.h"

namespace reckon::app {

using base::Json;
using base::Result;
using base::Status;

Result<DataStoreBook> DataStoreBook::Open(std::filesystem::path file, double now) {
  DataStoreBook book(std::move(file));
  const auto text = base::ReadFile(book.file_);
  if (!text.ok()) {
    if (text.error().code() == base::ErrorCode::kNotFound) return book;
    return text.error();
  }
  RECKON_ASSIGN(const Json json, base::ParseJson(*text, book.file_.string()));
  const auto read = [&]() -> Status {
    base::FieldReader fields(json, "");
    for (const auto& [name, entry] : json.items()) {
      const Json* object = fields.Object(name.c_str());
      if (object == nullptr) break;
      base::FieldReader one(*object, name);
      KnownDataStore& store = book.stores_[name];
      store.name = name;
      store.heard_at = now;  // nobody counts as silent before it could be heard
      one.Read("images", store.images);
      one.Read("new_images", store.new_images);
      one.Read("wanted", store.wanted);
      RECKON_TRY(one.Check());
    }
    return fields.Check();
  };
  if (const Status done = read(); !done.ok()) {
    return base::Corrupt(fmt::format("{}: {}", book.file_.string(), done.error().Describe()));
  }
  return book;
}

Status DataStoreBook::Keep() const {
  Json json = Json::object();
  for (const auto& [name, store] : stores_) {
    json[name] = {
        {"images", store.images}, {"new_images", store.new_images}, {"wanted", store.wanted}};
  }
  return base::WriteFile(file_, base::DumpJson(json));
}

Status DataStoreBook::Hear(const std::string& name, int64_t images, int64_t new_images,
                           double now) {
  const auto [found, first] = stores_.try_emplace(name);
  KnownDataStore& store = found->second;
  store.name = name;
  store.images = images;
  store.new_images = new_images;
  store.heard_at = now;
  return first ? Keep() : Status();
}

Status DataStoreBook::Want(const std::string& name, const std::string& reason) {
  const auto found = stores_.find(name);
  if (found == stores_.end()) {
    return base::Error(base::ErrorCode::kNotFound,
                       fmt::format("no data store '{}' is known", name));
  }
  found->second.wanted = reason;
  return Keep();
}

Status DataStoreBook::Fulfil(const std::string& name) {
  const auto found = stores_.find(name);
  if (found == stores_.end() || found->second.wanted.empty()) return {};
  found->second.wanted.clear();
  return Keep();
}

void DataStoreBook::Excuse(double seconds) {
  for (auto& [name, store] : stores_) store.heard_at += seconds;
}

const KnownDataStore* DataStoreBook::Find(const std::string& name) const {
  const auto found = stores_.find(name);
  return found == stores_.end() ? nullptr : &found->second;
}

Json ToJson(const KnownDataStore& store) {
  return {{"name", store.name},
          {"images", store.images},
          {"new_images", store.new_images},
          {"wanted", store.wanted}};
}

}  // namespace reckon::app
