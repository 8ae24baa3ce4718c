#include "store/postgres/rows.h"

#include "store/postgres/connection.h"
#include "store/postgres/text.h"

namespace reckon::store {

PostgresRows::~PostgresRows() {
  // What the server says to that is what was wanted; the transaction is rolled back.
  if (!ended_) (void)End("given up").ok();
}

base::Status PostgresRows::AddRow(std::span<const SqlValue> values) {
  constexpr size_t kPiece = 65'536;
  bool first = true;
  for (const SqlValue& value : values) {
    if (!first) lines_ += '\t';
    first = false;
    if (const auto* text = std::get_if<std::string_view>(&value)) {
      AppendCopyText(*text, lines_);
    } else if (const auto other = PostgresText(value)) {
      AppendCopyText(*other, lines_);
    } else {
      lines_ += "\\N";
    }
  }
  lines_ += '\n';
  if (lines_.size() < kPiece) return {};
  return Send();
}

base::Status PostgresRows::Send() {
  const int sent =
      PQputCopyData(connection_.handle(), lines_.data(), static_cast<int>(lines_.size()));
  lines_.clear();
  if (sent == 1) return {};
  base::Status ended = End(nullptr);
  return ended.ok() ? connection_.Failure(nullptr) : ended;
}

base::Status PostgresRows::Finish() {
  RECKON_TRY(Send());
  return End(nullptr);
}

base::Status PostgresRows::End(const char* reason) {
  ended_ = true;
  base::Status all;
  if (PQputCopyEnd(connection_.handle(), reason) != 1) all = connection_.Failure(nullptr);
  for (;;) {
    const PostgresResult result(PQgetResult(connection_.handle()));
    // On a connection that is gone libpq would say so for ever.
    if (!result || PQstatus(connection_.handle()) == CONNECTION_BAD) break;
    base::Status one = connection_.Check(result.get());
    if (all.ok() && !one.ok()) all = std::move(one);
  }
  if (all.ok() && PQstatus(connection_.handle()) == CONNECTION_BAD) {
    all = connection_.Failure(nullptr);
  }
  return all;
}

}  // namespace reckon::store
