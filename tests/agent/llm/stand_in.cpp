#include "tests/agent/llm/stand_in.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace parityd::agent::test {
namespace {

struct Pipe {
  int read = -1;
  int write = -1;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error("no pipe");
  }
  return {.read = ends[0], .write = ends[1]};
}

pid_t spawn(std::vector<std::string> words, int input, int output) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  arguments.reserve(words.size() + 1);
  for (auto& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  pid_t process = -1;
  const int failed = posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    throw std::runtime_error("python3 cannot be started");
  }
  return process;
}

}  // namespace

StandIn::StandIn(const nlohmann::json& rules, const std::string& key, std::vector<std::string> options) {
  std::ofstream(folder_.path() / "script.json") << rules;
  const Pipe input = make_pipe();
  const Pipe output = make_pipe();
  const std::string program = PARITYD_SOURCE_DIR "/tests/llm_server/server.py";
  std::vector<std::string> words{"python3",
                                 program,
                                 "--until-stdin-ends",
                                 "--script",
                                 folder_.path() / "script.json",
                                 "--journal",
                                 folder_.path() / "journal.jsonl",
                                 "--key",
                                 key};
  words.insert(words.end(), std::make_move_iterator(options.begin()), std::make_move_iterator(options.end()));
  process_ = spawn(std::move(words), input.read, output.write);
  input_ = input.write;
  close(input.read);
  close(output.write);
  std::string line;
  char c = 0;
  while (read(output.read, &c, 1) == 1 && c != '\n') {
    line += c;
  }
  close(output.read);
  const auto space = line.rfind(' ');
  if (space == std::string::npos) {
    throw std::runtime_error("the stand-in said: " + line);
  }
  port_ = std::stoi(line.substr(space));
}

StandIn::~StandIn() {
  close(input_);
  waitpid(process_, nullptr, 0);
}

std::vector<nlohmann::json> StandIn::journal(const std::string& event) const {
  std::vector<nlohmann::json> entries;
  std::ifstream stream(folder_.path() / "journal.jsonl");
  for (std::string line; std::getline(stream, line);) {
    auto entry = nlohmann::json::parse(line, nullptr, false);
    if (!entry.is_discarded() && entry.at("event") == event) {  // the last line may still be written
      entries.push_back(std::move(entry));
    }
  }
  return entries;
}

}  // namespace parityd::agent::test
