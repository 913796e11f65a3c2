// What a model is told of an issue's draft.
#include "agent/fixing/bug_report.h"

#include "tests/catch.h"

using namespace parityd;
using agent::bug_report;

namespace {

constexpr const char* kDraft = R"(A title

_Seen with torch `2.13.0` only._

### 🐛 Describe the bug

**What I checked myself** (to be filled in)

> _…_

**Possible duplicates** (read these first)

* issue 1 (open), possible: it is alike
* issue 2 (open), possible: it is alike

It returns other values.

```python
import torch


# **Extent**: of a program is kept
print("### Versions")
```

**Extent**: float32 (not int8)

<details>
<summary>AI-assisted</summary>

The program was generated.

Other changes that were tried, and their results:

| change | result |
| --- | --- |
| `nothing changed` | stays |

Signature of the finding:

```text
numerical
```

```python
print("the whole script")
```
</details>

#### A change that makes it vanish

A change of 3 lines in a file.

<details>
<summary>AI-assisted: the change</summary>

```diff
- wrong
```
</details>

### Error logs

Nothing is raised.

### Versions

```text
torch 2.13.0
```

Programs ran in a sandbox.
)";

}  // namespace

TEST_CASE("a bug report for a model has the program, the results and what was tried") {
  CHECK(bug_report(kDraft) == R"(A title

### 🐛 Describe the bug

It returns other values.

```python
import torch


# **Extent**: of a program is kept
print("### Versions")
```

Other changes that were tried, and their results:

| change | result |
| --- | --- |
| `nothing changed` | stays |

### Error logs

Nothing is raised.
)");
}

TEST_CASE("a bug report for a model: text of another form stays") {
  CHECK(bug_report("").empty());
  CHECK(bug_report("Title\n\nBody") == "Title\n\nBody\n");
  CHECK(bug_report("```\nnever closed\n\n### Versions") == "```\nnever closed\n\n### Versions\n");
}
