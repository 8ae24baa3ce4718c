// The answers of a data store's published model that people have judged: how good they are, and the
// images, which are new ones to train on.
#pragma once

#include <string>

#include "app/data_store/data_store_state.h"
#include "app/data_store/image_pool.h"
#include "app/manage/remote.h"
#include "base/result.h"
#include "watch/update_trigger.h"

namespace reckon::app {

// For one thread; all of the arguments outlive it.
class JudgedAnswers {
 public:
  // `name` of the published model; empty: there is none, and nothing to do.
  JudgedAnswers(const std::string& name, Remote& remote, const ImagePool& pool,
                DataStoreState& state)
      : name_(name), remote_(remote), pool_(pool), state_(state) {}

  // Fills in how good they are, and brings what is new into the pool. The state is then to be kept.
  base::Status Look(watch::TriggerFacts& facts);

 private:
  base::Status Fetch();

  const std::string& name_;
  Remote& remote_;
  const ImagePool& pool_;
  DataStoreState& state_;
};

}  // namespace reckon::app
