// Opens a store of any technology by its address.
#pragma once

#include <memory>

#include "base/clock.h"
#include "base/result.h"
#include "store/address.h"
#include "store/open_options.h"
#include "store/store.h"

namespace reckon::store {

// As SqliteStore::Open and PostgresStore::Open.
base::Result<std::unique_ptr<Store>> Open(const StoreAddress& address, const base::Clock& clock,
                                          const OpenOptions& options = {});

}  // namespace reckon::store
