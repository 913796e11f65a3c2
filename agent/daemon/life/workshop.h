// Objects shared by the steps of programs, created once per daemon. One thread (the loop's).
#pragma once

#include <cstdint>
#include <filesystem>

#include "agent/daemon/findings/recorder.h"
#include "agent/daemon/life/trust.h"
#include "agent/daemon/loop/turn.h"
#include "agent/daemon/program/examiner.h"
#include "agent/daemon/program/newness.h"
#include "agent/daemon/program/reducer.h"
#include "agent/daemon/program/step_over.h"
#include "agent/daemon/program/suspects.h"
#include "agent/daemon/supply/earnings.h"
#include "agent/daemon/supply/intake.h"
#include "agent/daemon/supply/share.h"
#include "agent/daemon/supply/supply.h"
#include "agent/daemon/upkeep/device_pressure.h"

namespace parityd::agent {

struct Workshop {
  /// References outlive this object. `draft_template`: the template file of drafts.
  Workshop(Turn& shared, executor::Syntax& parser, std::filesystem::path scratch, std::filesystem::path draft_template);
  /// After a configuration change.
  void reload();

  Turn& turn;
  executor::Syntax& syntax;
  Examiner examiner;
  Intake intake;
  Recorder recorder;
  Reducer reducer;
  StepOver step_over;
  std::uint64_t stepped_over_findings = 0;  // Turn::findings_changes when step_over was last updated
  Newness newness;
  Suspects suspects;
  ConfirmationShare share;
  Supply supply;
  Earnings earnings;
  DevicePressure pressure;
  Trust trust;
};

}  // namespace parityd::agent
