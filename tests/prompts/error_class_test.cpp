#include "prompts/error_class.h"
#include "tests/catch.h"

using namespace parityd::prompts;

namespace {

struct ClassRow {
  const char* exception;
  const char* message;
  ErrorClass is;
};

/// Messages as torch 2.13 and Python write them.
const std::vector<ClassRow>& class_rows() {
  static const std::vector<ClassRow> table{
      {"SyntaxError", "'return' outside function", ErrorClass::syntax},
      {"IndentationError", "unexpected indent", ErrorClass::syntax},
      {"AttributeError", "module 'parityd_program' has no attribute 'Model'", ErrorClass::contract},
      {"TypeError", "Model.__init__() missing 1 required positional argument: 'width'", ErrorClass::contract},
      {"TypeError", "Model.forward() takes 2 positional arguments but 3 were given", ErrorClass::contract},
      {"NameError", "name 'math' is not defined", ErrorClass::missing_name},
      {"ModuleNotFoundError", "No module named 'einops'", ErrorClass::missing_name},
      {"ImportError", "cannot import name 'masked' from 'torch'", ErrorClass::missing_name},
      {"AttributeError", "module 'torch' has no attribute 'logcumprod'", ErrorClass::attribute},
      {"AttributeError", "'Tensor' object has no attribute 'reverse'", ErrorClass::attribute},
      {"TypeError", "sum() received an invalid combination of arguments - got (Tensor, dims=int)", ErrorClass::arity},
      {"TypeError", "cummax() missing 1 required positional arguments: \"dim\"", ErrorClass::arity},
      {"TypeError", "pad() got an unexpected keyword argument 'amount'", ErrorClass::arity},
      {"RuntimeError", "Expected all tensors to be on the same device, but found at least two devices",
       ErrorClass::device},
      {"RuntimeError", "expected scalar type Float but found Half", ErrorClass::dtype},
      {"RuntimeError", "mat1 and mat2 must have the same dtype, but got Float and Half", ErrorClass::dtype},
      {"RuntimeError", "mean(): could not infer output dtype. Input dtype must be either a floating point or complex",
       ErrorClass::dtype},
      {"RuntimeError", "result type Float can't be cast to the desired output type Long", ErrorClass::dtype},
      {"RuntimeError", "gather(): Expected dtype int64 for index", ErrorClass::dtype},
      {"IndexError", "tensors used as indices must be long, int, byte or bool tensors", ErrorClass::dtype},
      {"RuntimeError", "\"addmm_impl_cpu_\" not implemented for 'Bool'", ErrorClass::unsupported},
      {"NotImplementedError", "Could not run 'aten::_foo' with arguments from the 'CPU' backend",
       ErrorClass::unsupported},
      {"RuntimeError", "a view of a leaf Variable that requires grad is being used in an in-place operation.",
       ErrorClass::mutation},
      {"RuntimeError",
       "unsupported operation: more than one element of the written-to tensor refers to a single memory "
       "location. Please clone() the tensor before performing the operation.",
       ErrorClass::mutation},
      {"RuntimeError", "one of the variables needed for gradient computation has been modified by an inplace operation",
       ErrorClass::mutation},
      {"RuntimeError", "element 0 of tensors does not require grad and does not have a grad_fn", ErrorClass::autograd},
      {"NotImplementedError",
       "Could not run 'aten::mm.dtype' with arguments from the 'CPU' backend. 'aten::mm.dtype' is only available for "
       "these backends: [CUDA, Meta, AutogradOther, AutogradCPU]",
       ErrorClass::unsupported},
      {"RuntimeError", "Cannot access accelerator device when none is available.", ErrorClass::unsupported},
      {"RuntimeError",
       "aten::frexp() Expected a value of type 'float' for argument 'a' but instead found type 'Tensor'.",
       ErrorClass::arity},
      {"RuntimeError", "aten::index() expected at most 2 argument(s) but received 4 argument(s). Declaration: aten::x",
       ErrorClass::arity},
      {"RuntimeError", "index 7 is out of bounds for dimension 0 with size 5", ErrorClass::index},
      {"IndexError", "Dimension out of range (expected to be in range of [-2, 1], but got 2)", ErrorClass::index},
      {"KeyError", "'left'", ErrorClass::index},
      {"RuntimeError", "mat1 and mat2 shapes cannot be multiplied (2x10 and 2x10)", ErrorClass::shape},
      {"RuntimeError", "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1",
       ErrorClass::shape},
      {"RuntimeError", "shape '[4, 5]' is invalid for input of size 24", ErrorClass::shape},
      {"RuntimeError", "Given groups=1, weight of size [6, 3, 3, 3], expected input[2, 4, 8, 8] to have 3 channels",
       ErrorClass::shape},
      {"ValueError", "too many values to unpack (expected 2)", ErrorClass::shape},
      {"LinAlgError",
       "linalg.cholesky: The factorization could not be completed because the input is not "
       "positive-definite (the leading minor of order 2 is not positive-definite).",
       ErrorClass::numeric},
      {"ValueError", "reduction method is invalid: avg", ErrorClass::value},
      {"AssertionError", "", ErrorClass::value},
      {"OutOfMemoryError", "CUDA out of memory. Tried to allocate 2.00 GiB", ErrorClass::memory},
      {"RuntimeError",
       "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: you "
       "tried to allocate 400000000000 bytes.",
       ErrorClass::memory},
      {"StopIteration", "", ErrorClass::other},
  };
  return table;
}

}  // namespace

TEST_CASE("errors are classified by their text") {
  for (const auto& row : class_rows()) {
    CAPTURE(row.exception, row.message);
    CHECK(name(classify({.exception = row.exception, .message = row.message})) == name(row.is));
  }
  CHECK(classify({.how = Failure::How::hung}) == ErrorClass::timeout);
  CHECK(classify({.how = Failure::How::died}) == ErrorClass::died);
}

TEST_CASE("every class has its own name and can be found by it") {
  for (int each = 0; each <= static_cast<int>(ErrorClass::other); ++each) {
    const auto error_class = static_cast<ErrorClass>(each);
    REQUIRE(error_class_from_name(name(error_class)) == error_class);
  }
  CHECK_FALSE(error_class_from_name("no such class").has_value());
}

TEST_CASE("a crash or lack of memory is not worth a repair, and only some errors blame the operator") {
  CHECK_FALSE(worth_repairing(ErrorClass::died));
  CHECK_FALSE(worth_repairing(ErrorClass::memory));
  CHECK_FALSE(worth_repairing(ErrorClass::timeout));
  CHECK(worth_repairing(ErrorClass::shape));
  CHECK(blames_operator(ErrorClass::attribute));
  CHECK_FALSE(blames_operator(ErrorClass::shape));
}
