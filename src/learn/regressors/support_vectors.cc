#include "learn/regressors/support_vectors.h"

#include <memory>
#include <mutex>
#include <string>

#include <libsvm/svm.h>

namespace reckon::learn {
namespace {

struct FreeModel {
  void operator()(svm_model* model) const { svm_free_and_destroy_model(&model); }
};

// libsvm talks on standard output through a global; it is silenced once, before any training.
void Silence() {
  static std::once_flag once;
  std::call_once(once, [] { svm_set_print_string_function([](const char*) {}); });
}

svm_parameter ToParameter(const SupportVectorOptions& options) {
  svm_parameter parameter{};
  parameter.svm_type = EPSILON_SVR;
  parameter.kernel_type = options.gaussian ? RBF : LINEAR;
  parameter.C = options.cost;
  parameter.p = options.epsilon;
  parameter.gamma = options.gamma;
  parameter.eps = 1e-3;
  parameter.cache_size = 100;  // megabytes
  parameter.shrinking = 1;
  return parameter;
}

}  // namespace

base::Result<SupportVectors> FindSupportVectors(const numeric::Matrix& x, const numeric::Vector& y,
                                                const SupportVectorOptions& options) {
  Silence();
  // libsvm reads rows as lists of (1-based column, value) that end with column -1.
  const auto width = static_cast<size_t>(x.cols()) + 1;
  std::vector<svm_node> nodes(static_cast<size_t>(x.rows()) * width);
  std::vector<svm_node*> rows;
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    svm_node* row = nodes.data() + static_cast<size_t>(i) * width;
    for (Eigen::Index j = 0; j < x.cols(); ++j) row[j] = {static_cast<int>(j) + 1, x(i, j)};
    row[x.cols()] = {-1, 0};
    rows.push_back(row);
  }
  std::vector<double> targets(y.begin(), y.end());
  const svm_problem problem{static_cast<int>(x.rows()), targets.data(), rows.data()};
  const svm_parameter parameter = ToParameter(options);
  if (const char* problem_words = svm_check_parameter(&problem, &parameter)) {
    return base::Error(base::ErrorCode::kFailed, std::string("libsvm: ") + problem_words);
  }
  const std::unique_ptr<svm_model, FreeModel> model(svm_train(&problem, &parameter));
  SupportVectors found;
  found.intercept = -model->rho[0];
  found.coefficients.resize(model->l);
  for (int i = 0; i < model->l; ++i) {
    found.rows.push_back(model->sv_indices[i] - 1);
    found.coefficients(i) = model->sv_coef[0][i];
  }
  return found;
}

}  // namespace reckon::learn
