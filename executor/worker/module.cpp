// The Python module `parityd_worker`. The only translation unit that includes torch: tensors come in, a Recording that
// knows nothing of torch comes out. Everything here runs with the interpreter lock unless it says otherwise.
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/utils/pybind.h>

#include <pybind11/stl.h>

#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "channel.h"
#include "namespace_watch.h"
#include "oracle/evidence.h"
#include "oracle/measure_cuda.h"
#include "oracle/same.h"
#include "recording.h"
#include "registrations.h"

namespace py = pybind11;

namespace parityd::worker {
namespace {

std::optional<oracle::Dtype> dtype_of(c10::ScalarType type) {
  using T = c10::ScalarType;
  using D = oracle::Dtype;
  static const std::map<T, D> known{{T::Bool, D::boolean},
                                    {T::Byte, D::uint8},
                                    {T::Char, D::int8},
                                    {T::Short, D::int16},
                                    {T::Int, D::int32},
                                    {T::Long, D::int64},
                                    {T::UInt16, D::uint16},
                                    {T::UInt32, D::uint32},
                                    {T::UInt64, D::uint64},
                                    {T::Half, D::float16},
                                    {T::BFloat16, D::bfloat16},
                                    {T::Float, D::float32},
                                    {T::Double, D::float64},
                                    {T::ComplexHalf, D::complex32},
                                    {T::ComplexFloat, D::complex64},
                                    {T::ComplexDouble, D::complex128},
                                    {T::Float8_e4m3fn, D::float8_e4m3fn},
                                    {T::Float8_e5m2, D::float8_e5m2},
                                    {T::Float8_e4m3fnuz, D::float8_e4m3fnuz},
                                    {T::Float8_e5m2fnuz, D::float8_e5m2fnuz}};
  const auto found = known.find(type);
  if (found == known.end()) return std::nullopt;
  return found->second;
}

bool has_plain_storage(const at::Tensor& tensor) {
  return tensor.layout() == at::kStrided && !tensor.is_meta() && !tensor.is_quantized() && !tensor.is_nested() &&
         tensor.has_storage();
}

std::unique_ptr<std::byte[]> copy_to_host(const at::Tensor& tensor, std::size_t size) {
  auto bytes = std::make_unique<std::byte[]>(size);
  if (size == 0) return bytes;
  const c10::Storage& storage = tensor.storage();
  if (tensor.device().is_cpu()) {
    std::memcpy(bytes.get(), storage.data(), size);
    return bytes;
  }
  at::Tensor whole = at::empty({0}, tensor.options().dtype(at::kByte).requires_grad(false));
  whole.set_(storage, 0, {static_cast<std::int64_t>(size)}, {1});
  const at::Tensor host = whole.to(at::kCPU);
  std::memcpy(bytes.get(), host.const_data_ptr(), size);
  return bytes;
}

/// Fills a Recording from live tensors. Tensors added between two calls of next_phase() keep their sharing of storage;
/// bytes are copied when they are added, so the same tensor may be recorded before and after a call. `in_place` leaves
/// them where they are, on the GPU, for measure_on_device().
class Recorder {
 public:
  explicit Recorder(const std::string& mode, bool in_place = false)
      : recording_(mode_named(mode)), in_place_(in_place) {}

  void next_phase() {
    seen_.clear();
    alive_.clear();
  }

  void add_tensor(const std::string& path, const std::string& group, const std::string& type,
                  const at::Tensor& tensor) {
    const at::NoGradGuard no_grad;
    const auto dtype = dtype_of(tensor.scalar_type());
    if (!dtype)
      throw std::invalid_argument("no such dtype in a record: " + std::string(toString(tensor.scalar_type())));
    oracle::Leaf leaf;
    leaf.path = path;
    leaf.group = group_named(group);
    leaf.is_tensor = true;
    leaf.type = type;
    leaf.dtype = *dtype;
    leaf.shape = tensor.sizes().vec();
    leaf.requires_grad = tensor.requires_grad();
    if (has_plain_storage(tensor)) {
      leaf.stride = tensor.strides().vec();
      leaf.offset = tensor.storage_offset();
      leaf.conjugate = tensor.is_conj();
      leaf.negative = tensor.is_neg();
      leaf.storage = storage_of(tensor);
    }
    recording_.add(std::move(leaf));
  }

