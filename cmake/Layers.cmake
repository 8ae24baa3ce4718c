# One static library a folder of src/, linked as src/LAYERS says.

set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/LAYERS)
file(STRINGS ${PROJECT_SOURCE_DIR}/src/LAYERS RECKON_LAYER_LINES REGEX "^[a-z]+:")

# reckon_layer(NAME [libraries...]): target reckon_NAME from every .cc below src/NAME.
function(reckon_layer name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cc)
  if(NOT sources)
    return()
  endif()
  add_library(reckon_${name} STATIC ${sources})
  set_target_properties(reckon_${name} PROPERTIES UNITY_BUILD ${RECKON_UNITY}
                        UNITY_BUILD_BATCH_SIZE 6)
  target_include_directories(reckon_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  foreach(line IN LISTS RECKON_LAYER_LINES)
    if(line MATCHES "^${name}:([^|]*)")
      string(STRIP "${CMAKE_MATCH_1}" allowed)
      separate_arguments(allowed)
      foreach(dependency IN LISTS allowed)
        if(TARGET reckon_${dependency})
          target_link_libraries(reckon_${name} PUBLIC reckon_${dependency})
        endif()
      endforeach()
    endif()
  endforeach()
  target_link_libraries(reckon_${name} PUBLIC ${ARGN})
endfunction()
