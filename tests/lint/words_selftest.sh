#!/bin/bash
# words.sh finds tabs, trailing blanks, unexplained marks and headers without a guard.
source "$(dirname "${BASH_SOURCE[0]}")/selftest_common.sh"

clean_tree
expect_clean words.sh "clean tree"

plant src/base/x.cc <<< $'int a;\n\tint b;'
expect_finding words.sh "src/base/x.cc:2: tab" "tab"

plant src/base/x.cc <<< 'int a; '
expect_finding words.sh "src/base/x.cc:1: trailing blank" "trailing blank"

plant src/base/x.cc <<< $'int a;\r'
expect_finding words.sh "src/base/x.cc:1: trailing blank" "carriage return"

plant tests/x.sh <<< 'echo '
expect_finding words.sh "tests/x.sh:1: trailing blank" "trailing blank in a script"

# In pieces, since words.sh reads this file too.
todo='TO''DO'
fixme='FIX''ME'
plant src/base/x.cc <<< "// $todo"
expect_finding words.sh "src/base/x.cc:1: $todo without an explanation" "bare mark"
plant src/base/x.cc <<< "// $fixme: later"
expect_finding words.sh "src/base/x.cc:1: $todo without an explanation" "mark with one word"
plant src/base/x.cc <<< "// $todo remove this soon please"
expect_finding words.sh "src/base/x.cc:1: $todo without an explanation" "mark without a colon"
plant src/base/x.cc <<< "// $todo(ann): remove when g++ 13 is required"
expect_clean words.sh "explained mark"
plant src/base/x.cc <<< "int k${todo}s = 0;"
expect_clean words.sh "part of a word"

plant src/base/x.h <<< 'int a;'
expect_finding words.sh "src/base/x.h:1: header without #pragma once" "header without a guard"
plant src/base/x.h <<< '// #pragma once'
expect_finding words.sh "src/base/x.h:1: header without #pragma once" "guard in a comment"

finish
