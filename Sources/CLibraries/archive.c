#include "CArchive.h"

#include "lookup.h"

// Where libarchive's header is, the compiler compares its declarations with ours.
#if __has_include(<archive.h>) && __has_include(<archive_entry.h>)
#include <archive.h>
#include <archive_entry.h>
#define SAME(member) SAME_TYPE(struct CArchive, member, archive_##member)
_Static_assert(CArchive_EOF == ARCHIVE_EOF && CArchive_OK == ARCHIVE_OK, "libarchive has other values");
_Static_assert(CArchive_WARN == ARCHIVE_WARN && CArchive_FATAL == ARCHIVE_FATAL, "libarchive has other values");
#else
#define SAME(member)
#endif

#define EACH(do)                                                                                                 \
    do(read_new) do(read_free) do(read_support_format_zip_seekable) do(read_set_callback_data)                   \
    do(read_set_read_callback) do(read_set_skip_callback) do(read_set_seek_callback) do(read_open1)              \
    do(read_next_header) do(read_data) do(error_string) do(entry_pathname) do(entry_pathname_utf8)               \
    do(entry_filetype) do(entry_is_data_encrypted)

EACH(SAME)

static const char *const names[] = {
#ifdef __APPLE__
    "/usr/lib/libarchive.2.dylib",
    "/opt/homebrew/opt/libarchive/lib/libarchive.13.dylib",
    "/usr/local/opt/libarchive/lib/libarchive.13.dylib",
#else
    "libarchive.so.13",
    "libarchive.so",
#endif
};

const char *CArchive_load(struct CArchive *functions) {
#define FIND_archive_(member) FIND(functions, member, "archive_" #member)
    LOOK_UP(functions, names, archive_, EACH);
}
