#include "CPSL.h"

#include "lookup.h"

#define EACH(do) do(builtin) do(is_public_suffix2) do(unregistrable_domain)

// Where libpsl's header is, the compiler compares its declarations with ours.
#if __has_include(<libpsl.h>)
#include <libpsl.h>
#define SAME(member) SAME_TYPE(struct CPSL, member, psl_##member)
EACH(SAME)
_Static_assert(CPSL_ICANN == PSL_TYPE_ICANN && CPSL_ANY == PSL_TYPE_ANY, "libpsl has other values");
_Static_assert(CPSL_NO_STAR_RULE == PSL_TYPE_NO_STAR_RULE, "libpsl has other values");
#endif

static const char *const names[] = {
#ifdef __APPLE__
    "/opt/homebrew/opt/libpsl/lib/libpsl.5.dylib",
    "/usr/local/opt/libpsl/lib/libpsl.5.dylib",
#else
    "libpsl.so.5",
#endif
};

const char *CPSL_load(struct CPSL *functions) {
#define FIND_psl_(member) FIND(functions, member, "psl_" #member)
    LOOK_UP(functions, names, psl_, EACH);
}
