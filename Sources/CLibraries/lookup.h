// How the functions of a library are found when it is first needed.
#ifndef LOOKUP_H
#define LOOKUP_H

#include <dlfcn.h>
#include <stddef.h>

// Puts the functions of each member of EACH into `functions`, from the first library of `names` that is there. Returns NULL, or the
// reason for which that was not possible; each member is the function that is called `prefix` and the member's name.
#define LOOK_UP(functions, names, prefix, EACH)                                                                  \
    void *library = NULL;                                                                                        \
    for (size_t index = 0; library == NULL && index < sizeof names / sizeof *names; index++)                     \
        library = dlopen(names[index], RTLD_NOW | RTLD_LOCAL);                                                   \
    if (library == NULL) return dlerror();                                                                       \
    EACH(FIND_##prefix)                                                                                          \
    return NULL

// One of them.
#define FIND(functions, member, name)                                                                            \
    *(void **)&functions->member = dlsym(library, name);                                                         \
    if (functions->member == NULL) return "the library has no " name;

// Whether a library's header declares a function as the member is declared here.
#define SAME_TYPE(type, member, function)                                                                        \
    _Static_assert(__builtin_types_compatible_p(__typeof__(((type *)0)->member), __typeof__(&function)),         \
                   "the library declares " #function " otherwise");

#endif
