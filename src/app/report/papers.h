// What the papers found that a report stands beside: their numbers, with where they are printed.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace reckon::app {

inline constexpr std::string_view kRayPaper =
    "Filippini et al., Performance Models for Distributed Deep Learning Training Jobs on Ray";
inline constexpr std::string_view kDeepEdgePaper =
    "Bhattacharjee et al., Deep-Edge: An Efficient Framework for Deep Learning Model Update on "
    "Heterogeneous Edge";
inline constexpr std::string_view kFc2Paper =
    "Ta, FC2: Cloud-based cluster provisioning for distributed machine learning, 2019";
inline constexpr std::string_view kGenericPaper =
    "Kavarakuntla et al., A generic performance model for deep learning in a distributed "
    "environment, IEEE Access 12, 2024";

// Table III of the Ray paper: MAPE in per cent by stage and technique of validation.
struct RayErrors {
  std::string_view technique;
  std::string_view way;     // as StageMethod::way
  std::string_view column;  // of interpolation and extrapolation
  std::array<std::optional<double>, 4> percent;
};
inline constexpr std::array<std::string_view, 4> kRayStages{"train_s", "fit_s", "training_loop_s",
                                                            "train_epoch_s"};
inline constexpr std::array<RayErrors, 4> kRayTable3{{
    {"HoldOut", "hold-out", "", {6.41, 6.71, 1.07, 1.89}},
    {"Interpolation, CPUs 16 and 64", "interpolation", "cpus", {5.44, 6.89, 9.68, 10.73}},
    {"Extrapolation, CPUs > 32", "extrapolation", "cpus", {14.54, 15.92, 12.79, 13.47}},
    {"Extrapolation, images > 240k",
     "extrapolation",
     "images",
     {std::nullopt, std::nullopt, 3.85, 3.76}},
}};

// Table 5 of the generic law's paper: errors with penalties.
struct PenaltyErrors {
  std::string_view penalty, framework;
  double mape_percent, mse, rmse;
};
inline constexpr std::array<PenaltyErrors, 6> kGenericTable5{{
    {"L1", "MXNet", 8, 105.74, 10.28},
    {"L1", "PyTorch", 29, 450.93, 17.52},
    {"L1", "TensorFlow", 13, 220.16, 14.83},
    {"L2", "MXNet", 7, 103.37, 10.16},
    {"L2", "PyTorch", 27, 443.35, 17.02},
    {"L2", "TensorFlow", 10, 201.81, 14.20},
}};

// Table 6 of the generic law's paper: MAPE in per cent on 300 rows held out.
struct LawErrors {
  std::string_view model;
  double tensorflow, mxnet, pytorch;
};
inline constexpr std::array<LawErrors, 4> kGenericTable6{{
    {"law by differential evolution", 5, 5, 12},
    {"the same with L2 penalty", 10, 7, 14},
    {"random forest", 0.7, 3, 23},
    {"support vector regression", 16, 21, 54},
}};
// Its Table 7: powers of the number of GPUs.
struct ScalingPower {
  std::string_view framework;
  double power;
};
inline constexpr std::array<ScalingPower, 3> kGenericTable7{
    {{"TensorFlow", -0.74}, {"MXNet", -0.99}, {"PyTorch", -1.02}}};

// Its Table 8: accuracy in per cent over CIFAR-10.
struct ModelAccuracy {
  std::string_view framework;
  double percent;
};
inline constexpr std::array<ModelAccuracy, 3> kGenericTable8{
    {{"MXNet", 78.60}, {"PyTorch", 91.66}, {"TensorFlow", 71.05}}};

// Table I of Deep-Edge: MAPE in per cent and its deviation.
struct EdgeEstimator {
  std::string_view device, function, rows;
  double percent, deviation;
};
inline constexpr std::array<EdgeEstimator, 14> kDeepEdgeTable1{{
    {"Nano", "EstComputeTime", "1386/264", 1.668, 2.074},
    {"Nano", "EstUpdateTime", "1386/264", 9.617, 7.383},
    {"Nano", "EstState gpu", "1386/264", 1.498, 3.9},
    {"Nano", "EstState cpu", "1386/264", 5.21, 4.53},
    {"Nano", "EstState mem", "1386/264", 1.508, 1.306},
    {"Nano", "EstExecTime", "1386/264", 1.73, 0.21},
    {"TX2", "EstComputeTime", "378/72", 5.916, 6.721},
    {"TX2", "EstUpdateTime", "378/72", 7.721, 6.598},
    {"TX2", "EstState gpu", "378/72", 0.509, 0.479},
    {"TX2", "EstState cpu", "378/72", 6.294, 5.468},
    {"TX2", "EstState mem", "378/72", 0.894, 0.704},
    {"TX2", "EstExecTime", "378/72", 1.48, 0.12},
    {"Pi", "EstState cpu", "630/120", 2.32, 1.58},
    {"Pi", "EstState mem", "630/120", 1.70, 1.15},
}};

}  // namespace reckon::app