  void add_value(const std::string& path, const std::string& group, const std::string& type, const std::string& value) {
    oracle::Leaf leaf;
    leaf.path = path;
    leaf.group = group_named(group);
    leaf.type = type;
    leaf.value = value;
    recording_.add(std::move(leaf));
  }

  [[nodiscard]] const Recording& recording() const { return recording_; }
  [[nodiscard]] bool in_place() const { return in_place_; }

 private:
  static oracle::LeafGroup group_named(const std::string& name) {
    const auto group = oracle::leaf_group_from_name(name);
    if (!group) throw std::invalid_argument("no such leaf group: " + name);
    return *group;
  }

  int storage_of(const at::Tensor& tensor) {
    const c10::Storage& storage = tensor.storage();
    const auto found = seen_.find(storage.unsafeGetStorageImpl());
    if (found != seen_.end()) return found->second;
    const std::size_t size = storage.nbytes();
    if (in_place_ && !tensor.is_cuda()) throw std::invalid_argument("not in device memory");
    const int number = in_place_ ? recording_.add_view({static_cast<const std::byte*>(storage.data()), size})
                                 : recording_.adopt_storage(copy_to_host(tensor, size), size);
    seen_.emplace(storage.unsafeGetStorageImpl(), number);
    alive_.push_back(storage);  // else the address could come back as another storage
    return number;
  }

