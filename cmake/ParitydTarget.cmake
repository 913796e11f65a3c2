# The one place where warnings, sanitizers, include paths and the compiler cache are set.
find_program(PARITYD_CCACHE ccache)
if(PARITYD_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  # What it needs to know a precompiled header again, and a file in another clone.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${PARITYD_CCACHE})
  add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)
endif()

option(PARITYD_FUZZ "libFuzzer targets; needs clang" OFF)
if(PARITYD_FUZZ AND NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  message(FATAL_ERROR "PARITYD_FUZZ needs -DCMAKE_CXX_COMPILER=clang++, because libFuzzer is part of clang")
endif()

function(parityd_configure target)
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  # Designated initialisers name what differs from the default; the rest is meant to be left out.
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
    -Wno-missing-field-initializers
    # False alarms of g++ 12 and 13 with optimisation, inside std::string and std::optional (GCC bugs 105329, 80635 and 107852).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow>)
  if(PARITYD_SANITIZE STREQUAL thread)
    target_compile_options(${target} PUBLIC -fsanitize=thread -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=thread)
  elseif(PARITYD_SANITIZE)
    # Null pointers and what lies outside an object the address sanitizer sees, too, and the processor takes any
    # alignment: asking for these takes a quarter of the compiler's time.
    target_compile_options(${target} PUBLIC -fsanitize=address,undefined -fno-sanitize=null,alignment,object-size
      -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=address,undefined)
  endif()
  if(PARITYD_FUZZ)
    target_compile_options(${target} PUBLIC -fsanitize=fuzzer-no-link)
  endif()
endfunction()

function(parityd_library target)
  add_library(${target} STATIC ${ARGN})
  parityd_configure(${target})
endfunction()

function(parityd_executable target)
  add_executable(${target} ${ARGN})
  parityd_configure(${target})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
endfunction()
