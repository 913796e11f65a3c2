// What became of a warm worker's word on programs. One thread (the loop's).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace parityd::executor {

/// Programs that a warm worker judged one after another, up to a look at its whole state or to its end.
struct Settled {
  std::vector<std::int64_t> subjects;  // as the jobs call them; once for each job
  std::string why;                     // their verdicts count for nothing; empty: the look found nothing, they hold
};

}  // namespace parityd::executor
