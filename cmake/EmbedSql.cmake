# The SQL of every migration becomes part of the program: reads src/store/migrations/NNNN_name.sql
# in order and writes one generated source, so that the schema is reviewed as SQL and shipped as
# code.
file(GLOB migrations CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/store/migrations/*.sql)
list(SORT migrations)
set(entries "")
foreach(path IN LISTS migrations)
  get_filename_component(name ${path} NAME_WE)
  file(READ ${path} sql)
  string(APPEND entries "    Migration{\"${name}\", R\"sql(${sql})sql\"},\n")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/migrations.cc @ONLY CONTENT
"// Generated from src/store/migrations/*.sql by cmake/EmbedSql.cmake.
#include \"store/sqlite/migrate.h\"

namespace reckon::store {

std::vector<Migration> BuiltInMigrations() {
  return {
@entries@  };
}

}  // namespace reckon::store
")
target_sources(reckon_store PRIVATE ${PROJECT_BINARY_DIR}/generated/migrations.cc)
