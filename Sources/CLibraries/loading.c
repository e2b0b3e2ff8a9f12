#include "CLibraries.h"

#include <dlfcn.h>

// If the headers of the libraries are installed, the compiler compares their declarations with ours.
#define SAME(result, name, parameters)                                                                                 \
    _Static_assert(__builtin_types_compatible_p(result(*) parameters, __typeof__(&name)), #name);
#if __has_include(<archive.h>) && __has_include(<idn2.h>) && __has_include(<libpsl.h>)
#include <archive.h>
#include <archive_entry.h>
#include <idn2.h>
#include <libpsl.h>
CArchive_EACH(SAME) CIDN2_EACH(SAME) CPSL_EACH(SAME)
_Static_assert(CIDN2_FLAGS == (IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL), "libidn2");
_Static_assert(CPSL_ICANN == PSL_TYPE_ICANN && CPSL_ANY_RULE == (PSL_TYPE_ANY | PSL_TYPE_NO_STAR_RULE), "libpsl");
#endif

#define OPEN_FILE(file) dlopen(file, RTLD_NOW | RTLD_LOCAL)
#ifdef __APPLE__
#define OPEN(name, version)                                                                                            \
    OPEN_FILE("/opt/homebrew/opt/" name "/lib/" name "." version ".dylib")                                             \
        ?: OPEN_FILE("/usr/local/opt/" name "/lib/" name "." version ".dylib")                                         \
        ?: OPEN_FILE("/usr/lib/" name ".2.dylib")
#else
#define OPEN(name, version) OPEN_FILE(name ".so." version)
#endif
#define FIND(result, name, parameters)                                                                                 \
    if ((*(void **)&functions->name = dlsym(library, #name)) == NULL) return "the library has no " #name;
#define LOAD(NAME, name, version)                                                                                      \
    const char *NAME##_load(struct NAME *functions) {                                                                  \
        void *library = OPEN(name, version);                                                                           \
        if (library == NULL) return dlerror();                                                                         \
        NAME##_EACH(FIND) return NULL;                                                                                 \
    }
LOAD(CArchive, "libarchive", "13") LOAD(CIDN2, "libidn2", "0") LOAD(CPSL, "libpsl", "5")