  Recording recording_;
  bool in_place_;
  std::map<const c10::StorageImpl*, int> seen_;
  std::vector<c10::Storage> alive_;
};

const Recording& on_host(const Recorder& recorder) {
  if (recorder.in_place()) throw std::invalid_argument("a record in device memory");
  return recorder.recording();
}

std::string compare(const std::vector<const Recorder*>& recorders,
                    const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::vector<const Recording*> recordings;
  recordings.reserve(recorders.size());
  for (const Recorder* recorder : recorders) recordings.push_back(&on_host(*recorder));
  const py::gil_scoped_release unlocked;
  return measure(recordings, pairs);
}

/// torch's `same`, as oracle/same.h has it: the verdict, or None where torch would raise, and why.
std::pair<std::optional<bool>, std::string> same(const Recorder& eager, const Recorder& compiled,
                                                 const Recorder* reference, const oracle::SameSettings& settings) {
  const oracle::RunRecord* third = reference == nullptr ? nullptr : &on_host(*reference).record();
  const oracle::RunRecord& one = on_host(eager).record();
  const oracle::RunRecord& other = on_host(compiled).record();
  oracle::SameAnswer answer =
      oracle::same(one, other, third, oracle::measure_leaves(one, other, third, settings), settings);
  return {answer.verdict, std::move(answer.detail)};
}

#ifdef PARITYD_CUDA
/// By path: unequal elements and largest difference of compiled and eager, and whether torch.allclose fails.
std::map<std::string, std::tuple<std::int64_t, double, bool>> measure_on_device(const Recorder& eager,
                                                                                const Recorder& compiled,
                                                                                const Recorder* reference,
                                                                                std::uintptr_t stream) {
  if (!eager.in_place() || !compiled.in_place() || (reference != nullptr && !reference->in_place()))
    throw std::invalid_argument("records that are not in place");
  const py::gil_scoped_release unlocked;
  std::map<std::string, std::tuple<std::int64_t, double, bool>> numbers;
  for (const auto& [path, leaf] : oracle::measure_leaves_on_device(
           eager.recording().record(), compiled.recording().record(),
           reference == nullptr ? nullptr : &reference->recording().record(), {}, reinterpret_cast<void*>(stream)))
    numbers.emplace(path, std::tuple(leaf.totals.compiled.unequal, leaf.totals.compiled.max_absolute, leaf.totals.far));
  return numbers;
}
#endif

std::vector<std::pair<std::string, std::string>> pairs_named(const std::string& compiled) {
  std::vector<std::pair<std::string, std::string>> names;
  for (const auto& [expected, actual] : oracle::pairs_to_measure(mode_named(compiled)))
    names.emplace_back(oracle::name(expected), oracle::name(actual));
  return names;
}

using Unlocked = py::call_guard<py::gil_scoped_release>;

PYBIND11_MODULE(parityd_worker, module) {
  module.doc() = "parityd's worker: protocol channel, recording of tensors, measurement";
  module.attr("built_for") = PARITYD_TORCH_VERSION;

  py::class_<Channel>(module, "Channel")
      .def(py::init<int, int>())
      .def("read_line", &Channel::read_line, Unlocked())
      .def("write", &Channel::write, Unlocked())
      .def("start_beats", &Channel::start_beats, Unlocked())
      .def("stop_beats", &Channel::stop_beats, Unlocked())
      .def("after_fork", &Channel::after_fork)
      .def_property_readonly("lines_written", &Channel::lines_written);

  py::enum_<Scope>(module, "Scope")
      .value("code", Scope::code)
      .value("names", Scope::names)
      .value("closed", Scope::closed);
  py::class_<NamespaceWatch>(module, "NamespaceWatch")
      .def(py::init<>())
      .def("add", &NamespaceWatch::add)
      .def("changed", &NamespaceWatch::changed)
      .def_property_readonly("size", &NamespaceWatch::size);
  module.def("watch_registrations", &watch_registrations);
  module.def("operators_defined", &operators_defined);
  module.def("audit_hooks_added", &audit_hooks_added);
  module.def("adopt_orphans", &adopt_orphans);

  py::class_<Recorder>(module, "Recorder")
      .def(py::init<const std::string&, bool>(), py::arg("mode"), py::arg("in_place") = false)
      .def_property_readonly("in_place", &Recorder::in_place)
      .def("next_phase", &Recorder::next_phase)
      .def("add_tensor", &Recorder::add_tensor)
      .def("add_value", &Recorder::add_value)
      .def_property_readonly("size", [](const Recorder& recorder) { return recorder.recording().size(); });

  module.def("compare", &compare);
  py::class_<oracle::SameSettings>(module, "SameSettings")
      .def(py::init<>())
      .def_readwrite("tol", &oracle::SameSettings::tolerance)
      .def_readwrite("equal_nan", &oracle::SameSettings::equal_nan)
      .def_readwrite("cos_similarity", &oracle::SameSettings::cosine_similarity)
      .def_readwrite("ignore_non_fp", &oracle::SameSettings::ignore_non_floating)
      .def_readwrite("use_larger_multiplier_for_smaller_tensor", &oracle::SameSettings::larger_multiplier)
      .def_readwrite("force_max_multiplier", &oracle::SameSettings::largest_multiplier)
      .def_readwrite("use_iou_for_bool", &oracle::SameSettings::iou_for_bool)
      .def_readwrite("iou_threshold", &oracle::SameSettings::iou_threshold)
      .def_readwrite("torch_minor", &oracle::SameSettings::torch_minor);
  module.def("same", &same);
#ifdef PARITYD_CUDA
  module.def("measure_on_device", &measure_on_device);
#endif
  module.def("pairs_to_measure", &pairs_named);
  module.def("write_artefact", [](const std::string& path, const std::string& outcome, const Recorder& recorder) {
    write_artefact(path, outcome, on_host(recorder));
  });
}

}  // namespace
}  // namespace parityd::worker
