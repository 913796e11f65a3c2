// What the steps of programs work with, made once a daemon. One thread (the loop's).
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
  /// All outlive it. `draft_template`: the file that drafts are made of.
  Workshop(Turn& shared, executor::Syntax& parser, std::filesystem::path scratch, std::filesystem::path draft_template);
  /// After the configuration has changed.
  void reload();

  Turn& turn;
  executor::Syntax& syntax;
  Examiner examiner;
  Intake intake;
  Recorder recorder;
  Reducer reducer;
  StepOver step_over;
  std::uint64_t stepped_over_findings = 0;  // Turn::findings_changes of those that step_over knows
  Newness newness;
  Suspects suspects;
  ConfirmationShare share;
  Supply supply;
  Earnings earnings;
  DevicePressure pressure;
  Trust trust;
};

}  // namespace parityd::agent
