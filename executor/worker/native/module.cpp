// The Python module `parityd_worker`. The only translation unit that includes torch: takes tensors and produces a
// Recording, which knows nothing of torch. Everything here needs the interpreter lock unless stated otherwise.
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/utils/pybind.h>

#include <pybind11/stl.h>

#include <cstring>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "channel.h"
#include "contents_watch.h"
#include "crash_handler.h"
#include "fork_parent.h"
#include "guard.h"
#include "kernel_watch.h"
#include "namespace_watch.h"
#include "native_state.h"
#include "oracle/finding/json.h"
#include "oracle/measure/evidence.h"
#include "oracle/measure/measure.h"
#include "oracle/measure/same.h"
#include "recording.h"

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

/// A tensor subclass may have a storage that reports a size but has no memory.
bool lies_somewhere(const c10::Storage& storage) {
  return storage.nbytes() == 0 || storage.unsafeGetStorageImpl()->_mutable_data_ptr_no_checks().get() != nullptr;
}

bool has_plain_storage(const at::Tensor& tensor) {
  return tensor.layout() == at::kStrided && !tensor.is_meta() && !tensor.is_quantized() && !tensor.is_nested() &&
         tensor.has_storage() && lies_somewhere(tensor.storage());
}

/// All bytes of a storage, whichever tensors view them.
at::Tensor bytes_of(const c10::Storage& storage) {
  at::Tensor whole = at::empty({0}, at::TensorOptions(storage.device()).dtype(at::kByte));
  whole.set_(storage, 0, {static_cast<std::int64_t>(storage.nbytes())}, {1});
  return whole;
}

std::unique_ptr<std::byte[]> copy_to_host(const at::Tensor& bytes) {
  const auto size = static_cast<std::size_t>(bytes.numel());
  auto copy = std::make_unique<std::byte[]>(size);
  const at::Tensor host = bytes.cpu();
  if (size > 0) std::memcpy(copy.get(), host.const_data_ptr(), size);
  return copy;
}

#ifdef PARITYD_CUDA
constexpr bool kMeasuresOnDevice = true;
#else
constexpr bool kMeasuresOnDevice = false;
#endif

/// Fills a Recording from live tensors. Tensors added between two calls of next_phase() keep their sharing of storage.
/// Bytes are copied when added, so the same tensor may be recorded before and after a call. `on_device` leaves copies
/// of GPU tensors on the GPU, for compare(), if this module can measure there.
class Recorder {
 public:
  explicit Recorder(const std::string& mode, bool on_device)
      : recording_(mode_named(mode)), on_device_(on_device && kMeasuresOnDevice) {}

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
    } else {
      leaf.unopened = !tensor.is_meta();
    }
    recording_.add(std::move(leaf));
  }

  void add_value(const std::string& path, const std::string& group, const std::string& type, const std::string& value,
                 bool opened) {
    oracle::Leaf leaf;
    leaf.path = path;
    leaf.group = group_named(group);
    leaf.type = type;
    leaf.value = value;
    leaf.unopened = !opened;
    recording_.add(std::move(leaf));
  }

  [[nodiscard]] const Recording& recording() const { return recording_; }

  /// Copies to the host what is on the GPU, except what only leaves of `measured` view.
  void bring_to_host(const oracle::MeasuredLeaves& measured = {}) {
    std::set<int> needed;
    for (const oracle::Leaf& leaf : recording_.record().leaves) {
      if (kept_.count(leaf.storage) > 0 && measured.count(leaf.path) == 0) needed.insert(leaf.storage);
    }
    for (const int storage : needed) {
      recording_.bring_to_host(storage, copy_to_host(kept_.at(storage)));
      kept_.erase(storage);
    }
  }

 private:
  static oracle::LeafGroup group_named(const std::string& name) {
    const auto group = oracle::from_name<oracle::LeafGroup>(name);
    if (!group) throw std::invalid_argument("no such leaf group: " + name);
    return *group;
  }

  int storage_of(const at::Tensor& tensor) {
    const c10::Storage& storage = tensor.storage();
    const auto found = seen_.find(storage.unsafeGetStorageImpl());
    if (found != seen_.end()) return found->second;
    const int number = on_device_ && storage.device().is_cuda()
                           ? keep(bytes_of(storage).clone())
                           : recording_.adopt_storage(copy_to_host(bytes_of(storage)), storage.nbytes());
    seen_.emplace(storage.unsafeGetStorageImpl(), number);
    alive_.push_back(storage);  // otherwise its address could be reused by another storage
    return number;
  }

  int keep(at::Tensor bytes) {
    const int number = recording_.add_on_device(static_cast<const std::byte*>(bytes.const_data_ptr()),
                                                static_cast<std::size_t>(bytes.numel()));
    kept_.emplace(number, std::move(bytes));
    return number;
  }

  Recording recording_;
  bool on_device_;
  std::map<int, at::Tensor> kept_;  // by storage: its bytes on the GPU
  std::map<const c10::StorageImpl*, int> seen_;
  std::vector<c10::Storage> alive_;
};

