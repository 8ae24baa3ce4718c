// Runs data-driven cases: small text files that make files, call `reckon` and say what must come
// out. Usage: run_cases RECKON_BINARY FOLDER...; format in tests/cases/README.md.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/wait.h>

namespace fs = std::filesystem;

namespace {

std::string Slurp(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// What a case file may contain after its verb.
struct Step {
  int line = 0;
  std::string verb;
  std::string rest;
  std::string body;  // lines that began with "|"
};

std::vector<Step> ReadCase(const fs::path& path) {
  std::vector<Step> steps;
  std::ifstream file(path);
  std::string text;
  for (int line = 1; std::getline(file, text); ++line) {
    if (text.empty() || text.front() == '#') continue;
    if (text.front() == '|') {
      if (steps.empty()) continue;
      steps.back().body += (text.size() > 1 ? text.substr(2) : "") + "\n";
      continue;
    }
    const size_t blank = text.find(' ');
    steps.push_back({line, text.substr(0, blank),
                     blank == std::string::npos ? "" : text.substr(blank + 1), ""});
  }
  return steps;
}

class CaseRun {
 public:
  CaseRun(fs::path folder, fs::path binary, fs::path case_folder)
      : folder_(std::move(folder)),
        binary_(std::move(binary)),
        case_folder_(std::move(case_folder)) {}

  // Empty when the step holds, else what is wrong.
  std::string Do(const Step& step) {
    const fs::path target = folder_ / step.rest;
    if (step.verb == "file") return MakeFile(target, step.body);
    if (step.verb == "raw") return MakeRawFile(step);
    if (step.verb == "run") return Run(step.rest);
    if (step.verb == "exit") {
      return std::to_string(exit_) == step.rest
                 ? ""
                 : fmt::format("exit code {}, expected {}\nstdout: {}\nstderr: {}", exit_,
                               step.rest, out_, err_);
    }
    if (step.verb == "stdout") return Contains(out_, step.rest, true);
    if (step.verb == "stderr") return Contains(err_, step.rest, true);
    if (step.verb == "stdout-not") return Contains(out_, step.rest, false);
    if (step.verb == "stderr-not") return Contains(err_, step.rest, false);
    if (step.verb == "exists") return fs::exists(target) ? "" : "no file " + step.rest;
    if (step.verb == "absent") return fs::exists(target) ? "there is a file " + step.rest : "";
    if (step.verb == "content") {
      const std::string actual = Slurp(target);
      return actual == step.body ? "" : fmt::format("content of {} is:\n{}", step.rest, actual);
    }
    if (step.verb == "same") return Same(step.rest);
    if (step.verb == "only") return Only(step.rest);
    return "unknown verb '" + step.verb + "'";
  }

 private:
  static std::string MakeFile(const fs::path& path, const std::string& body) {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << body;
    return "";
  }

  // "raw NAME FORMAT": printf's escapes, for bytes that a text line cannot hold.
  std::string MakeRawFile(const Step& step) {
    const size_t blank = step.rest.find(' ');
    return Run(
        fmt::format("printf '{}' > {}", step.rest.substr(blank + 1), step.rest.substr(0, blank)));
  }

  std::string Run(const std::string& command) {
    const std::string shell = fmt::format(
        "cd '{}' && export PATH='{}':\"$PATH\" HOME='{}' XDG_CONFIG_HOME= CASES='{}' && ( {} ) "
        ">.stdout 2>.stderr </dev/null",
        folder_.string(), binary_.parent_path().string(), folder_.string(), case_folder_.string(),
        command);
    const int status = std::system(shell.c_str());
    exit_ = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    out_ = Slurp(folder_ / ".stdout");
    err_ = Slurp(folder_ / ".stderr");
    if (exit_ >= 128 && exit_ != 130) return fmt::format("died with {}: {}", exit_, err_);
    return "";
  }

  static std::string Contains(const std::string& text, const std::string& part, bool wanted) {
    if ((text.find(part) != std::string::npos) == wanted) return "";
    return fmt::format("{} '{}' in:\n{}", wanted ? "no" : "there is", part, text);
  }

  std::string Same(const std::string& names) {
    const size_t blank = names.find(' ');
    const std::string a = Slurp(folder_ / names.substr(0, blank));
    const std::string b = Slurp(folder_ / names.substr(blank + 1));
    return !a.empty() && a == b ? "" : "files differ or are empty: " + names;
  }

  // The folder holds these files and no others (hidden ones of the runner aside).
  std::string Only(const std::string& names) {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      const std::string name = entry.path().filename().string();
      if (name != ".stdout" && name != ".stderr") found.push_back(name);
    }
    std::sort(found.begin(), found.end());
    const std::string list = fmt::format("{}", fmt::join(found, " "));
    return list == names ? "" : fmt::format("the folder holds: {}", list);
  }

  fs::path folder_;
  fs::path binary_;
  fs::path case_folder_;
  int exit_ = 0;
  std::string out_;
  std::string err_;
};

bool RunCase(const fs::path& path, const fs::path& binary) {
  std::string folder = (fs::temp_directory_path() / "reckon-case-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) {
    std::perror("mkdtemp");
    return false;
  }
  CaseRun run(folder, binary, fs::absolute(path).parent_path());
  bool ok = true;
  const std::vector<Step> steps = ReadCase(path);
  const bool asserts = std::any_of(steps.begin(), steps.end(), [](const Step& step) {
    return step.verb != "file" && step.verb != "raw" && step.verb != "run";
  });
  if (!asserts) {
    fmt::print("{}: the case checks nothing\n", path.string());
    ok = false;
  }
  for (const Step& step : steps) {
    const std::string problem = run.Do(step);
    if (problem.empty()) continue;
    fmt::print("{}:{}: {} {}\n  {}\n", path.string(), step.line, step.verb, step.rest, problem);
    ok = false;
    break;
  }
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return ok;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: run_cases RECKON_BINARY FOLDER...\n");
    return 2;
  }
  const fs::path binary = fs::absolute(argv[1]);
  std::vector<fs::path> cases;
  for (int i = 2; i < argc; ++i) {
    for (const auto& entry : fs::recursive_directory_iterator(argv[i])) {
      if (entry.path().extension() == ".case") cases.push_back(entry.path());
    }
  }
  std::sort(cases.begin(), cases.end());
  size_t failed = 0;
  for (const fs::path& path : cases) failed += RunCase(path, binary) ? 0 : 1;
  fmt::print("{} passed, {} failed\n", cases.size() - failed, failed);
  return failed == 0 && !cases.empty() ? 0 : 1;
}
