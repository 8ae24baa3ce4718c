#include "decide/prices/fc2_catalogue.h"

namespace reckon::decide {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

core::MachineType Type(const char* name, double cpus, double memory_gib, double price) {
  core::MachineType type;
  type.name = name;
  type.cpus = cpus;
  type.memory_bytes = static_cast<uint64_t>(memory_gib * kGiB);
  type.price_per_hour = price;
  type.region = "ap-southeast-1";
  return type;
}

core::MachineType ServerType(const char* name, double cpus, double memory_gib, double price,
                             double bandwidth_bit_s) {
  core::MachineType type = Type(name, cpus, memory_gib, price);
  type.bandwidth_bit_s = bandwidth_bit_s;
  type.for_workers = false;
  return type;
}

core::MachineType WorkerType(const char* name, double cpus, double memory_gib, double price,
                             const char* accelerator = "") {
  core::MachineType type = Type(name, cpus, memory_gib, price);
  type.accelerator = accelerator;
  type.accelerators = type.accelerator.empty() ? 0 : 1;
  type.for_servers = false;
  return type;
}

}  // namespace

const core::Catalogue& Fc2Catalogue() {
  static const core::Catalogue catalogue{
      "FC2 (Cluster Computing 22, 2019), Tables 1 and 2: Amazon EC2, Singapore",
      "2018-08",
      {
          ServerType("m4.large", 2, 8, 0.125, 450e6),
          ServerType("m4.2xlarge", 8, 32, 0.5, 1e9),
          ServerType("m4.10xlarge", 40, 160, 2.5, 10e9),
          WorkerType("m4.xlarge", 4, 16, 0.25),
          WorkerType("t2.xlarge", 4, 16, 0.2336),
          WorkerType("c4.xlarge", 4, 7.5, 0.231),
          WorkerType("c4.8xlarge", 36, 60, 1.848),
          WorkerType("p2.xlarge", 4, 61, 1.718, "K80"),
          WorkerType("g3.4xlarge", 16, 122, 1.67, "M60"),
      }};
  return catalogue;
}

}  // namespace reckon::decide
