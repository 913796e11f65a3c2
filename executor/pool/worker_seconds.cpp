#include "executor/pool/worker_seconds.h"

namespace parityd::executor {}  // namespace parityd::executor
