// libpsl's functions for the public suffix list, looked up when a name is held against it (dlopen): most names need no list.
#ifndef CPSL_H
#define CPSL_H

typedef struct psl_ctx_st psl_ctx_t;

// Each member is the function of libpsl that is called psl_ and the member's name.
struct CPSL {
    const psl_ctx_t *(*builtin)(void);
    int (*is_public_suffix2)(const psl_ctx_t *list, const char *name, int type);
    const char *(*unregistrable_domain)(const psl_ctx_t *list, const char *name);
};

// The values of libpsl that calls take.
enum { CPSL_ICANN = 1, CPSL_ANY = 3, CPSL_NO_STAR_RULE = 4 };

// Loads the library and fills in its functions. Returns NULL, or the reason for which that was not possible.
const char *CPSL_load(struct CPSL *functions);

#endif
