// Where machine types and prices come from: CATALOGUE.yaml, or a CSV as SkyPilot keeps them.
#pragma once

#include <string>

#include "app/context.h"
#include "base/json.h"
#include "base/result.h"
#include "core/catalogue.h"

namespace reckon::app {

// A name that ends in .csv has SkyPilot's columns: InstanceType and Price, and where they are there
// vCPUs, MemoryGiB, AcceleratorName, AcceleratorCount, SpotPrice, Region, AvailabilityZone. Of a
// type's rows (regions, zones) the cheapest counts, of `region` alone where one is named. Rows
// without a price are no offers. The date is that of the file. kBadInput: file, line, column and
// what was expected; no type at all.
base::Result<core::Catalogue> LoadCatalogue(const std::string& file, const std::string& region,
                                            const Context& context);

// What is known without any file.
const core::Catalogue& BuiltInCatalogue();

base::Json ToJson(const core::Catalogue& catalogue);

}  // namespace reckon::app
