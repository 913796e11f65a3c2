# Also compiled into the torch module (executor/worker), which must link nothing but torch: header-only nlohmann_json is
# all these may use. The judging, with RE2 and xxHash, is the daemon's alone.
set(parityd_oracle_measure_sources
  measure/compare.cpp
  dtype.cpp
  measure/evidence.cpp
  finding/json.cpp
  measure/measure.cpp
  mode.cpp
  measure/otherwise.cpp
  run_record.cpp
  measure/same.cpp
  measure/scan.cpp
  measure/shared_memory.cpp
  measure/worst.cpp)
