# The SQL of every migration becomes part of the program: reads
# src/store/migrations/TECHNOLOGY/NNNN_name.sql in order and writes one generated source a
# technology, so that the schema is reviewed as SQL and shipped as code.

# reckon_embed_migrations(FOLDER FUNCTION)
function(reckon_embed_migrations folder function)
  file(GLOB migrations CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/store/migrations/${folder}/*.sql)
  list(SORT migrations)
  set(entries "")
  foreach(path IN LISTS migrations)
    get_filename_component(name ${path} NAME_WE)
    file(READ ${path} sql)
    string(APPEND entries "    Migration{\"${name}\", R\"sql(${sql})sql\"},\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  endforeach()
  set(generated ${PROJECT_BINARY_DIR}/generated/${folder}_migrations.cc)
  file(CONFIGURE OUTPUT ${generated} @ONLY CONTENT
"// Generated from src/store/migrations/${folder}/*.sql by cmake/EmbedSql.cmake.
#include \"store/sql/migrate.h\"

namespace reckon::store {

std::vector<Migration> @function@() {
  return {
@entries@  };
}

}  // namespace reckon::store
")
  target_sources(reckon_store PRIVATE ${generated})
endfunction()

reckon_embed_migrations(sqlite SqliteMigrations)
reckon_embed_migrations(postgres PostgresMigrations)
