// The catalogue that is there without any file.
#pragma once

#include "core/catalogue.h"

namespace reckon::decide {

// Tables 1 (servers) and 2 (workers) of the FC2 paper: Amazon EC2, Singapore, August 2018, with the
// servers' bandwidths that its section 8 names. Virtual processors and accelerators are Amazon's.
const core::Catalogue& Fc2Catalogue();

}  // namespace reckon::decide
