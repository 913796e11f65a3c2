# Also compiled into the torch module (executor/worker), which must link nothing but torch: header-only nlohmann_json is
# all these may use. The judging, with RE2 and xxHash, is the daemon's alone.
set(parityd_oracle_measure_sources
  compare.cpp
  dtype.cpp
  evidence.cpp
  json.cpp
  leaf_values.cpp
  measure.cpp
  measurement.cpp
  mode.cpp
  noise.cpp
  otherwise.cpp
  run_record.cpp
  same.cpp
  scan.cpp
  shared_memory.cpp
  verdict.cpp
  worst.cpp)
