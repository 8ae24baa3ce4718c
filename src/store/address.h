// Where a store is, as people write it: a SQLite file, or a PostgreSQL database by its URL.
#pragma once

#include <filesystem>
#include <string>

namespace reckon::store {

class StoreAddress {
 public:
  // What is given is a URL when it begins with postgresql:// or postgres://, and a file otherwise.
  // Whether it is a good one is found out by opening it.
  StoreAddress(const std::filesystem::path& given);  // NOLINT(*-explicit-*): a file is an address

  bool IsPostgres() const { return is_postgres_; }
  // As it was given: of a file, its path; of a URL, with the password if there is one. For opening
  // and for handing on to programs of ours, never for messages.
  const std::string& text() const { return text_; }
  // For messages and names: of a URL who, where and what, without anything that may be secret.
  const std::string& name() const { return name_; }

 private:
  std::string text_;
  bool is_postgres_;
  std::string name_;
};

}  // namespace reckon::store
