#include "learn/laws/law_library.h"

#include <algorithm>

#include "learn/laws/pmnf.h"
#include "learn/laws/steps_law.h"

namespace reckon::learn {
namespace {

using FactorForm = LawFactor::Form;
using Factors = std::vector<LawFactor>;

constexpr std::string_view kNeedsWorkers =
    "a target above 0, the log scale, at most 100 levels, and a positive numeric column that "
    "counts workers (name it "
    "with --workers)";

LawFactor Power(size_t column, double number) { return {FactorForm::kPower, column, number}; }
LawFactor Excess(size_t column, double number) { return {FactorForm::kExcess, column, number}; }

LawTerm Compute(std::string parameter, Factors factors) {
  return {
      .parameter = std::move(parameter), .part = LawPart::kCompute, .factors = std::move(factors)};
}

LawTerm Exchange(std::string parameter, Factors factors) {
  return {
      .parameter = std::move(parameter), .part = LawPart::kExchange, .factors = std::move(factors)};
}

std::vector<LawSettings> OneWay(const LawSource&) { return {{}}; }

// "shared": the batch is divided among the workers, otherwise each has its own; "pass": the time is
// that of all steps over the data, otherwise of one step.
std::vector<LawSettings> StepOrPass(const LawSource& source) {
  std::vector<LawSettings> ways{
      {{"pass", 0}, {"shared", 0}}, {{"pass", 0}, {"shared", 1}}, {{"pass", 1}, {"shared", 0}}};
  if (source.roles.batch) ways.push_back({{"pass", 1}, {"shared", 1}});
  return ways;
}

// alpha + beta * the samples of one worker.
std::vector<LawTerm> StepCompute(const Roles& roles, const LawSettings& settings) {
  std::vector<LawTerm> terms{Compute("alpha_compute", {})};
  Factors samples;
  if (roles.batch) samples.push_back(Power(*roles.batch, 1));
  if (SettingOf(settings, "shared") == 1) samples.push_back(Power(*roles.workers, -1));
  if (!samples.empty()) terms.push_back(Compute("beta_compute", samples));
  return terms;
}

// Multiplies a step's terms by the number of steps in a pass over the data.
std::vector<LawTerm> TimesSteps(std::vector<LawTerm> terms, const Roles& roles,
                                const LawSettings& settings) {
  if (SettingOf(settings, "pass") == 0) return terms;
  for (LawTerm& term : terms) {
    const auto multiply = [&term](size_t column, double power) {
      const auto found =
          std::find_if(term.factors.begin(), term.factors.end(), [&](const LawFactor& factor) {
            return factor.form == FactorForm::kPower && factor.column == column;
          });
      if (found == term.factors.end()) {
        term.factors.push_back(Power(column, power));
      } else if (found->number + power == 0) {
        term.factors.erase(found);
      } else {
        found->number += power;
      }
    };
    if (roles.size) multiply(*roles.size, 1);
    if (roles.batch) multiply(*roles.batch, -1);
    if (SettingOf(settings, "shared") == 0) multiply(*roles.workers, -1);
  }
  return terms;
}

// T1 (f + (1 - f) / n): Amdahl, AFIPS 1967.
std::vector<LawTerm> Amdahl(const LawSource& source, const LawSettings&) {
  return {Compute("parallel", {Power(*source.roles.workers, -1)}), Exchange("serial", {})};
}

// T1 (1 + sigma (n - 1) + kappa n (n - 1)) / n: Gunther, 1993. The coefficients are T1, T1 sigma
// and T1 kappa.
std::vector<LawTerm> Usl(const LawSource& source, const LawSettings&) {
  const size_t n = *source.roles.workers;
  return {Compute("T1", {Power(n, -1)}), Exchange("T1*sigma", {Excess(n, 1), Power(n, -1)}),
          Exchange("T1*kappa", {Excess(n, 1)})};
}

// T_grad = alpha + beta b; T_sync = alpha + beta max(K - 2, 0), its own pair within one node and
// across nodes, 0 for one worker; both overlap: Qiao et al., OSDI 2021.
std::vector<LawTerm> Pollux(const LawSource& source, const LawSettings& settings) {
  const Roles& roles = source.roles;
  const size_t n = *roles.workers;
  std::vector<LawTerm> terms = StepCompute(roles, settings);
  const auto pair = [&](const std::string& where, const Factors& at) {
    Factors some = at;
    some.push_back({FactorForm::kAbove, n, 1});
    terms.push_back(Exchange("alpha_" + where, some));
    Factors more = at;
    more.push_back(Excess(n, 2));
    terms.push_back(Exchange("beta_" + where, more));
  };
  if (!roles.nodes) {
    pair("sync", {});
  } else {
    const size_t first = terms.size();
    pair("within", {{FactorForm::kUpTo, *roles.nodes, 1}});
    pair("across", {{FactorForm::kAbove, *roles.nodes, 1}});
    for (size_t k = 0; k < 2; ++k) {
      terms[first + k].stand_in = first + 2 + k;
      terms[first + 2 + k].stand_in = first + k;
    }
  }
  return TimesSteps(std::move(terms), roles, settings);
}

std::vector<LawSettings> SyncOrAsync(const LawSource&) { return {{{"async", 0}}, {{"async", 1}}}; }

// theta0 M/w + theta1 + theta2 w/p + theta3 w + theta4 p for a step in step; asynchronous workers
// finish w steps in theta0 + theta1 w/p + theta2 w + theta3 p: Peng et al., EuroSys 2018.
std::vector<LawTerm> Optimus(const LawSource& source, const LawSettings& settings) {
  const Roles& roles = source.roles;
  const size_t w = *roles.workers;
  const size_t p = *roles.servers;
  if (SettingOf(settings, "async") == 1) {
    Factors own{Power(w, -1)};
    if (roles.batch) own.push_back(Power(*roles.batch, 1));
    return {Compute("theta0", own), Exchange("theta1", {Power(p, -1)}), Exchange("theta2", {}),
            Exchange("theta3", {Power(p, 1), Power(w, -1)})};
  }
  Factors shared{Power(w, -1)};
  if (roles.batch) shared.push_back(Power(*roles.batch, 1));
  return {Compute("theta0", shared), Exchange("theta1", {}),
          Exchange("theta2", {Power(w, 1), Power(p, -1)}), Exchange("theta3", {Power(w, 1)}),
          Exchange("theta4", {Power(p, 1)})};
}

// Throughput min(n x1, B p / bytes), rounded at the knee: each of n workers sends its bytes through
// p servers.
std::vector<LawTerm> ParameterServer(const LawSource& source, const LawSettings& settings) {
  const Roles& roles = source.roles;
  Factors sent{Power(*roles.workers, 1)};
  if (roles.bytes) sent.push_back(Power(*roles.bytes, 1));
  if (roles.servers) sent.push_back(Power(*roles.servers, -1));
  std::vector<LawTerm> terms = StepCompute(roles, settings);
  terms.push_back(Exchange("1/B", sent));
  return TimesSteps(std::move(terms), roles, settings);
}

// 2 (n - 1)/n S/B + 2 (n - 1) alpha: Patarasuk and Yuan, JPDC 2009.
std::vector<LawTerm> Ring(const LawSource& source, const LawSettings& settings) {
  const Roles& roles = source.roles;
  const size_t n = *roles.workers;
  std::vector<LawTerm> terms = StepCompute(roles, settings);
  Factors sent{Excess(n, 1), Power(n, -1)};
  if (roles.bytes) sent.push_back(Power(*roles.bytes, 1));
  terms.push_back(Exchange("1/B", sent));
  terms.back().scale = 2;
  terms.push_back(Exchange("latency", {Excess(n, 1)}));
  terms.back().scale = 2;
  return TimesSteps(std::move(terms), roles, settings);
}

}  // namespace

const std::vector<LawDescription>& LawLibrary() {
  static const std::vector<LawDescription> kLibrary{
      {.name = "amdahl",
       .summary = "Amdahl's law: a part that is divided among the workers and one that is not",
       .requirement = kNeedsWorkers,
       .needs = {&Roles::workers},
       .variants = OneWay,
       .terms = Amdahl},
      {.name = "usl",
       .summary = "the Universal Scalability Law: contention and coherence",
       .requirement = kNeedsWorkers,
       .needs = {&Roles::workers},
       .variants = OneWay,
       .terms = Usl},
      {.name = "pollux",
       .summary = "Pollux's law of a step: gradients and their exchange, within and across nodes",
       .requirement = "a target above 0, the log scale, at most 100 levels, and positive numeric "
                      "columns that count "
                      "workers (--workers) and have the batch size (--batch)",
       .needs = {&Roles::workers, &Roles::batch},
       .overlaps = true,
       .by_default = true,
       .variants = StepOrPass,
       .terms = Pollux},
      {.name = "optimus",
       .summary = "Optimus's law of workers and parameter servers",
       .requirement = "a target above 0, the log scale, at most 100 levels, and positive numeric "
                      "columns that count "
                      "workers (--workers) and parameter servers (--servers)",
       .needs = {&Roles::workers, &Roles::servers},
       .by_default = true,
       .variants = SyncOrAsync,
       .terms = Optimus},
      {.name = "ps",
       .summary = "workers until their parameter servers are saturated",
       .requirement = kNeedsWorkers,
       .needs = {&Roles::workers},
       .overlaps = true,
       .variants = StepOrPass,
       .terms = ParameterServer},
      {.name = "ring",
       .summary = "computing and a ring all-reduce",
       .requirement = kNeedsWorkers,
       .needs = {&Roles::workers},
       .variants = StepOrPass,
       .terms = Ring},
      {.name = "steps",
       .summary = "passes over data in steps, from what an image, a step and the start take",
       .requirement = "a target above 0, the log scale, at most 100 levels, and positive numeric "
                      "columns that count workers, of which there are several counts (--workers), "
                      "and have the batch size (--batch) and the size of the data (--size)",
       .needs = {&Roles::workers, &Roles::batch, &Roles::size},
       .known_powers = {&Roles::batch, &Roles::size, &Roles::epochs},
       .by_default = true,
       .inside_too = true,
       .corrected = true,
       .variants = StepsVariants,
       .terms = StepsTerms},
      {.name = "pmnf",
       .summary = "Extra-P's normal form: sums of products of powers and logarithms",
       .requirement = "a target above 0, the log scale, at most 100 levels, and a positive numeric "
                      "column with three values",
       .needs = {},
       .variants = PmnfVariants,
       .terms = PmnfTerms},
  };
  return kLibrary;
}

Roles UsableRoles(const LawDescription& law, const Schema& schema, Roles roles) {
  std::vector<size_t> used;
  for (auto role :
       {&Roles::workers, &Roles::nodes, &Roles::batch, &Roles::servers, &Roles::bytes, &Roles::size,
        &Roles::work, &Roles::activations, &Roles::threads, &Roles::epochs}) {
    std::optional<size_t>& column = roles.*role;
    if (!column) continue;
    const InputColumn& input = schema.inputs[*column];
    const bool known =
        std::find(law.known_powers.begin(), law.known_powers.end(), role) != law.known_powers.end();
    const bool varies = input.Varies() || known || role == &Roles::nodes;
    if (!varies || !(input.min > 0) || std::find(used.begin(), used.end(), *column) != used.end()) {
      column.reset();
    } else {
      used.push_back(*column);
    }
  }
  if (roles.machine && !schema.inputs[*roles.machine].Varies()) roles.machine.reset();
  return roles;
}

}  // namespace reckon::learn
