#include "store/postgres/statement.h"

#include <limits>

#include "base/text.h"
#include "store/postgres/connection.h"
#include "store/postgres/text.h"

namespace reckon::store {

void PostgresStatement::BindAll(std::span<const SqlValue> values) {
  result_.reset();
  parameters_.clear();
  for (const SqlValue& value : values) parameters_.push_back(PostgresText(value));
}

base::Status PostgresStatement::Execute() {
  std::vector<const char*> values;
  for (const std::optional<std::string>& parameter : parameters_) {
    // Text ends where a NUL is for libpq; the rest must not be lost without a word.
    if (parameter && parameter->find('\0') != std::string::npos) {
      return base::BadInput("a text holds a NUL character, which PostgreSQL does not keep");
    }
    values.push_back(parameter ? parameter->c_str() : nullptr);
  }
  constexpr int kAsText = 0;
  result_.reset(PQexecPrepared(connection_.handle(), name_.c_str(), static_cast<int>(values.size()),
                               values.data(), nullptr, nullptr, kAsText));
  row_ = -1;
  return connection_.Check(result_.get());
}

base::Result<bool> PostgresStatement::Step() {
  if (!result_) RECKON_TRY(Execute());
  if (row_ + 1 >= PQntuples(result_.get())) return false;
  ++row_;
  return true;
}

bool PostgresStatement::IsNull(int column) const {
  return PQgetisnull(result_.get(), row_, column) != 0;
}

int64_t PostgresStatement::Integer(int column) const {
  return base::ParseInteger(Text(column)).value_or(0);
}

double PostgresStatement::Real(int column) const {
  const std::string_view text = Text(column);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text == "Infinity") return kInfinity;
  if (text == "-Infinity") return -kInfinity;
  return base::ParseNumber(text).value_or(std::numeric_limits<double>::quiet_NaN());
}

std::string_view PostgresStatement::Text(int column) const {
  return {PQgetvalue(result_.get(), row_, column),
          static_cast<size_t>(PQgetlength(result_.get(), row_, column))};
}

std::string PostgresStatement::Bytes(int column) const {
  const auto* text =
      reinterpret_cast<const unsigned char*>(PQgetvalue(result_.get(), row_, column));
  size_t size = 0;
  unsigned char* const bytes = PQunescapeBytea(text, &size);
  RECKON_CHECK(bytes != nullptr);
  std::string copy(reinterpret_cast<const char*>(bytes), size);
  PQfreemem(bytes);
  return copy;
}

}  // namespace reckon::store
