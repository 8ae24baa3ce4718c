#!/bin/bash
# layers.sh finds each kind of violation, and nothing in a clean tree.
source "$(dirname "${BASH_SOURCE[0]}")/selftest_common.sh"

clean_tree
expect_clean layers.sh "clean tree"

plant src/base/x.cc <<< '#include "core/b.h"'
expect_finding layers.sh "src/base/x.cc:1: layer 'base' may not include \"core/b.h\"" "upward include"

plant src/base/deep/er/x.cc <<< '#include "core/b.h"'
expect_finding layers.sh "src/base/deep/er/x.cc:1: layer 'base' may not" "upward include in a subfolder"

plant src/base/x.cc <<< '  #  include   "core/b.h"  // why'
expect_finding layers.sh "src/base/x.cc:1: layer 'base' may not" "oddly written include"

plant src/base/x.hpp <<< '#include "core/b.h"'
expect_finding layers.sh "src/base/x.hpp:1: layer 'base' may not" "another extension"

plant src/core/x.cc <<< '#include "a.h"'
expect_finding layers.sh 'src/core/x.cc:1: "a.h" names no layer' "quoted include without a layer"

plant src/core/x.cc <<< '#include "../base/a.h"'
expect_finding layers.sh 'src/core/x.cc:1: "../base/a.h" names no layer' "relative include"

plant src/core/x.cc <<< '#include "nowhere/a.h"'
expect_finding layers.sh 'src/core/x.cc:1: "nowhere/a.h" names no layer' "unknown layer"

plant src/core/x.cc <<< $'\n#include <fmt/format.h>'
expect_finding layers.sh "src/core/x.cc:2: layer 'core' may not include <fmt/format.h>" "library of another layer"

plant src/base/x.cc <<< '#include <sqlite3.h>'
expect_finding layers.sh "src/base/x.cc:1: layer 'base' may not include <sqlite3.h>" "header of another layer"

plant src/cli/x.cc <<< '#include <curl/curl.h>'
expect_finding layers.sh "src/cli/x.cc:1: layer 'cli' may not include <curl/curl.h>" "library of no layer"

plant src/core/x.cc <<< '#include HEADER'
expect_finding layers.sh "src/core/x.cc:1: an include that is neither" "include of a macro"

plant src/x.cc <<< '#include <string>'
expect_finding layers.sh "src/x.cc:1: a source outside the layers' folders" "source outside the layers"

plant apps/tool/main.cc <<< '#include "core/b.h"'
expect_finding layers.sh 'apps/tool/main.cc:1: apps may include only a layer'\''s program.h' "program that reaches below cli"

plant apps/tool/main.cc <<< '#include <unistd.h>'
expect_finding layers.sh 'apps/tool/main.cc:1: apps may include only a layer'\''s program.h and the standard' "program with a system header"

clean_tree
mkdir "$work/tree/src/extra"
expect_finding layers.sh "src/extra:1: no line in src/LAYERS" "folder without a line"

clean_tree
echo 'gone: base |' >> "$work/tree/src/LAYERS"
expect_finding layers.sh "src/LAYERS:5: no folder src/gone" "line without a folder"

plant src/LAYERS <<< $'base: cli | fmt\ncore: base | sqlite3.h\ncli: base core |'
expect_finding layers.sh "src/LAYERS:3: cycle: base -> cli -> base" "cycle of two"

plant src/LAYERS <<< $'base: | fmt\ncore: base core | sqlite3.h\ncli: base core |'
expect_finding layers.sh "src/LAYERS:2: cycle: core -> core" "cycle of one"

plant src/LAYERS <<< $'base: | fmt\ncore: base nothing | sqlite3.h\ncli: base core |'
expect_finding layers.sh "src/LAYERS:2: unknown layer 'nothing'" "unknown layer in LAYERS"

plant src/LAYERS <<< $'base: | fmt\ncore: base | sqlite3.h\ncli: base core |\nbase: |'
expect_finding layers.sh "src/LAYERS:4: second line for layer 'base'" "two lines for a layer"

plant src/LAYERS <<< $'base: | fmt\ncore: base | sqlite3.h\ncli: base core'
expect_finding layers.sh "src/LAYERS:3: not of the form" "line without a bar"

finish
