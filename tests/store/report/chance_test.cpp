#include "store/report/chance.h"

#include "tests/catch.h"

using namespace parityd;

TEST_CASE("a program of fixed numbers draws none and has no mode") {
  const char* const parameter = R"(
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.ones(3))
)";
  for (const char* const text :
       {parameter, "return torch.nn.functional.normalize(x)", "self.register_buffer('s', torch.zeros(1))",
        "return torch.lgamma(x) + F.grid_sample(x, y)",
        "import torch.nn.functional as F\nreturn F.upsample(x, scale_factor=2)"}) {
    CAPTURE(text);
    CHECK_FALSE(store::may_draw(text));
    CHECK_FALSE(store::may_depend_on_mode(text));
  }
}

TEST_CASE("operators, modules and libraries that draw are seen") {
  for (const char* const text : {"torch.rand(3)",
                                 "torch.randint(1, 2, ())",
                                 "x.random_()",
                                 "torch.ops.aten.rand_like(x)",
                                 "F.dropout(x)",
                                 "F.scaled_dot_product_attention(q, q, q, dropout_p=0.5)",
                                 "x.normal_()",
                                 "torch.normal(x, y)",
                                 "torch.bernoulli(x)",
                                 "F.rrelu(x)",
                                 "F.fractional_max_pool2d(x, 2)",
                                 "torch.svd_lowrank(x)",
                                 "F.gumbel_softmax(x)",
                                 "torch._standard_gamma(x)",
                                 "torch.nn.init.orthogonal_(w)",
                                 "torch.nn.Linear(2, 2)",
                                 "nn.modules.batchnorm.BatchNorm1d(2)",
                                 "from torch.nn import Linear",
                                 "from torch import nn as n",
                                 "import numpy as np",
                                 "import random",
                                 "getattr(torch, name)(3)",
                                 "F.scaled_dot_product_attention(q, k, v, None, 0.5)",
                                 "torch.ops.aten.normal.Tensor_float(x)",
                                 "from torch import normal as draw",
                                 "torch.testing.make_tensor((2, 3))",
                                 "torch.lstm(x, hx, w, True, 2, 0.5, True, False, False)",
                                 "torch.nn.utils.parametrizations.spectral_norm(self)",
                                 "torch.ao.nn.qat.Linear(2, 2)",
                                 "import torch.nn.modules.linear as lin",
                                 "from torch.ao.nn.qat import Linear",
                                 "RandomSampler(x)"}) {
    CAPTURE(text);
    CHECK(store::may_draw(text));
  }
}

TEST_CASE("what reads the mode keeps train() and eval()") {
  for (const char* const text : {"if self.training:", "torch.nn.BatchNorm1d(2)", "model.eval()", "spectral_norm(m)",
                                 "F.dropout(x, 0.5, self.training)"}) {
    CAPTURE(text);
    CHECK(store::may_depend_on_mode(text));
  }
}
