// Where a use case takes its model from: a file, or a name in the store.
#pragma once

#include <optional>
#include <string>

#include "app/context.h"
#include "app/data.h"
#include "base/result.h"
#include "learn/model.h"
#include "store/store.h"

namespace reckon::app {

struct LoadedModel {
  learn::Model model;
  std::string name;                 // the file or the name in the store
  std::optional<int64_t> store_id;  // when it came from the store
};

// A file of that name wins; otherwise the latest model of that name in the store. kNotFound when
// there is neither.
base::Result<LoadedModel> LoadModel(const std::string& name, const Context& context);
// The latest of that name in the store, whatever files there are: for names that others give.
base::Result<LoadedModel> LoadStoredModel(const std::string& name, store::Store& store);

// The model becomes the latest of that name in the store; its number there. `document`: its text.
base::Result<int64_t> SaveModel(const std::string& name, const learn::Model& model,
                                const std::string& document, const Context& context);

// The request for a table whose columns keep the kind they had in training: a category whose new
// cells all look like numbers is still a category.
base::Result<DataRequest> WithKindsOfModel(DataRequest request, const learn::Schema& schema);

}  // namespace reckon::app
