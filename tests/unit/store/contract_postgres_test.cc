// PostgresStore keeps the contract.
#include "store/postgres/postgres_store.h"
#include "tests/unit/store/contract.h"
#include "tests/unit/store/postgres_place.h"

namespace reckon::store::testing {
namespace {

class PostgresPlace final : public StorePlace {
 public:
  std::unique_ptr<Store> Open(const base::Clock& clock) override {
    auto store = PostgresStore::Open(StoreAddress(url_), clock);
    if (!store.ok()) ADD_FAILURE() << store.error().Describe();
    return std::move(store).value();
  }

 private:
  std::string url_ = SharedServer().NewDatabase();
};

}  // namespace

INSTANTIATE_TEST_SUITE_P(Postgres, StoreContract,
                         ::testing::Values(StoreMaker{
                             "postgres", [] { return std::make_unique<PostgresPlace>(); }}),
                         [](const auto& test) { return test.param.technology; });

}  // namespace reckon::store::testing
