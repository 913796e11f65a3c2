// What became of a worker that whoever runs parityd may want to know of. One thread (the loop's).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace parityd::executor {

struct PoolNotice {
  enum class What {
    retired,  // worn, or asked for: nothing is wrong
    died,
    hung,
    silent,
    garbled,
    left_processes,
    parent_touched,  // a fresh process reached the one it came from
    flooded,         // its program wrote more than is kept
    device_error,    // the process is done, the device is not
    device_memory,   // there is none left on the device
    tainted,         // its program changed what the next one would meet
    canary_failed,
    cache_lost,           // the shared one is not there any more
    environment_changed,  // it is another torch, Python or machine than before
  };
  What what = What::retired;
  std::string group;
  std::string text;  // which worker, and how it was
};

// What became of a warm worker's word on programs. One thread (the loop's).

/// Programs that a warm worker judged one after another, up to a look at its whole state or to its end.
struct Settled {
  std::vector<std::int64_t> subjects;  // as the jobs call them; once for each job
  std::string why;                     // their verdicts count for nothing; empty: the look found nothing, they hold
};

}  // namespace parityd::executor
