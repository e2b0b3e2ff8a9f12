#include "CLibraries.h"

#include <dlfcn.h>

// If libarchive's headers are installed, the compiler compares their declarations with ours.
#if __has_include(<archive.h>) && __has_include(<archive_entry.h>)
#include <archive.h>
#include <archive_entry.h>
#define SAME(result, name, parameters)                                                   \
    _Static_assert(__builtin_types_compatible_p(result(*) parameters, __typeof__(&archive_##name)), "archive_" #name);
CArchive_EACH(SAME)
#endif

const char *CArchive_load(struct CArchive *functions) {
#ifdef __APPLE__
    static const char *const names[] = {
        "/usr/lib/libarchive.2.dylib", "/opt/homebrew/opt/libarchive/lib/libarchive.13.dylib",
        "/usr/local/opt/libarchive/lib/libarchive.13.dylib"};
#else
    static const char *const names[] = {"libarchive.so.13", "libarchive.so"};
#endif
    void *library = NULL;
    for (size_t index = 0; library == NULL && index < sizeof names / sizeof *names; index++) {
        library = dlopen(names[index], RTLD_NOW | RTLD_LOCAL);
    }
    if (library == NULL) return dlerror();
#define FIND(result, name, parameters)                                                   \
    *(void **)&functions->name = dlsym(library, "archive_" #name);                       \
    if (functions->name == NULL) return "the library has no archive_" #name;
    CArchive_EACH(FIND)
    return NULL;
}
