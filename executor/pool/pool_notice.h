// What happened to a worker, if the operator may want to know. One thread (the loop's).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace parityd::executor {

struct PoolNotice {
  enum class What {
    retired,  // worn, or requested: nothing is wrong
    died,
    hung,
    silent,
    garbled,
    left_processes,
    parent_touched,  // a fresh process reached the fork parent it came from
    flooded,         // its program wrote more than is kept
    device_error,    // the process is lost, the device is not
    device_memory,   // the device has no memory left
    tainted,         // its program changed state that the next program would see
    canary_failed,
    cache_lost,           // the shared cache has disappeared
    environment_changed,  // another torch, Python or machine than before
  };
  What what = What::retired;
  std::string group;
  std::string text;  // which worker, and what happened
};

// Whether a warm worker's verdicts hold. One thread (the loop's).

/// Programs that a warm worker judged one after another, up to a check of its whole state or to its end.
struct Settled {
  std::vector<std::int64_t> subjects;  // numbers given by the jobs; once for each job
  std::string why;                     // why their verdicts do not count; empty: the check found nothing, they hold
};

}  // namespace parityd::executor
