#include "CExpat.h"

#include "lookup.h"

#define PLAIN(do)                                                                                                \
    do(ParserCreate) do(ParserFree) do(SetUserData) do(SetElementHandler) do(SetCharacterDataHandler)            \
    do(SetStartDoctypeDeclHandler) do(GetCurrentLineNumber)
#define OF_ENUMERATIONS(do) do(Parse) do(StopParser) do(GetErrorCode) do(ErrorString)
#define EACH(do) PLAIN(do) OF_ENUMERATIONS(do)

// Where Expat's header is, the compiler compares its declarations with ours.
#if __has_include(<expat.h>)
#include <expat.h>
#define SAME(member) SAME_TYPE(struct CExpat, member, XML_##member)
PLAIN(SAME)
_Static_assert(__builtin_types_compatible_p(__typeof__(&XML_Parse),
                                            enum XML_Status (*)(XML_Parser, const char *, int, int)),
               "Expat declares XML_Parse otherwise");
_Static_assert(__builtin_types_compatible_p(__typeof__(&XML_StopParser), enum XML_Status (*)(XML_Parser, unsigned char)),
               "Expat declares XML_StopParser otherwise");
_Static_assert(__builtin_types_compatible_p(__typeof__(&XML_GetErrorCode), enum XML_Error (*)(XML_Parser)),
               "Expat declares XML_GetErrorCode otherwise");
_Static_assert(__builtin_types_compatible_p(__typeof__(&XML_ErrorString), const char *(*)(enum XML_Error)),
               "Expat declares XML_ErrorString otherwise");
_Static_assert(sizeof(enum XML_Status) == sizeof(unsigned) && sizeof(enum XML_Error) == sizeof(unsigned),
               "Expat's enumerations have another size");
_Static_assert(CExpat_OK == XML_STATUS_OK, "Expat has other values");
#endif

static const char *const names[] = {
#ifdef __APPLE__
    "/usr/lib/libexpat.1.dylib",
#else
    "libexpat.so.1",
#endif
};

const char *CExpat_load(struct CExpat *functions) {
#define FIND_XML_(member) FIND(functions, member, "XML_" #member)
    LOOK_UP(functions, names, XML_, EACH);
}
