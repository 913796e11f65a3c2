#include "executor/worker_build.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "executor/build_command.h"
#include "oracle/json_read.h"

namespace parityd::executor {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kDescription = "worker.json";
constexpr int kShownLogLines = 25;

using Progress = std::function<void(const std::string&)>;

template <class Value = BuiltWorker>
using Result = tl::expected<Value, std::string>;

tl::unexpected<std::string> fails(std::string message) { return tl::unexpected(std::move(message)); }

/// Torch may have been replaced underneath a module that was built for it.
bool torch_unchanged(const json& description) {
  std::ifstream file(description.value("torch_version_file", ""));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return text.find("'" + description.at("torch").get<std::string>() + "'") != std::string::npos;
}

std::optional<BuiltWorker> read_worker(const fs::path& folder, const std::string& current_hash) {
  std::ifstream file(folder / kDescription);
  const json description = json::parse(file, nullptr, false);
  try {
    BuiltWorker worker{.folder = folder,
                       .python = description.at("python").get<std::string>(),
                       .torch_folder = fs::path(description.value("torch_version_file", "")).parent_path(),
                       .torch = description.at("torch").get<std::string>(),
                       .python_version = description.at("python_version").get<std::string>(),
                       .source_hash = description.at("source_hash").get<std::string>(),
                       .cuda = description.at("cuda").get<bool>()};
    worker.current = worker.source_hash == current_hash && torch_unchanged(description);
    return worker;
  } catch (const json::exception&) {
    return std::nullopt;  // not a folder of ours, or one that was never finished
  }
}

/// Held while building, so that two concurrent builders do the work once. The kernel releases it when the process ends.
class BuildLock {
 public:
  explicit BuildLock(const fs::path& file, const Progress& progress)
      : descriptor_(open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600)) {
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      progress("another process is building this worker; waiting for it");
      flock(descriptor_, LOCK_EX);
    }
  }
  BuildLock(const BuildLock&) = delete;
  BuildLock& operator=(const BuildLock&) = delete;
  ~BuildLock() { close(descriptor_); }

 private:
  int descriptor_;
};

/// Removed with its contents unless it was renamed first.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(fs::path path) : path_(std::move(path)) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

Result<json> torch_facts(const fs::path& python) {
  if (find_program(python).empty()) return fails(fmt::format("there is no {}", python.string()));
  std::string output;
  const int status = run_command({python.string(), "-I", "-c", kTorchFacts}, {},
                                 [&](const std::string& line) { output += line + "\n"; });
  const json facts = oracle::parsed(output);
  if (status == 0 && facts.is_object() && facts.value("torch", json()).is_string()) return facts;
  if (status == 0 && facts.is_object()) {
    return fails(fmt::format("{0} has no torch; install it with: {0} -m pip install torch", python.string()));
  }
  return fails(
      fmt::format("{} is not a working Python: it exited with status {}\n{}", python.string(), status, output));
}

Result<json> checked_tools(json facts) {
  const char* compiler = std::getenv("CXX");
  const bool has_compiler = compiler != nullptr ? !find_program(compiler).empty()
                                                : !find_program("c++").empty() || !find_program("g++").empty();
  std::string missing;
  missing += find_program("cmake").empty() ? " cmake" : "";
  missing += has_compiler ? "" : " g++";
  missing += find_program("ninja").empty() && find_program("make").empty() ? " ninja-build" : "";
  if (!missing.empty()) {
    return fails("cannot build the worker; missing:" + missing + "\ninstall with (Debian, Ubuntu): apt-get install" +
                 missing);
  }
  if (!facts.value("headers", false)) {
    return fails(fmt::format("{} has no headers (Python.h is not in {}); on Debian and Ubuntu install python3-dev",
                             facts.at("executable").get<std::string>(), facts.at("include").get<std::string>()));
  }
  return facts;
}

std::string last_lines(const fs::path& log) {
  std::ifstream file(log);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  std::string text;
  const std::size_t shown = std::min<std::size_t>(lines.size(), kShownLogLines);
  for (std::size_t index = lines.size() - shown; index < lines.size(); ++index) text += "  " + lines[index] + "\n";
  return text;
}

/// Runs CMake twice. On failure the log stays where it is.
Result<fs::path> build_module(const WorkerBuildPlaces& places, const fs::path& python, const fs::path& folder,
                              const fs::path& log, const Progress& progress) {
  std::vector<std::string> configure{"cmake", "-S", places.sources, "-B", folder};
  const std::string root = places.oracle.parent_path();
  for (const std::string& definition : {"Python3_EXECUTABLE=" + python.string(), "PARITYD_ORACLE_DIR=" + root,
                                        std::string("CMAKE_BUILD_TYPE=Release")}) {
    configure.push_back("-D" + definition);
  }
  if (!find_program("ninja").empty()) configure.insert(configure.end(), {"-G", "Ninja"});
  std::ofstream file(log);
  const auto keep = [&](const std::string& line) {
    file << line << std::endl;
    progress(line);
  };
  for (const auto& command : {configure, std::vector<std::string>{"cmake", "--build", folder, "--parallel", "2"}}) {
    if (const int status = run_command(command, {}, keep); status != 0) {
      return fails(fmt::format(
          "the worker module for {} did not build ({} ended with status {}):\n{}the full log is {}", python.string(),
          command[1] == "-S" ? "configuring" : "compiling", status, last_lines(log), log.string()));
    }
  }
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with("parityd_worker") && entry.path().extension() == ".so") {
      return entry.path();
    }
  }
  return fails(fmt::format("the build produced no parityd_worker*.so; its log is {}", log.string()));
}

