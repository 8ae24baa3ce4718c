# Settings every target shares: standard, warnings, sanitizers, ccache.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or RelWithDebInfo" FORCE)
endif()

add_compile_options(-Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wno-unused-parameter
                    # designated initialisers leave the rest to defaults on purpose
                    -Wno-missing-field-initializers)
option(RECKON_WERROR "Treat warnings as errors" ON)
# What sanitizers add confuses the compiler's own guesses about sizes; the release build is strict.
if(RECKON_WERROR AND NOT RECKON_SANITIZE)
  add_compile_options(-Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports these inside the standard library and Eigen once it inlines them (GCC bugs
  # 105329, 105562); they stay visible as warnings in the dev preset only.
  add_compile_options(-Wno-restrict -Wno-maybe-uninitialized -Wno-array-bounds
                      -Wno-stringop-overflow -Wno-stringop-overread)
endif()

# The same seed must give the same bytes on every x86-64 machine: no fused multiply-add, no
# machine-specific instructions.
add_compile_options(-ffp-contract=off)

set(RECKON_SANITIZE "" CACHE STRING "Comma-separated sanitizers, e.g. address,undefined")
if(RECKON_SANITIZE)
  add_compile_options(-fsanitize=${RECKON_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  # Checks at every dereference take a third of the compile time and find what crashes anyway (null)
  # or cannot matter on the processors we build for (alignment).
  add_compile_options(-fno-sanitize=null,alignment,vptr)
  add_link_options(-fsanitize=${RECKON_SANITIZE})
endif()
if(RECKON_FUZZ)
  # The layers too, not the targets alone: a fuzzer that does not see branches searches blindly.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

find_program(CCACHE_PROGRAM ccache)
# Precompiled headers and the cache do not go together.
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()
