// The page's own files, compiled into parityd: none is read at run time. Any thread.
#pragma once

#include <string_view>
#include <vector>

namespace parityd::agent {

struct PageFile {
  std::string_view path;  // "/style.css"; the page itself is "/"
  std::string_view type;
  std::string_view text;
};

[[nodiscard]] const std::vector<PageFile>& page_files();

}  // namespace parityd::agent
