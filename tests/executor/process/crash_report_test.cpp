// Native frames read from what a dying worker said.
#include "executor/process/crash_report.h"

#include "tests/catch.h"

using namespace parityd::executor;

TEST_CASE("a crash report is found among other output, and the last one counts") {
  const auto report = read_crash_report(
      "noise\nparityd crash: signal 6\nparityd frame: libc.so.6 abort 0x1\nparityd crash: end\nmore\n"
      "parityd crash: signal 11\n"
      "parityd frame: libtorch_cpu.so _ZN2at6native12_GLOBAL__N_110add_kernelERNS_18TensorIteratorBaseERKN3c106ScalarE "
      "0x55\n"
      "parityd frame: python3.11 _PyEval_EvalFrameDefault 0x1\nparityd crash: end\nFatal Python error: x\n");
  REQUIRE(report);
  CHECK(report->signal == 11);
  REQUIRE(report->frames.size() == 2);
  CHECK(report->frames[0].file == "libtorch_cpu.so");
  CHECK(report->frames[0].symbol == "at::native::(anonymous namespace)::add_kernel");
  CHECK(innermost_frame(*report) == "libtorch_cpu.so:at::native::(anonymous namespace)::add_kernel");
}

TEST_CASE("frames of the C library are skipped, and generated code has one name") {
  const auto report = read_crash_report(
      "parityd crash: signal 11\nparityd frame: ? ? 0x0\nparityd frame: libc.so.6 memcpy 0x1\n"
      "parityd frame: cqyx2fuiyw5tqsn6k7yj3lq4y5cdrhx6vq2mzr5tqsn6k7yj3lq.main.so kernel 0x1139\n");
  REQUIRE(report);
  CHECK(innermost_frame(*report) == "generated:kernel");
}

TEST_CASE("without a report or a useful frame there is no innermost frame") {
  CHECK_FALSE(read_crash_report("Segmentation fault\n"));
  const auto empty = read_crash_report("parityd crash: signal 7\n");
  REQUIRE(empty);
  CHECK(empty->signal == 7);
  CHECK(innermost_frame(*empty).empty());
  const auto garbage = read_crash_report("parityd crash: signal x\nparityd frame:  \nparityd frame: a");
  REQUIRE(garbage);
  CHECK(garbage->signal == 0);
}

TEST_CASE("a frame without a symbol is identified by its offset") {
  const auto report = read_crash_report("parityd crash: signal 11\nparityd frame: _ctypes.so ? 0x8608\n");
  REQUIRE(report);
  CHECK(innermost_frame(*report) == "_ctypes.so+0x8608");
}

TEST_CASE("arguments are removed, template arguments are kept") {
  const auto report = read_crash_report("parityd crash: signal 8\nparityd frame: l.so _Z1fIiEvT_ 0x0\n");
  REQUIRE(report);
  CHECK(innermost_frame(*report) == "l.so:void f<int>");
}

TEST_CASE("a crash with the worker's own module on the stack is a harness failure in whatever library it happens") {
  const auto own = read_crash_report(
      "parityd crash: signal 11\nparityd frame: libc.so.6 memcpy 0x1\nparityd frame: libtorch_cpu.so copy 0x1\n"
      "parityd frame: parityd_worker.cpython-311-x86_64-linux-gnu.so ? 0x1\nparityd frame: python3.11 call 0x1\n");
  REQUIRE(own);
  CHECK(is_of_harness(*own));
  const auto program = read_crash_report(
      "parityd crash: signal 11\nparityd frame: libtorch_cpu.so copy 0x1\nparityd frame: python3.11 call 0x1\n");
  REQUIRE(program);
  CHECK_FALSE(is_of_harness(*program));
}
