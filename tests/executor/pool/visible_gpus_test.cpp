#include "executor/pool/devices.h"

#include <cstdlib>
#include <optional>

#include "tests/catch.h"
#include "tests/executor/support.h"

using namespace parityd::executor;
using Gpus = std::vector<std::string>;

namespace {

/// This process's own, put back afterwards.
class VisibleDevices {
 public:
  explicit VisibleDevices(const char* value) {
    if (const char* const before = std::getenv(kName)) before_ = before;
    value == nullptr ? unsetenv(kName) : setenv(kName, value, 1);
  }
  ~VisibleDevices() { before_ ? setenv(kName, before_->c_str(), 1) : unsetenv(kName); }
  VisibleDevices(const VisibleDevices&) = delete;
  VisibleDevices& operator=(const VisibleDevices&) = delete;

 private:
  static constexpr const char* kName = "CUDA_VISIBLE_DEVICES";
  std::optional<std::string> before_;
};

}  // namespace

TEST_CASE("GPUs are counted by their device files and hidden by CUDA_VISIBLE_DEVICES as CUDA does") {
  const test::TemporaryFolder devices;
  for (const char* name : {"nvidia0", "nvidia1", "nvidia10", "nvidiactl", "nvidia-uvm", "nvidia-caps", "null"}) {
    test::write_file(devices.path() / name, "");
  }
  struct Row {
    const char* visible;
    Gpus gpus;
  };
  const auto row = GENERATE(Row{nullptr, {"0", "1", "2"}}, Row{"1", {"1"}}, Row{" 2 ,0", {"2", "0"}},
                            Row{"1,-1,0", {"1"}}, Row{"1,3,0", {"1"}}, Row{"GPU-ab,MIG-cd", {"GPU-ab", "MIG-cd"}},
                            Row{"", {}}, Row{"none", {}}, Row{"99999999999999999999", {}});
  CAPTURE(row.visible == nullptr ? "(unset)" : row.visible);
  const VisibleDevices set(row.visible);
  CHECK(visible_gpus(devices.path()) == row.gpus);
}

TEST_CASE("without the driver's device file there is no GPU, with it alone there is one") {
  const VisibleDevices unset(nullptr);
  const test::TemporaryFolder devices;
  test::write_file(devices.path() / "nvidia0", "");
  CHECK(visible_gpus(devices.path()).empty());
  const test::TemporaryFolder other;
  test::write_file(other.path() / "nvidiactl", "");
  CHECK(visible_gpus(other.path()) == Gpus{"0"});
  CHECK(visible_gpus(other.path() / "nowhere").empty());
}
