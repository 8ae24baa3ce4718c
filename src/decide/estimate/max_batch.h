// GetMaxBatchSize (Deep-Edge, section IV): the largest batch that a node has memory for.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace reckon::decide {

// `memory`: the share of its memory that the node is expected to use with a batch of that size; it
// is expected to grow with the batch. The largest batch from `least` to `most` whose share is at
// most `limit`; nullopt when not even the smallest has room. Asks for about 2 log2(most) batches.
std::optional<int64_t> MaxBatch(const std::function<double(int64_t)>& memory, int64_t least,
                                int64_t most, double limit);

}  // namespace reckon::decide
