// What reports of compute-sanitizer and of torch's bisector come to.
#include "oracle/finding/tool_reports.h"

#include "tests/catch.h"

using namespace parityd::oracle;

TEST_CASE("memcheck: threads that report one fault of one kernel are one fact") {
  const auto report = read_sanitizer_report(
      "========= COMPUTE-SANITIZER\n"
      "program output\n"
      "========= Invalid __global__ read of size 4 bytes\n"
      "=========     at triton_poi_fused_add_0+0x90 in c7abc.py:18\n"
      "=========     by thread (32,0,0) in block (0,0,0)\n"
      "=========     Access to 0x7f0000000084 is out of bounds\n"
      "========= \n"
      "========= Invalid __global__ read of size 4 bytes\n"
      "=========     at triton_poi_fused_add_0+0x90 in c7abc.py:18\n"
      "=========     by thread (33,0,0) in block (0,0,0)\n"
      "========= Invalid __shared__ write of size 2 bytes\n"
      "=========     at void at::native::reduce_kernel<512, 1>(float*, int)+0x1c0\n"
      "========= ERROR SUMMARY: 3 errors\n");
  CHECK(report.ended);
  REQUIRE(report.facts.size() == 2);
  CHECK(report.facts[0].what == "Invalid __global__ read of size 4");
  CHECK(report.facts[0].kernel == "triton_poi_fused_add_0");
  CHECK(report.facts[0].where == "c7abc.py:18");
  CHECK(report.facts[0].reports == 2);
  CHECK(report.facts[1].what == "Invalid __shared__ write of size 2");
  CHECK(report.facts[1].kernel == "void at::native::reduce_kernel<512, 1>");
  CHECK(report.facts[1].where.empty());
  CHECK(out_of_bounds(report) == Side::compiled);
}

TEST_CASE("a fault in a kernel that Inductor did not generate is not a fault of compiled code") {
  const auto report = read_sanitizer_report(
      "========= Invalid __global__ write of size 8 bytes\n"
      "=========     at void at::native::(anonymous namespace)::index_kernel<int>(float*)+0x30\n"
      "========= ERROR SUMMARY: 1 error\n");
  REQUIRE(report.facts.size() == 1);
  CHECK(report.facts[0].kernel == "void at::native::(anonymous namespace)::index_kernel<int>");
  CHECK_FALSE(is_compiled_kernel(report.facts[0].kernel));
  CHECK(out_of_bounds(report) == Side::eager);
}

TEST_CASE("racecheck names both accesses and the kernel") {
  const auto report = read_sanitizer_report(
      "========= Error: Race reported between Write access at triton_red_fused_sum_1+0x2a0 in c1.py:40\n"
      "=========     and Read access at triton_red_fused_sum_1+0x310 in c1.py:44 [256 hazards]\n"
      "========= Error: Race reported between Write access at k+0x10 and Write access at k+0x20 [8 hazards]\n"
      "========= RACECHECK SUMMARY: 2 hazards displayed (2 errors, 0 warnings)\n");
  CHECK(report.ended);
  REQUIRE(report.facts.size() == 2);
  CHECK(report.facts[0].kernel == "triton_red_fused_sum_1");
  CHECK(report.facts[0].where == "c1.py:40");
  CHECK(report.facts[0].what == "Race between write and read");
  CHECK(report.facts[1].what == "Race between write and write");
  CHECK(report.facts[1].kernel == "k");
  CHECK_FALSE(out_of_bounds(report).has_value());
}

TEST_CASE("initcheck reports reads of uninitialised memory") {
  const auto report = read_sanitizer_report(
      "========= Uninitialized __global__ memory read of size 4 bytes\n"
      "=========     at triton_per_fused_mean_0+0x80\n"
      "=========     by thread (0,0,0) in block (1,0,0)\n"
      "========= ERROR SUMMARY: 1 error\n");
  REQUIRE(report.facts.size() == 1);
  CHECK(report.facts[0].what == "Uninitialized __global__ memory read of size 4");
  CHECK(report.facts[0].kernel == "triton_per_fused_mean_0");
  CHECK_FALSE(out_of_bounds(report).has_value());
}

TEST_CASE("truncated output keeps its last fault, and clean output is recognised as complete") {
  const auto cut = read_sanitizer_report("========= Invalid __global__ read of size 1 bytes\n=========     at triton_");
  REQUIRE(cut.facts.size() == 1);
  CHECK_FALSE(cut.ended);
  const auto clean = read_sanitizer_report("========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n");
  CHECK(clean.ended);
  CHECK(clean.facts.empty());
  CHECK(read_sanitizer_report("").facts.empty());
  CHECK_FALSE(read_sanitizer_report("no sanitizer ran\n").ended);
}

TEST_CASE("the summary names what compiled kernels did, else what others did") {
  // As compute-sanitizer 2025.3 writes it on an H200.
  const auto report = read_sanitizer_report(
      "========= COMPUTE-SANITIZER\n"
      "========= Invalid __global__ read of size 8 bytes\n"
      "=========     at triton_poi_fused_add_mul_relu_sin_0+0xb0 in cvwpoxwq.py:24\n"
      "=========     by thread (115,0,0) in block (3,0,0)\n"
      "=========     Access to 0x7f88fe800f98 is out of bounds\n"
      "=========     and is 5 bytes after the nearest allocation at 0x7f88fe800000 of size 3,988 bytes\n"
      "========= \n"
      "========= Uninitialized __global__ memory read of size 4 bytes\n"
      "=========     at void at::native::copy_kernel(float*)+0x30\n"
      "========= Target application returned an error\n"
      "========= ERROR SUMMARY: 2 errors\n");
  CHECK(in_words("memcheck", report) ==
        "memcheck: Invalid __global__ read of size 8 in triton_poi_fused_add_mul_relu_sin_0 at cvwpoxwq.py:24");
  const auto eager = read_sanitizer_report(
      "========= Invalid __global__ read of size 4 bytes\n=========     at void gather<int>(int*)+0x30\n"
      "========= Invalid __global__ read of size 4 bytes\n=========     at void gather<int>(int*)+0x30\n");
  CHECK(in_words("memcheck", eager) ==
        "memcheck: Invalid __global__ read of size 4 in void gather<int>, reported 2 times");
  CHECK(in_words("memcheck", {}).empty());
}

TEST_CASE("the bisector's variables are read where they show its result, never from text of the program") {
  const auto report = read_bisect_report(
      "== bisect of finding_7.py, torch 2.13.0 on cpu\n"
      "TORCH_BISECT_BACKEND=eager: right\n"
      "TORCH_BISECT_BACKEND=aot_eager: still wrong\n"
      "found: backend aot_eager, which the bisector does not divide\n"
      "reproduce: TORCH_BISECT_BACKEND=aot_eager\n"
      "\n== inductor raised ValueError in step forward:\n"
      "reproduce: rm\n");
  REQUIRE(report);
  CHECK(report->found == "backend aot_eager, which the bisector does not divide");
  CHECK(report->variables == "TORCH_BISECT_BACKEND=aot_eager");
  CHECK_FALSE(read_bisect_report("inductor: runs, as eager does: there is nothing to bisect\nreproduce: rm\n"));
  CHECK_FALSE(read_bisect_report("found: backend eager, which the bisector does not divide\nreproduce: rm\n"));
  CHECK_FALSE(read_bisect_report(""));
}