void finish_folder(const fs::path& module, const json& description, const fs::path& unfinished,
                   const fs::path& folder) {
  fs::copy_file(module, unfinished / module.filename());
  std::ofstream file(unfinished / kDescription);
  file << description.dump(2) << "\n";
  file.close();
  if (!file) {
    throw fs::filesystem_error("cannot write", unfinished / kDescription, std::make_error_code(std::errc::io_error));
  }
  fs::remove_all(folder);  // has no readable description, or it would have been used
  fs::rename(unfinished, folder);
}

Result<> build_with(const WorkerBuildPlaces& places, json description, const Progress& progress) {
  const fs::path python = description.at("python").get<std::string>();
  const auto source_hash = description.at("source_hash").get<std::string>();
  // Two environments may hold the same torch, so the interpreter's own path is part of the name.
  const std::string label =
      fmt::format("{}-{}-{}", description.at("torch").get<std::string>(),
                  description.at("python_version").get<std::string>(), short_hash(source_hash + python.string()));
  fs::create_directories(places.cache);
  const BuildLock lock(places.cache / ("." + label + ".lock"), progress);
  const fs::path folder = places.cache / label;
  if (const auto built = read_worker(folder, source_hash); built && built->current) return *built;
  const fs::path log = places.cache / (label + ".log");
  const TemporaryFolder building(places.cache / ("." + label + ".build"));
  const auto module = build_module(places, python, building.path(), log, progress);
  if (!module) return fails(module.error());
  const TemporaryFolder unfinished(places.cache / ("." + label + ".unfinished"));
  finish_folder(*module, description, unfinished.path(), folder);
  fs::remove(log);
  const auto built = read_worker(folder, source_hash);
  return built ? Result<>(*built) : fails(fmt::format("{} cannot be read back", (folder / kDescription).string()));
}

namespace fs = std::filesystem;

bool is_compiled(const fs::path& file) {
  return file.extension() == ".cpp" || file.extension() == ".h" || file.extension() == ".cu" ||
         file.extension() == ".cuh" || file.extension() == ".cmake" || file.filename() == "CMakeLists.txt" ||
         file.filename() == "torch_facts.py" || file.filename() == "modes.json";
}

void append_folder(const fs::path& folder, std::string& all) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && is_compiled(entry.path())) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  for (const auto& file : files) {
    std::ifstream stream(file, std::ios::binary);
    all += fs::relative(file, folder).string() + '\0';
    all.append(std::istreambuf_iterator<char>(stream), {});
    all += '\0';
  }
}

}  // namespace

std::vector<BuiltWorker> built_workers(const WorkerBuildPlaces& places) {
  const std::string current_hash = worker_source_hash(places);
  std::vector<std::pair<fs::file_time_type, BuiltWorker>> found;
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(places.cache, absent)) {
    if (const auto worker = read_worker(entry.path(), current_hash)) {
      found.emplace_back(fs::last_write_time(entry.path() / kDescription, absent), *worker);
    }
  }
  std::ranges::sort(found, std::greater{}, [](const auto& one) { return one.first; });
  std::vector<BuiltWorker> workers;
  workers.reserve(found.size());
  for (auto& [time, worker] : found) workers.push_back(std::move(worker));
  return workers;
}

std::optional<BuiltWorker> find_worker(const WorkerBuildPlaces& places, const fs::path& python) {
  const fs::path wanted = python.empty() ? python : absolute_program(python);
  for (auto& worker : built_workers(places)) {
    if (worker.current && (wanted.empty() || worker.python == wanted)) return worker;
  }
  return std::nullopt;
}

tl::expected<BuiltWorker, std::string> build_worker(const WorkerBuildPlaces& places, const fs::path& python,
                                                    const Progress& progress) {
  try {
    const fs::path interpreter = absolute_program(python);
    if (const auto built = find_worker(places, interpreter)) return *built;
    auto facts = torch_facts(interpreter);
    facts = facts ? checked_tools(std::move(*facts)) : facts;
    if (!facts) return fails(facts.error());
    json description = std::move(*facts);
    description["python"] = interpreter.string();
    description["source_hash"] = worker_source_hash(places);
    return build_with(places, std::move(description), progress);
  } catch (const std::exception& failure) {
    return fails(fmt::format("the worker for {} could not be built: {}", python.string(), failure.what()));
  }
}

const char* const kTorchFacts = R"python(
import importlib.util, json, os, platform, sys, sysconfig
include = sysconfig.get_path("include")
facts = {"torch": None, "executable": sys.executable, "python_version": platform.python_version(), "include": include,
         "headers": os.path.exists(os.path.join(include, "Python.h")), "cuda": False}
spec = importlib.util.find_spec("torch")
if spec is not None and spec.origin is not None:
    file = os.path.join(os.path.dirname(spec.origin), "version.py")
    version = {}
    with open(file, encoding="utf-8") as source:
        exec(source.read(), version)
    facts.update(torch=str(version["__version__"]), cuda=version.get("cuda") is not None, torch_version_file=file)
print(json.dumps(facts))
)python";

std::string worker_source_hash(const WorkerBuildPlaces& places) {
  std::string all;
  append_folder(places.sources, all);
  append_folder(places.oracle, all);
  append_folder(places.sources.parent_path() / "confine", all);
  append_folder(places.sources.parent_path() / "shared", all);
  return short_hash(all);
}

std::string short_hash(std::string_view text) { return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size())); }

}  // namespace parityd::executor
