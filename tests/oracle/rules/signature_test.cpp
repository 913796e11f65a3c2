#include "oracle/rules/signature.h"

#include "oracle/rules/message.h"
#include "tests/catch.h"
#include "tests/oracle/builders.h"
#include "tests/text.h"

namespace parityd::oracle::test {
namespace {

using parityd::tests::contains;

}  // namespace

TEST_CASE("messages with one cause are normalised to one text") {
  struct Row {
    const char *one, *other, *normal;
  };
  for (const Row& row : std::vector<Row>{
           {"index 10 is out of bounds for dimension 0 with size 4",
            "index 7 is out of bounds for dimension 1 with size 4",
            "index # is out of bounds for dimension # with size #"},
           {"shapes [2, 3] and [4, 5] disagree", "shapes [16, 1] and [2, 8] disagree",
            "shapes [#, #] and [#, #] disagree"},
           {"KeyError: 'buf3'", "KeyError: 'buf12'", "KeyError: 'buf#'"},
           {"tmp7 = tmp6 + tmp2", "tmp70 = tmp1 + tmp99", "tmp# = tmp# + tmp#"},
           {"arg1_1 and primals_3", "arg10_1 and primals_12", "arg# and primals#"},
           {"s77 + u0", "s0 + u3", "s# + u#"},
           {"<Model object at 0x7f12ab>", "<Model object at 0xdeadbeef>", "<Model object at <address>>"},
           {"in /tmp/a/b/program.py", "in /home/x/program.py", "in program.py"},
           {"/tmp/x/cabcdefghijklmnopqrstuvwxyz234567abcdefghijklmnopqr2.py failed",
            "/var/y/czzcdefghijklmnopqrstuvwxyz234567abcdefghijklmnopqr7.py failed", "<generated> failed"},
           {"File \"/a/b/graph.py\", line 1234, in f", "File \"/c/graph.py\", line 7, in f",
            "File \"graph.py\", line #, in f"},
           {"graph.py:1234: wrong", "/x/graph.py:9: wrong", "graph.py: wrong"},
           {"worker pid 4711 left", "worker pid 12 left", "worker pid # left"},
           {"at 2026-11-21 04:40:52.123 it", "at 2025-01-01T00:00:00 it", "at <time> it"},
           {"input getitem_3 of add_12", "input getitem_77 of add_1", "input getitem_# of add_#"},
           {"node getitem_3 has no val", "node mul_7 has no val", "node <node> has no val"},
           {"fx node %add_3 of %relu", "fx node %mul of %tanh_1", "fx node <node> of <node>"},
           {"no meta\n\nWhile executing %add_3 : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args "
            "= "
            "(%arg0_1, 1), kwargs = {})\nOriginal traceback:\n  File \"/a/p1.py\", line 7, in forward\n    return x + "
            "1\n"
            "           ^^^^^\n\nUse tlparse to see full graph. (https://example.org)",
            "no meta\n\nWhile executing %mul : [num_users=2] = call_function[target=operator.mul](args = (%x, %y), "
            "kwargs = "
            "{})\nOriginal traceback:\nNone\nUse tlparse to see full graph. (https://example.org)\n",
            "no meta"},
           {"LoweringException: no rule\n  target: aten.sort.stable\nFound from : \n   File \"/a/p1.py\", line 9, in "
            "forward\n"
            "    y = x.sort(stable=True)\n",
            "LoweringException: no rule\n  target: aten.sort.stable\n",
            "LoweringException: no rule target: aten.sort.stable"},
           {"got tensor([1., 2.], dtype=torch.float64)", "got tensor([[0.5]])", "got tensor(…)"},
           {"value -1.5e-07 and 4L", "value 12 and 8L", "value # and #"},
           {"index out of bounds: 0 <= tmp7 < 4L", "index out of bounds: 0 <= tmp12 < 128L",
            "index out of bounds: # <= tmp# < #"},
           {"CUDA error\nException raised from h at a.cpp:1 (most recent call first):\nframe #0: a::b() + 0x1 (0x2 in "
            "/opt/c.so)\nframe #1: python3() [0x58216f]\nmore",
            "CUDA error\nmore", "CUDA error more"},
           {"fake tensors: call_function quantile(*(1,), **{}): got RuntimeError('Cannot call numel()\\nException "
            "raised "
            "from throw_it at /pytorch/c10/T.cpp:289 (most recent call first):\\nframe #0: c10::Error::Error(int) + "
            "0x9d "
            "(0x7f in /opt/libc10.so)\\nframe #12: <unknown function> + 0x5 (0x7f in /opt/x.so)\\n')\n",
            "fake tensors: call_function quantile(*(2,), **{}): got RuntimeError('Cannot call numel()')\n",
            "fake tensors: RuntimeError: Cannot call numel()"},
           {"CompilationError: at 3:11:\ndef k(in_ptr0, xnumel):\n    xnumel = 42\n    tmp2 = helpers.search(tmp0, 7)\n"
            "           ^\n",
            "CompilationError: at 2:11:\ndef k(in_ptr0, ks0, xnumel):\n    tmp2 = helpers.search(tmp0, ks0)\n"
            "           ^",
            "CompilationError: helpers.search"},
           {"at 2:4:\n  x = f(g)\n      ^\nat 9:4:\n  y\n  ^\nAssertionError('both')",
            "at 7:4:\n  one\n  x = f(h)\n      ^\nat 1:2:\n  y\n  ^\nAssertionError('both')",
            "f y AssertionError('both')"},
           {"run FX node with fake tensors: call_function <built-in method quantile of type object at 0x7f12ab>("
            "*(FakeTensor(..., size=(s77, 4)), 0.5), **{}): got RuntimeError('numel()')",
            "run FX node with fake tensors: call_method nanquantile(*(FakeTensor(..., size=(s3, 4, 2)), "
            "FakeTensor(..., size=(3,))), **{'dim': -1}): got RuntimeError('numel()')",
            "fake tensors: RuntimeError: numel()"},
           {"AssertionError: n=copy_, n.args[0]=empty, placeholders={arg3_1, arg1_1}, graph=graph():\n"
            "    %arg1_1 : [num_users=9] = placeholder[target=arg1_1]\n    return (%copy_, %mul)",
            "AssertionError: n=copy_, n.args[0]=empty, placeholders={arg0_1, arg1_1, arg2_1}, graph=graph():\n"
            "    %arg0_1 : [num_users=1] = placeholder[target=arg0_1]\n    return %copy_",
            "AssertionError: n=copy_, n.args[#]=empty, placeholders={…}, graph=graph():"},
           {"  spaced\n\n  lines ", "spaced lines", "spaced lines"},
       }) {
    CAPTURE(row.one);
    CHECK(normalise_message(row.one) == row.normal);
    CHECK(normalise_message(row.other) == row.normal);
  }
}

TEST_CASE("an operator's error for fake tensors is the error, not Dynamo's report of it") {
  const std::string report =
      "RuntimeError when making fake tensor call\n  Explanation: Dynamo failed to run FX node with fake tensors: "
      "call_function <built-in function softshrink>(*(FakeTensor(..., size=(4, 6)), -0.25), **{}): got "
      "RuntimeError('lambda must be in range [0, 3.4e+38] for input dtype torch.float32, but it is found to be -0.25')"
      "\n  Hint: Your code may result in an error when running in eager.\n";
  const auto call = oracle::fake_call(report);
  REQUIRE(call);
  CHECK(call->called == "softshrink");
  CHECK(normalise_message(report) ==
        "fake tensors: RuntimeError: lambda must be in range [#, #] for input dtype torch.float32, but it is found to "
        "be #");
  CHECK(oracle::fake_call("call_method sum(*(FakeTensor(..., size=(2,)),), **{'dim': 3}): got "
                          "IndexError(\"it's out\")")
            ->error == "IndexError: it's out");
  CHECK_FALSE(oracle::fake_call("got RuntimeError('x')"));
}

TEST_CASE("torch 2.6 words an operator's error for fake tensors differently") {
  const std::string head =
      "Failed running call_function <built-in method renorm of type object at 0x7ff0>(*(FakeTensor(..., size=(4, 6)), "
      "2.0, 0, -1.5), **{}):\n";
  const std::string tail = "\n\nfrom user code:\n   File \"p.py\", line 3, in forward\n";
  const auto call = oracle::fake_call(head + "renorm: expected maxnorm to be >= 0 but got -1.5" + tail);
  REQUIRE(call);
  CHECK(call->called == "renorm");
  CHECK(call->error == "renorm: expected maxnorm to be >= 0 but got -1.5");
  CHECK(normalise_message(head + "two\nlines" + tail) == "fake tensors: two lines");
  CHECK_FALSE(oracle::fake_call(head + tail));  // it says nothing
}

TEST_CASE("errors that the program catches are one finding, whichever operator raises them") {
  const std::string program =
      "def forward(self, x):\n    try:\n        x = f(x)\n    except RuntimeError:\n        pass\n";
  const auto shown = [](const std::string& message) {
    Shown made{.verdict = {VerdictKind::inconsistent, Kind::behaviour, "outcome.compiled_raises", "it raises", {}},
               .evidence = {}};
    made.evidence.outcomes[Mode::inductor] = raised(Step::compile, "RuntimeError", message);
    return made;
  };
  const auto fake = [&](const std::string& called) {
    return shown("call_function " + called + "(*(1,), **{}): got RuntimeError('no " + called + "')");
  };
  const auto one = signature_of_caught_error(fake("torch.mm"), program);
  REQUIRE(one);
  CHECK(one->hash == signature_of_caught_error(fake("F.softshrink"), program)->hash);
  CHECK_FALSE(signature_of_caught_error(fake("torch.mm"), "def forward(self, x):\n    f(x)\n"));
  CHECK_FALSE(signature_of_caught_error(shown("no reason"), program));
  const auto index = [&](const std::string& handler) {
    Shown made = shown("Dimension out of range (expected to be in range of [-2, 1], but got 5)");
    made.evidence.outcomes[Mode::inductor].error->outer_class = "IndexError";
    return signature_of_caught_error(made, "    try:\n        f(x)\n    " + handler + "\n        pass\n").has_value();
  };
  CHECK(index("except IndexError:"));
  CHECK(index("except (ValueError, IndexError) as error:"));
  CHECK(index("except:"));
  CHECK_FALSE(index("except ValueError:"));
}

TEST_CASE("text after the lines of a graph's node is kept") {
  CHECK(normalise_message("one\nOriginal traceback:\n  File \"p.py\", line 3, in forward\n    x.add(y)\ntarget: two") ==
        "one target: two");
}

TEST_CASE("eager's refusal is one error, however the call is written") {
  struct Row {
    std::vector<const char*> messages;
    const char* normal;
  };
  for (const Row& row : std::vector<Row>{
           {{"\"ceil_vml_cpu\" not implemented for 'Bool'", "\"ceil\" not implemented for 'Bool'",
             "\"ceil_cuda\" not implemented for 'Bool'"},
            "\"ceil\" not implemented for 'bool'"},
           {{"\"LayerNormKernelImpl\" not implemented for 'Short'", "\"layer_norm\" not implemented for 'Long'"},
            "\"layer_norm\" not implemented for 'integer'"},
           {{"\"GeluKernelImpl\" not implemented for 'Half'"}, "\"gelu\" not implemented for 'low_precision'"},
           {{"\"addmm_impl_cpu_\" not implemented for 'BFloat16'"}, "\"addmm\" not implemented for 'low_precision'"},
           {{"\"upsample_bilinear2d_channels_last\" not implemented for 'Int'",
             "\"upsample_bilinear2d\" not implemented for 'Char'"},
            "\"upsample_bilinear2d\" not implemented for 'integer'"},
           {{"index -2 is out of bounds for dimension 0 with size 5", "index out of range in self",
             "INDICES element is out of DATA bounds, id=-6 axis_dim=6"},
            "index out of range"},
           {{"index_add_(): self (Float) and source (Half) must have the same scalar type",
             "index_add(): self (float) and source (c10::Half) must have the same scalar type",
             "torch.index_add: self (torch.float32) and source (torch.HalfTensor) must have the same scalar type"},
            "index_add: self (float) and source (low_precision) must have the same scalar type"},
           {{"dot : expected both vectors to have same dtype, but found Float and Long",
             "dot(): Expected both vectors to have same dtype, but got: float and long int"},
            "dot: expected both vectors to have same dtype, but got float and integer"},
           {{"mask with dtype short int", "mask with dtype Short", "mask with dtype torch.int16"},
            "mask with dtype integer"},
           {{"Input type (c10::BFloat16) and unsigned char",
             "Input type (torch.cuda.BFloat16Tensor) and torch.ByteTensor"},
            "Input type (low_precision) and integer"},
           {{"value cannot be converted to type int8_t without overflow",
             "value cannot be converted to type uint8_t without overflow"},
            "value cannot be converted to type integer without overflow"},
           {{"absolute(): not on ComplexDouble", "abs: not on torch.complex128"}, "abs: not on complex"},
           {{"The size of tensor a (3) must match", "The size of tensor a (7) must match"},
            "The size of tensor a (#) must match"},
       }) {
    for (const char* const message : row.messages) {
      CAPTURE(message);
      CHECK(normalise_refusal(message) == row.normal);
    }
  }
  CHECK(normalise_refusal("\"ceil\" not implemented for 'Bool'") !=
        normalise_refusal("\"ceil\" not implemented for 'Byte'"));
  CHECK(normalise_refusal("\"ceil\" not implemented for 'Bool'") !=
        normalise_refusal("\"floor\" not implemented for 'Bool'"));
}

TEST_CASE("a lost check is identified by the dispatcher's operator, however the program calls it") {
  Evidence evidence = round_of();
  const Verdict verdict{VerdictKind::inconsistent, Kind::missing_check, "outcome.missing_check", "", {}};
  const auto text = [&](const char* called, const char* message) {
    evidence.outcomes[Mode::eager] = raised(Step::forward, "NotImplementedError", message);
    evidence.outcomes[Mode::eager].error->user_operator = called;
    return raw_signature(verdict, evidence, Stage::inductor, "cpu").text;
  };
  CHECK(text("lshift", "\"lshift_cpu\" not implemented for 'Float'") ==
        "missing_check | bitwise_left_shift | \"lshift\" not implemented for 'float'");
  for (const auto& [one, other] : {std::pair{"and", "bitwise_and"},
                                   {"absolute", "abs"},
                                   {"clip", "clamp"},
                                   {"mod", "remainder"},
                                   {"ceil", "ceil"}}) {
    CHECK(text(one, "no") == text(other, "no"));
  }
  CHECK(text("bitwise_and", "no") != text("bitwise_or", "no"));
}

TEST_CASE("text that distinguishes causes is kept") {
  for (const char* const text :
       {"\"ceil\" not implemented for 'Bool'", "expected float16, got complex64", "aten.max_pool2d.default",
        "float8_e4m3fn", "conv1d", "upsample_bilinear2d", "bfloat16 and int8"}) {
    CAPTURE(text);
    CHECK(normalise_message(text) == text);
  }
  // The rank of a shape is not its size.
  CHECK(normalise_message("[2, 3]") != normalise_message("[2, 3, 4]"));
  CHECK(normalise_message("'Float'") != normalise_message("'Half'"));
}

TEST_CASE("wrapping, advice and repetition are removed") {
  const std::string lowering =
      "backend='inductor' raised:\nLoweringException: AssertionError: \n  target: aten.slice_scatter.default\n"
      "  args[0]: TensorBox(StorageBox(InputBuffer(name='arg0_1')))\n  args[1]: 7\n";
  CHECK(normalise_message(lowering + lowering + "\nSet TORCHDYNAMO_VERBOSE=1 for the internal stack trace") ==
        "LoweringException: AssertionError: target: aten.slice_scatter.default");
  const std::string buffer =
      "LoweringException: AssertionError: \n  target: aten.index_put_.default\n  args[0]: TensorBox(StorageBox(\n"
      "    ComputedBuffer(name='buf0', data=Pointwise(\n      stack_traces = {,\n"
      "        File \"/tmp/w/programs/p53.py\", line 18, in forward,\n      }\n    ))\n  ))\n  args[1]: True";
  CHECK(normalise_message(buffer + buffer + "\nFound from : \n   File \"/tmp/w/programs/p53.py\", line 18\n") ==
        "LoweringException: AssertionError: target: aten.index_put_.default");
  CHECK(normalise_message("Unsupported: x\n\nfrom user code:\n   File \"p.py\", line 3\n") == "Unsupported: x");
}

TEST_CASE("of a C++ compiler's output only the errors count") {
  const std::string output =
      "C++ compile error\n\nCommand:\ng++ /tmp/a/b.cpp -o /tmp/x.so\n\nOutput:\n"
      "/tmp/a/cxyz.cpp:5:10: warning: unused variable 'tmp3'\n"
      "/tmp/a/cxyz.cpp:12:33: error: no match for 'operator*' (operand types are 'at::vec::Vectorized<float>' and "
      "'int')\n"
      "In file included from /usr/include/c++/12/bits/stl.h:4\n";
  const std::string normal = normalise_message(output);
  CHECK(contains(normal, "no match for 'operator*'"));
  CHECK(!contains(normal, "warning"));
  CHECK(!contains(normal, "g++"));
  CHECK(!contains(normal, "12"));
}

TEST_CASE("long and unusual messages stay short, with whole characters and no control characters") {
  std::string message = "start ";
  for (int i = 0; i < 5000; ++i) message += "é";
  const std::string normal = normalise_message(message);
  CHECK(normal.size() < 420);
  CHECK(normal.substr(normal.size() - 5) == "é…");
  CHECK(normalise_message("").empty());
  CHECK(normalise_message(" \n\t ").empty());
}

TEST_CASE("an error has a signature") {
  Evidence evidence = round_of();
  Outcome& compiled = evidence.outcomes[Mode::inductor] = raised(Step::compile, "InductorError", "KeyError: 'buf3'");
  compiled.error->inner_class = "KeyError";
  compiled.error->compiler_frame = "scheduler.py:fuse";
  const Verdict verdict{VerdictKind::inconsistent, Kind::behaviour, "outcome.compiled_raises", "", {}};
  const Signature one = raw_signature(verdict, evidence, Stage::inductor, "cpu");
  CHECK(one.text == "behaviour | InductorError | KeyError | KeyError: 'buf#' | scheduler.py:fuse");
  CHECK(one.hash.size() == 16);
  CHECK(one.hash.find_first_not_of("0123456789abcdef") == std::string::npos);
  compiled.error->message = "KeyError: 'buf44'";
  CHECK(raw_signature(verdict, evidence, Stage::inductor, "cpu").hash == one.hash);
  CHECK(raw_signature(verdict, evidence, Stage::inductor, "cuda").hash == one.hash);  // one error on two devices
  compiled.error->compiler_frame = "scheduler.py:other\nline";
  const Signature other = raw_signature(verdict, evidence, Stage::inductor, "cpu");
  CHECK(other.hash != one.hash);
  CHECK(!contains(other.text, "\n"));
}

TEST_CASE("the operator without which an error vanishes is not part of its final signature") {
  Shown shown{.verdict = {VerdictKind::inconsistent, Kind::behaviour, "outcome.compiled_raises", "", {}},
              .evidence = round_of()};
  shown.evidence.outcomes[Mode::inductor] = raised(Step::compile, "RuntimeError", "no");
  const std::string raw = raw_signature(shown.verdict, shown.evidence, shown.stage, "cpu").text;
  const auto text = [&](const char* neutraliser) { return final_signature(shown, "cpu", neutraliser).text; };
  CHECK(text("") == raw);
  CHECK(text("lowering aten.sort.default") == raw);
  CHECK(text("decomposition aten.native_batch_norm.default; lowering aten.sort.default") == raw);
  CHECK(text("config inductor.max_fusion_size=1; lowering aten.sort.default") ==
        raw + " | config inductor.max_fusion_size=1");
  CHECK(text("pass_group post_grad") == raw + " | pass_group post_grad");
}

TEST_CASE("the operator that neutralises wrong numbers or lost checks replaces those of the graph") {
  Shown shown{.verdict = {VerdictKind::inconsistent, Kind::metadata, "metadata.exact", "", {"output"}},
              .evidence = round_of(),
              .stage = Stage::aot_eager_decomp_partition};
  measure(shown.evidence, Mode::eager, Mode::inductor, {off_leaf("output", 1, Dtype::bfloat16)});
  auto& operators = shown.evidence.outcomes[Mode::inductor].operators;
  operators = {"aten.abs.default", "aten.mean.default", "aten.where.self"};
  const char* const huber = "decomposition aten.huber_loss.default";
  const Signature mean = final_signature(shown, "cpu", huber);
  CHECK(mean.text == "metadata | aot_eager_decomp_partition | huber_loss | cpu");
  operators = {"aten.abs.default", "aten.sum.default", "aten.where.self"};
  CHECK(final_signature(shown, "cpu", huber).hash == mean.hash);
  CHECK(final_signature(shown, "cpu", "lowering aten.max.dim").text ==
        "metadata | aot_eager_decomp_partition | max | cpu");
  CHECK(final_signature(shown, "cpu", "lowering aten.b.default; lowering aten.a.default; pass_group post_grad").text ==
        "metadata | aot_eager_decomp_partition | a,b | cpu | pass_group post_grad");
  CHECK(final_signature(shown, "cpu", "").text ==
        "metadata | aot_eager_decomp_partition | abs,sum,where.self | low_precision | cpu");

  shown.verdict.rule = "metadata.stride";  // held: a wrong dtype of the same operator must not go under in it
  CHECK(final_signature(shown, "cpu", "lowering aten.max.dim").text ==
        "metadata | aot_eager_decomp_partition | max | layout | cpu");
  CHECK(tells_of_layout(final_signature(shown, "cpu", "lowering aten.max.dim")));
  shown.verdict.rule = "metadata.exact";
  CHECK_FALSE(tells_of_layout(final_signature(shown, "cpu", "lowering aten.max.dim")));

  shown.verdict = {VerdictKind::inconsistent, Kind::missing_check, "outcome.missing_check", "", {}};
  shown.evidence.outcomes[Mode::eager] = raised(Step::forward, "RuntimeError", "index -1 is out of bounds");
  shown.evidence.outcomes[Mode::eager].error->user_operator = "call";
  CHECK(final_signature(shown, "cpu", "decomposition aten.index_add.default").text ==
        "missing_check | index_add | index out of range");
}

TEST_CASE("the signature of a wrong number is stage, operators and dtype class") {
  Evidence evidence = round_of();
  evidence.outcomes[Mode::inductor].operators = {"aten.amax.default", "aten.add.Tensor", "aten.amax.default"};
  const Verdict verdict{VerdictKind::inconsistent, Kind::numerical, "numbers.double_run", "", {"output"}};
  const auto text = [&](Dtype dtype) {
    evidence.measurements.clear();
    measure(evidence, Mode::eager, Mode::inductor, {off_leaf("output", 1, dtype)});
    return raw_signature(verdict, evidence, Stage::aot_eager, "cpu").text;
  };
  CHECK(text(Dtype::int8) == "numerical | aot_eager | add.Tensor,amax | integer | cpu");
  CHECK(text(Dtype::int64) == text(Dtype::int8));
  CHECK(text(Dtype::bfloat16) == text(Dtype::float8_e5m2));
  CHECK(text(Dtype::bfloat16) != text(Dtype::float32));
  CHECK(text(Dtype::boolean) != text(Dtype::complex64));
}

TEST_CASE("crash, hang and missing check have signatures") {
  Evidence evidence = round_of();
  evidence.outcomes[Mode::inductor] = died(Step::forward, 8);
  evidence.outcomes[Mode::inductor].operators = {"aten.div.Tensor"};
  Verdict verdict{VerdictKind::inconsistent, Kind::crash, "outcome.crash", "", {}};
  CHECK(raw_signature(verdict, evidence, Stage::inductor, "cpu").text == "crash | signal 8 | div.Tensor");
  evidence.outcomes[Mode::inductor].native_frame = "kernel";
  CHECK(raw_signature(verdict, evidence, Stage::inductor, "cpu").text == "crash | signal 8 | kernel");
  evidence.outcomes[Mode::inductor] = hung(Step::compile);
  verdict.kind = Kind::hang;
  CHECK(raw_signature(verdict, evidence, Stage::inductor, "cuda").text == "hang | compile | cuda");
  evidence.outcomes[Mode::eager] = raised(Step::forward, "IndexError", "index -1 out of range");
  evidence.outcomes[Mode::eager].error->user_operator = "index_add";
  verdict.kind = Kind::missing_check;
  CHECK(raw_signature(verdict, evidence, Stage::inductor, "cpu").text ==
        "missing_check | index_add | index out of range");
}

TEST_CASE("a reduced program need not keep the graph's operators that identify a refusal or a crash") {
  Shown whole{.verdict = {VerdictKind::inconsistent, Kind::missing_check, "outcome.missing_check", "", {}},
              .evidence = round_of()};
  whole.evidence.outcomes[Mode::eager] = raised(Step::backward, "RuntimeError", "Found dtype Half");
  whole.evidence.outcomes[Mode::inductor].operators = {"aten.huber_loss.default", "aten.mse_loss.default"};
  Shown smaller = whole;
  smaller.evidence.outcomes[Mode::inductor].operators = {"aten.huber_loss.default"};
  CHECK_FALSE(why_another(whole, smaller));
  smaller.evidence.outcomes[Mode::inductor].operators = {"aten.sum.default"};
  CHECK(why_another(whole, smaller) == "an operator that the original does not have: sum");
  smaller = whole;
  smaller.evidence.outcomes[Mode::eager].error->message = "no inputs";
  CHECK(why_another(whole, smaller).has_value());
}

TEST_CASE("a reduced program with a different operator shows something else, unless only a write counts") {
  Shown whole{.verdict = {VerdictKind::inconsistent, Kind::numerical, "numbers.double_run", "", {"output"}},
              .evidence = round_of()};
  measure(whole.evidence, Mode::eager, Mode::inductor, {off_leaf("output", 1)});
  whole.evidence.outcomes[Mode::inductor].operators = {"aten.mul.Tensor", "aten.relu.default"};
  Shown smaller = whole;
  smaller.evidence.outcomes[Mode::inductor].operators = {"aten.relu.default"};
  CHECK_FALSE(why_another(whole, smaller));
  smaller.evidence.outcomes[Mode::inductor].operators = {"aten.add.Tensor"};
  CHECK(why_another(whole, smaller) == "an operator that the original does not have: add.Tensor");
  whole.verdict.kind = smaller.verdict.kind = Kind::mutation;
  CHECK_FALSE(why_another(whole, smaller));
}

TEST_CASE("the first stage that shows the verdict is named") {
  Evidence stages;
  stages.outcomes[Mode::eager] = ran(0);
  for (const Mode mode : modes_of(Look::stage)) stages.outcomes[mode] = ran();
  Verdict verdict{VerdictKind::inconsistent, Kind::numerical, "numbers.double_run", "", {"output"}};
  CHECK(first_differing_stage(stages, verdict) == Stage::inductor);
  measure(stages, Mode::eager, Mode::dynamo_eager, {same_leaf("output"), off_leaf("output[1]", 1)});
  measure(stages, Mode::eager, Mode::aot_eager, {off_leaf("output", 1)});
  measure(stages, Mode::eager, Mode::aot_eager_decomp_partition, {off_leaf("output", 1)});
  CHECK(first_differing_stage(stages, verdict) == Stage::aot_eager);
  verdict.rule = "metadata.exact";
  verdict.kind = Kind::metadata;
  CHECK(first_differing_stage(stages, verdict) == Stage::inductor);
  stages.measurements[2].leaves[0].dtype_differs = true;
  CHECK(first_differing_stage(stages, verdict) == Stage::aot_eager_decomp_partition);

  verdict = {VerdictKind::inconsistent, Kind::behaviour, "outcome.compiled_raises", "", {}};
  CHECK(first_differing_stage(stages, verdict) == Stage::inductor);
  stages.outcomes[Mode::dynamo_eager] = raised(Step::compile, "E", "x");
  CHECK(first_differing_stage(stages, verdict) == Stage::dynamo_eager);
  verdict.kind = Kind::crash;
  stages.outcomes[Mode::aot_eager] = died(Step::forward, 11);
  CHECK(first_differing_stage(stages, verdict) == Stage::aot_eager);
  verdict.kind = Kind::hang;
  stages.outcomes[Mode::aot_eager_decomp_partition] = hung(Step::compile);
  CHECK(first_differing_stage(stages, verdict) == Stage::aot_eager_decomp_partition);
  verdict.kind = Kind::missing_check;
  stages.outcomes[Mode::dynamo_eager] = ran();
  CHECK(first_differing_stage(stages, verdict) == Stage::dynamo_eager);
}

}  // namespace parityd::oracle::test
