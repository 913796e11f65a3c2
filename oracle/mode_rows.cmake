# What oracle/mode.h and mode.cpp include, below ${PROJECT_BINARY_DIR}/generated. For the torch module, too.
include(${CMAKE_CURRENT_LIST_DIR}/table_rows.cmake)
set(modes ${CMAKE_CURRENT_LIST_DIR}/../executor/shared/modes.json)
parityd_names(${modes} ${PROJECT_BINARY_DIR}/generated/oracle/mode_names.inc)
parityd_rows(${modes} ${PROJECT_BINARY_DIR}/generated/oracle/mode_rows.inc
  "name;backend;route;functional;look:Look;dynamic;against:Mode;in_double;normal;settings;off;compile_mode;words;options;calls;swept;key;weight")