using NamedPairs = std::vector<std::pair<std::string, std::string>>;

/// The measurements of the requested pairs, as the JSON array `measurements` of an evidence; pairs with a missing
/// record are omitted. Measured on the GPU if everything the pairs need is there.
std::string compare(const std::vector<Recorder*>& recorders, const NamedPairs& named) {
  std::vector<const oracle::RunRecord*> records;
  for (const Recorder* recorder : recorders) records.push_back(&recorder->recording().record());
  std::vector<std::pair<oracle::Mode, oracle::Mode>> pairs;
  for (const auto& [expected, actual] : named) pairs.emplace_back(mode_named(expected), mode_named(actual));
  const oracle::Trio trio = oracle::trio_of(records, pairs);
  oracle::MeasuredLeaves leaves;
#ifdef PARITYD_CUDA
  if (trio.eager != nullptr)
    leaves = oracle::measure_leaves_on_device(*trio.eager, *trio.compiled, trio.reference, {}, nullptr);
#endif
  // Pairs other than those of the trio are measured on the host.
  const bool all_measured = records.size() <= (trio.reference != nullptr ? 3 : 2);
  for (Recorder* recorder : recorders) recorder->bring_to_host(all_measured ? leaves : oracle::MeasuredLeaves{});
  const py::gil_scoped_release unlocked;
  const nlohmann::json measurements = oracle::measure_pairs(records, pairs, trio, leaves);
  return measurements.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

/// torch's `same`, as described in oracle/measure/same.h: the verdict (None if torch would raise) and the reason.
std::pair<std::optional<bool>, std::string> same(const Recorder& eager, const Recorder& compiled,
                                                 const Recorder* reference, const oracle::SameSettings& settings) {
  const oracle::RunRecord* third = reference == nullptr ? nullptr : &reference->recording().record();
  const oracle::RunRecord& one = eager.recording().record();
  const oracle::RunRecord& other = compiled.recording().record();
  oracle::SameAnswer answer =
      oracle::same(one, other, third, oracle::measure_leaves(one, other, third, settings), settings);
  return {answer.verdict, std::move(answer.detail)};
}

NamedPairs pairs_named(const std::string& compiled) {
  NamedPairs names;
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
      .def_property_readonly("lines_written", &Channel::lines_written);

  py::enum_<Scope>(module, "Scope")
      .value("code", Scope::code)
      .value("names", Scope::names)
      .value("closed", Scope::closed);
  py::class_<NamespaceWatch, std::shared_ptr<NamespaceWatch>>(module, "NamespaceWatch")
      .def(py::init<>())
      .def("add", &NamespaceWatch::add)
      .def("changed", &NamespaceWatch::changed)
      .def_property_readonly("size", &NamespaceWatch::size);
  py::enum_<Growth>(module, "Growth").value("none", Growth::none).value("caches", Growth::caches);
  py::class_<ContentsWatch, std::shared_ptr<ContentsWatch>>(module, "ContentsWatch")
      .def(py::init<const std::vector<std::string>&, bool>())
      .def("add", &ContentsWatch::add)
      .def("add_values", &ContentsWatch::add_values)
      .def("changed", &ContentsWatch::changed)
      .def_property_readonly("size", &ContentsWatch::size);
  py::class_<NativeState, std::shared_ptr<NativeState>>(module, "NativeState")
      .def(py::init<bool>())
      .def("restore_environment", &NativeState::restore_environment);
  using Names = std::shared_ptr<NamespaceWatch>;
  using Contents = std::shared_ptr<ContentsWatch>;
  py::class_<Guard>(module, "Guard")
      .def(py::init([](const Names& near, const Contents& near_contents, const Names& far, const Contents& far_contents,
                       const std::shared_ptr<NativeState>& native) {
        return Guard({near, near_contents}, {far, far_contents}, native);
      }))
      .def("near", &Guard::near)
      .def("everywhere", &Guard::everywhere);
  module.def("watch_registrations", &watch_registrations);
  module.def("operators_defined", &operators_defined);
  module.def("audit_hooks_added", &audit_hooks_added);
  module.def("fork_children", &fork_children);
  module.def("adopt_orphans", &adopt_orphans);
  module.def("install_crash_handler", &install_crash_handler);

  py::class_<Recorder>(module, "Recorder")
      .def(py::init<const std::string&, bool>(), py::arg("mode"), py::arg("on_device") = false)
      .def("next_phase", &Recorder::next_phase)
      .def("add_tensor", &Recorder::add_tensor)
      .def("add_value", &Recorder::add_value, py::arg("path"), py::arg("group"), py::arg("type"), py::arg("value"),
           py::arg("opened") = true)
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
  module.def("pairs_to_measure", &pairs_named);
  module.def("write_artefact", [](const std::string& path, const std::string& outcome, Recorder& recorder) {
    recorder.bring_to_host();
    write_artefact(path, outcome, recorder.recording());
  });
}

}  // namespace
}  // namespace parityd::worker
