// Standard input, output and error are open, whoever started us. Called first in main().
#pragma once

namespace parityd::agent {

/// Those of descriptors 0, 1 and 2 that are closed become /dev/null: else the next file opened, the database, would get
/// such a number and be written to by whoever prints.
void open_standard_descriptors();

}  // namespace parityd::agent
