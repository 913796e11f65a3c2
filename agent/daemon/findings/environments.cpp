#include "agent/daemon/findings/environments.h"

#include "executor/pool/pool.h"

namespace parityd::agent {

bool Environments::update(executor::GroupIndex group) {
  if (complete_.contains(group)) {
    return true;
  }
  const auto hello = turn_.pool.hello(group);
  if (!hello) {
    return false;
  }
  const auto& [id, text, features] = turn_.pool.environment(group);
  if (recorder_.environment(group).id != 0 && text.empty()) {
    return false;
  }
  const auto device = turn_.pool.config(group).device;
  recorder_.set_environment(group, {.torch = hello->torch,
                                    .python = hello->python,
                                    .device = std::string(name(device)),
                                    .device_name = hello->device_name(device),
                                    .sandbox = executor::description(hello->sandbox),
                                    .text = text});
  if (!text.empty()) {
    complete_.insert(group);
    turn_.store.coverage.list(features);
  }
  return !text.empty();
}

void Environments::forget(executor::GroupIndex group) {
  complete_.erase(group);
  recorder_.forget_environment(group);
}

}  // namespace parityd::agent
