// What becomes of the models that a data store's updates have trained.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "app/data_store/data_store.h"
#include "app/data_store/data_store_state.h"
#include "app/manage/remote.h"
#include "base/result.h"

namespace reckon::app {

// For one thread; all of the arguments outlive it.
class KeptModel {
 public:
  // Says something to people.
  using Teller = std::function<void(const std::string& text, bool trouble)>;
  KeptModel(const DataStoreRequest& request, Remote& remote, DataStoreState& state, Teller tell)
      : request_(request), remote_(remote), state_(state), tell_(std::move(tell)) {}

  // Whether there is one to begin with.
  bool Exists() const;
  // What the run has trained is kept and published, as it was asked for. The state is then to be
  // kept: whoever is killed before does all of it again.
  base::Status Take(int64_t run);

 private:
  base::Status Keep(int64_t run);
  base::Status Publish(int64_t run);

  const DataStoreRequest& request_;
  Remote& remote_;
  DataStoreState& state_;
  const Teller tell_;
};

}  // namespace reckon::app
