#include "agent/daemon/life/confirmed.h"

namespace parityd::agent {

Subject confirmed_subject(const ProgramTask& task, const Recorder::Told& told) {
  Subject subject = task.subject();
  if (told.reduction_holds()) {
    subject.text = told.reduction->text;
    subject.options_json = told.reduction->options_json;
  }
  return subject;
}

Event further(const Workshop& shop, const ProgramTask& task) {
  return Further{.verdict = shop.recorder.told(task.row).whole.verdict};
}

}  // namespace parityd::agent
