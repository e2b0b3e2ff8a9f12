#include "CArchive.h"

#include <dlfcn.h>
#include <stddef.h>

// Where libarchive's header is, the compiler compares its declarations with ours.
#if __has_include(<archive.h>) && __has_include(<archive_entry.h>)
#include <archive.h>
#include <archive_entry.h>
#define SAME(member)                                                                                             \
    _Static_assert(__builtin_types_compatible_p(__typeof__(((struct CArchive *)0)->member), __typeof__(&archive_##member)), \
                   "libarchive declares archive_" #member " otherwise");
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
    void *library = NULL;
    for (size_t index = 0; library == NULL && index < sizeof names / sizeof *names; index++) {
        library = dlopen(names[index], RTLD_NOW | RTLD_LOCAL);
    }
    if (library == NULL) return dlerror();
#define FIND(member)                                                                                             \
    *(void **)&functions->member = dlsym(library, "archive_" #member);                                           \
    if (functions->member == NULL) return "the library has no archive_" #member;
    EACH(FIND)
    return NULL;
}
