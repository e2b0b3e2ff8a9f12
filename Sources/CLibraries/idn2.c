#include "CIDN2.h"

#include "lookup.h"

#define EACH(do) do(to_ascii_8z) do(free)

// Where libidn2's header is, the compiler compares its declarations with ours.
#if __has_include(<idn2.h>)
#include <idn2.h>
#define SAME(member) SAME_TYPE(struct CIDN2, member, idn2_##member)
EACH(SAME)
_Static_assert(CIDN2_OK == (int)IDN2_OK && CIDN2_NFC_INPUT == (int)IDN2_NFC_INPUT, "libidn2 has other values");
_Static_assert(CIDN2_NONTRANSITIONAL == (int)IDN2_NONTRANSITIONAL, "libidn2 has other values");
#endif

static const char *const names[] = {
#ifdef __APPLE__
    "/opt/homebrew/opt/libidn2/lib/libidn2.0.dylib",
    "/usr/local/opt/libidn2/lib/libidn2.0.dylib",
#else
    "libidn2.so.0",
#endif
};

const char *CIDN2_load(struct CIDN2 *functions) {
#define FIND_idn2_(member) FIND(functions, member, "idn2_" #member)
    LOOK_UP(functions, names, idn2_, EACH);
}
