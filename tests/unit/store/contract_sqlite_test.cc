// SqliteStore keeps the contract.
#include "store/sqlite/sqlite_store.h"
#include "tests/unit/store/contract.h"

namespace reckon::store::testing {
namespace {

class SqlitePlace final : public StorePlace {
 public:
  std::unique_ptr<Store> Open(const base::Clock& clock) override {
    auto store = SqliteStore::Open(folder_ / "reckon.db", clock);
    if (!store.ok()) ADD_FAILURE() << store.error().Describe();
    return std::move(store).value();
  }

 private:
  TempFolder folder_;
};

}  // namespace

INSTANTIATE_TEST_SUITE_P(Sqlite, StoreContract,
                         ::testing::Values(StoreMaker{
                             "sqlite", [] { return std::make_unique<SqlitePlace>(); }}),
                         [](const auto& test) { return test.param.technology; });

}  // namespace reckon::store::testing
