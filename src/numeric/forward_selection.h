// Sequential forward selection of columns for least squares.
#pragma once

#include <span>
#include <stop_token>
#include <vector>

#include "numeric/matrix.h"

namespace reckon::numeric {

struct FoldRows {
  std::vector<Eigen::Index> train;
  std::vector<Eigen::Index> test;
};

// Starting from none, adds again and again the column that makes the squared error of least squares
// with intercept on the test rows, pooled over the folds, smallest; goes on to `most` columns and
// returns those (in their order of coming in) up to the smallest error seen. A fold's moments are
// made once and swept (SweptMoments), so that a step costs O(test rows * columns + columns^2) a
// fold, whatever the number of columns already in. A column that a fold cannot tell from those in
// it changes nothing there. At least one column, unless there is none that varies or `stop` was
// requested: then what it has so far.
std::vector<Eigen::Index> SelectForward(const Matrix& x, const Vector& y,
                                        std::span<const FoldRows> folds, size_t most,
                                        const std::stop_token& stop = {});

}  // namespace reckon::numeric
