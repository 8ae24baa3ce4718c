#!/bin/bash
# Every #include of src/ and apps/ must be one that src/LAYERS allows, and src/LAYERS itself must be
# sound: no cycles, one line for each folder of src/ and one folder for each line.
#
#   tests/lint/layers.sh [ROOT]
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
root=$(lint_root "${1:-}")
cd "$root"
[[ -f src/LAYERS ]] || { echo "src/LAYERS:1: missing"; exit 1; }

folders=$(find src -mindepth 1 -maxdepth 1 -type d -printf '%f ' | tr ' ' '\n' | LC_ALL=C sort | tr '\n' ' ')
mapfile -t sources < <(list_files 'h|hh|hpp|hxx|inc|ipp|c|cc|cpp|cxx' src apps)

awk -v folders="$folders" '
function report(path, line, message) {
  printf "%s:%d: %s\n", path, line, message
  findings = 1
}

BEGIN {
  # Headers of the system that any layer may name: C and C++ have no other way to a file or socket.
  count = split("aio.h dirent.h dlfcn.h endian.h errno.h fcntl.h fnmatch.h glob.h grp.h ifaddrs.h " \
                "link.h malloc.h netdb.h poll.h pthread.h pwd.h sched.h semaphore.h signal.h spawn.h " \
                "strings.h syslog.h termios.h ucontext.h unistd.h wait.h " \
                "emmintrin.h immintrin.h xmmintrin.h x86intrin.h cpuid.h", names, " ")
  for (i = 1; i <= count; ++i) system_header[names[i]] = 1
  count = split("arpa asm linux net netinet sys", names, " ")
  for (i = 1; i <= count; ++i) system_folder[names[i]] = 1
}

# --- src/LAYERS -----------------------------------------------------------------------------------
FILENAME == "src/LAYERS" {
  line = $0
  sub(/#.*/, "", line)
  if (line ~ /^[ \t]*$/) next
  if (line !~ /^[a-z_]+:[^|]*\|[^|]*$/) {
    report(FILENAME, FNR, "not of the form \"folder: layers | third-party prefixes\"")
    next
  }
  layer = substr(line, 1, index(line, ":") - 1)
  if (layer in layer_line) report(FILENAME, FNR, "second line for layer '\''" layer "'\''")
  layer_line[layer] = FNR
  order[++layer_count] = layer
  rest = substr(line, index(line, ":") + 1)
  split(rest, halves, "|")
  gsub(/^[ \t]+|[ \t]+$/, "", halves[1])
  allowed_text[layer] = halves[1]
  count = split(halves[1], words, /[ \t]+/)
  for (i = 1; i <= count; ++i) allowed[layer, words[i]] = 1
  count = split(halves[2], words, /[ \t]+/)
  for (i = 1; i <= count; ++i) if (words[i] != "") third_party[layer, words[i]] = 1
  next
}

# --- the includes ---------------------------------------------------------------------------------
FNR == 1 {
  split(FILENAME, path, "/")
  in_apps = path[1] == "apps"
  layer = in_apps ? "apps" : path[2]
  if (!in_apps && path[3] == "") report(FILENAME, 1, "a source outside the layers'\'' folders")
}

/^[ \t]*#[ \t]*include/ {
  if (!match($0, /[<"][^>"]+[>"]/)) {
    report(FILENAME, FNR, "an include that is neither \"...\" nor <...>")
    next
  }
  quoted = substr($0, RSTART, 1) == "\""
  header = substr($0, RSTART + 1, RLENGTH - 2)
  slash = index(header, "/")
  prefix = slash ? substr(header, 1, slash - 1) : header
  if (quoted) check_own(header, prefix, slash)
  else check_other(header, prefix, slash)
}

function check_own(header, prefix, slash) {
  if (!slash || !(prefix in layer_line)) {
    report(FILENAME, FNR, "\"" header "\" names no layer of src/LAYERS; write \"layer/file.h\", or <...> for a library")
  } else if (in_apps) {
    if (header !~ /\/program\.h$/) report(FILENAME, FNR, "apps may include only a layer'\''s program.h, not \"" header "\"")
  } else if (prefix != layer && !((layer, prefix) in allowed)) {
    report(FILENAME, FNR, "layer '\''" layer "'\'' may not include \"" header "\"; allowed: " allowed_text[layer])
  }
}

function check_other(header, prefix, slash) {
  if (!slash && header !~ /\./) return  # of the C++ standard
  if (in_apps) {
    report(FILENAME, FNR, "apps may include only a layer'\''s program.h and the standard library, not <" header ">")
  } else if (!slash && header in system_header || slash && prefix in system_folder) {
    return
  } else if (!((layer, prefix) in third_party)) {
    report(FILENAME, FNR, "layer '\''" layer "'\'' may not include <" header ">: '\''" prefix "'\'' is not among its third-party prefixes")
  }
}

# --- src/LAYERS as a whole ------------------------------------------------------------------------
# Depth-first; trail is the way from the start. A cycle is reported once, where it was entered.
function visit(layer, trail,    words, count, i) {
  color[layer] = "open"
  count = split(allowed_text[layer], words, /[ \t]+/)
  for (i = 1; i <= count; ++i) {
    if (color[words[i]] == "open") {
      report("src/LAYERS", layer_line[layer], "cycle: " trail " -> " words[i])
    } else if (color[words[i]] == "" && words[i] in layer_line) {
      visit(words[i], trail " -> " words[i])
    }
  }
  color[layer] = "done"
}

END {
  for (i = 1; i <= layer_count; ++i) if (color[order[i]] == "") visit(order[i], order[i])
  count = split(folders, names, " ")
  for (i = 1; i <= count; ++i) {
    is_folder[names[i]] = 1
    if (!(names[i] in layer_line)) report("src/" names[i], 1, "no line in src/LAYERS for this folder")
  }
  for (i = 1; i <= layer_count; ++i) {
    layer = order[i]
    if (!(layer in is_folder)) report("src/LAYERS", layer_line[layer], "no folder src/" layer)
    count = split(allowed_text[layer], words, /[ \t]+/)
    for (k = 1; k <= count; ++k) {
      if (!(words[k] in layer_line)) report("src/LAYERS", layer_line[layer], "unknown layer '\''" words[k] "'\''")
    }
  }
  exit findings
}
' src/LAYERS "${sources[@]}"
