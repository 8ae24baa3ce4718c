// Values as PostgreSQL reads them in text.
#pragma once

#include <optional>
#include <string>

#include "store/sql/statement.h"

namespace reckon::store {

// nullopt: NULL. Doubles come back to the last bit; bytes are as bytea is written.
std::optional<std::string> PostgresText(const SqlValue& value);

// Appends `text` as a value of COPY's text format.
void AppendCopyText(std::string_view text, std::string& line);

}  // namespace reckon::store
