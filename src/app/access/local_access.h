// Tokens by whoever can write the store: commands without --server. What they change is in the
// audit log too.
#pragma once

#include <string>

#include "app/access/tokens.h"
#include "app/context.h"
#include "base/json.h"
#include "base/result.h"

namespace reckon::app {

// With its secret. Makes the store if there is none.
base::Result<base::Json> MakeTokenHere(const TokenWish& wish, const Context& context);
// {"tokens": [...]}, by number.
base::Result<base::Json> TokensHere(const Context& context);
// By its name or number.
base::Result<base::Json> RevokeTokenHere(const std::string& which, const Context& context);

}  // namespace reckon::app
