// Names only: the worker's module compiles this file for oracle/finding/json.cpp. The judging is in judge.cpp and the
// rule files.
#include "oracle/rules/verdict.h"

#include "oracle/names.h"

namespace parityd::oracle {}  // namespace parityd::oracle
