// The repro script: the program, then only the lines its options need. A maintainer reads it before running it.
#include <fmt/format.h>

#include "store/base/text.h"
#include "store/report/draft.h"
#include "store/report/repro_parts.h"

namespace parityd::store {

std::string render_repro(const DraftFacts& facts) {
  const std::string program = repro_program(facts);
  Fields fields = script_fields(facts, program);
  set_texts(fields, {{"backend",
                      "sys.argv[1] if len(sys.argv) > 1 else \"inductor\""
                      "  # also: eager, aot_eager, aot_eager_decomp_partition"}});
  return fmt::format(
      "# Needs torch only. Seen with torch {} on {}. Exit code: 0 shown, 1 not shown, 2 cannot tell.\n"
      "{}\n\n\n"
      "# ---- The program ends here; what follows runs it eager and compiled.\n"
      "{}",
      clean_line(facts.finding.torch), facts.finding.device == "cuda" ? "cuda" : "cpu", program,
      without_clashes(script("repro", std::move(fields)), program));
}

}  // namespace parityd::store
