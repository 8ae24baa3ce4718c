// A job in the body of a request: what asks for a run, or for a model update, has the same fields.
#pragma once

#include <vector>

#include "app/manage/managed_json.h"
#include "base/field_reader.h"
#include "base/result.h"
#include "serve/caller.h"

namespace reckon::serve {

// "job", "source", "set", "user", "project", "model". Whoever has signed in is who asks, whatever
// he says; admins ask for others, too. Problems of fields are for fields.Check(); of changes, here.
base::Status ReadJobFields(base::FieldReader& fields, const Caller& caller, app::JobText& job);

// "set": [{"path", "value"}]. kBadInput with the path of what is wrong.
base::Status ReadChanges(base::FieldReader& fields, std::vector<spec::Override>& changes);

}  // namespace reckon::serve
