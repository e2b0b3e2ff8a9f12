#include "COpenSSLTrimmed.h"

#include <openssl/core_dispatch.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// OpenSSL's own provider, in a context of its own.
static OSSL_PROVIDER *standard;
// What is offered of each operation of which less is offered than the provider has, by number.
static OSSL_ALGORITHM *offered[OSSL_OP_DECODER + 1];

static int readsCertificateKeys(const OSSL_ALGORITHM *decoder) {
    const char *properties = decoder->property_definition;
    return properties != NULL && strstr(properties, "input=der") != NULL
        && strstr(properties, "structure=SubjectPublicKeyInfo") != NULL;
}

// What no version of TLS and no certificate has a name for, by a part of its name: modes and sizes of ciphers, and what makes keys
// of passwords. All kinds of keys, signatures, key exchanges and random numbers stay.
static const char *const unheardOf[] = {
    "-XTS", "-OCB", "-SIV", "WRAP", "-CFB", "-OFB", "-CTS", "-192-", "SM4-", "DES-EDE-", "BLAKE2", "KECCAK", "KMAC", "GMAC",
    "CMAC", "SIPHASH", "POLY1305", "SCRYPT", "PBKDF2", "SSHKDF", "KRB5KDF", "PKCS12KDF", "X942KDF",
};

static int isHeardOf(const OSSL_ALGORITHM *algorithm) {
    for (size_t index = 0; index < sizeof unheardOf / sizeof *unheardOf; index++) {
        if (strstr(algorithm->algorithm_names, unheardOf[index]) != NULL) {
            return 0;
        }
    }
    return 1;
}

// Lists what is offered of an operation; the lists of the provider end with an entry without a name, and so do these.
static int choose(int operation, int (*isOffered)(const OSSL_ALGORITHM *)) {
    int mustNotBeCached = 0;
    const OSSL_ALGORITHM *all = OSSL_PROVIDER_query_operation(standard, operation, &mustNotBeCached);
    size_t count = 0, chosen = 0;
    if (all == NULL || mustNotBeCached) {
        return 0;
    }
    while (all[count].algorithm_names != NULL) {
        count++;
    }
    offered[operation] = calloc(count + 1, sizeof *all);
    if (offered[operation] == NULL) {
        return 0;
    }
    for (size_t index = 0; index < count; index++) {
        if (isOffered(&all[index])) {
            offered[operation][chosen++] = all[index];
        }
    }
    return chosen > 0;
}

// Where OpenSSL 3.0 looks for a decoder, it walks through everything that it ever made of any operation, and it makes all of an
// operation where one is asked for. What it does in other versions nobody has measured.
static int chooseAll(void) {
    static const int operations[] = {OSSL_OP_CIPHER, OSSL_OP_DIGEST, OSSL_OP_MAC, OSSL_OP_KDF, OSSL_OP_KEYMGMT};
    if (!choose(OSSL_OP_DECODER, readsCertificateKeys)) {
        return 0;
    }
    if (OPENSSL_version_major() != 3 || OPENSSL_version_minor() != 0) {
        return 1;
    }
    for (size_t index = 0; index < sizeof operations / sizeof *operations; index++) {
        if (!choose(operations[index], isHeardOf)) {
            return 0;
        }
    }
    return 1;
}

static const OSSL_ALGORITHM *queryOperation(void *provider, int operation, int *mustNotBeCached) {
    (void)provider;
    if (operation >= 0 && operation <= OSSL_OP_DECODER && offered[operation] != NULL) {
        *mustNotBeCached = 0;
        return offered[operation];
    }
    return OSSL_PROVIDER_query_operation(standard, operation, mustNotBeCached);
}

static int getCapabilities(void *provider, const char *capability, OSSL_CALLBACK *callback, void *argument) {
    (void)provider;
    return OSSL_PROVIDER_get_capabilities(standard, capability, callback, argument);
}

static const OSSL_PARAM *gettableParameters(void *provider) {
    (void)provider;
    return OSSL_PROVIDER_gettable_params(standard);
}

static int getParameters(void *provider, OSSL_PARAM parameters[]) {
    (void)provider;
    return OSSL_PROVIDER_get_params(standard, parameters);
}

static const OSSL_DISPATCH functions[] = {
    {OSSL_FUNC_PROVIDER_QUERY_OPERATION, (void (*)(void))queryOperation},
    {OSSL_FUNC_PROVIDER_GET_CAPABILITIES, (void (*)(void))getCapabilities},
    {OSSL_FUNC_PROVIDER_GETTABLE_PARAMS, (void (*)(void))gettableParameters},
    {OSSL_FUNC_PROVIDER_GET_PARAMS, (void (*)(void))getParameters},
    {0, NULL},
};

static int initialize(
    const OSSL_CORE_HANDLE *core,
    const OSSL_DISPATCH *coreFunctions,
    const OSSL_DISPATCH **ownFunctions,
    void **provider
) {
    (void)core;
    (void)coreFunctions;
    *ownFunctions = functions;
    // The algorithms are handed what their own provider made for them.
    *provider = OSSL_PROVIDER_get0_provider_ctx(standard);
    return 1;
}

static int isDefault(OSSL_PROVIDER *provider, void *isOrdinary) {
    if (strcmp(OSSL_PROVIDER_get0_name(provider), "default") != 0) {
        *(int *)isOrdinary = 0;
    }
    return 1;
}

// Whether nobody has set up OpenSSL in a way that the context would not have.
static int isOrdinary(void) {
    int isOrdinary = 1;
    // The default provider is loaded, and the configuration read, when something is first looked for.
    EVP_MD *digest = EVP_MD_fetch(NULL, "SHA2-256", NULL);
    if (digest == NULL) {
        return 0;
    }
    EVP_MD_free(digest);
    return OSSL_PROVIDER_do_all(NULL, isDefault, &isOrdinary) == 1 && isOrdinary
        && OSSL_PROVIDER_available(NULL, "default") == 1 && EVP_default_properties_is_fips_enabled(NULL) == 0;
}

// Sets up what all contexts have in common.
static int prepare(void) {
    OSSL_LIB_CTX *base = OSSL_LIB_CTX_new();
    if (base != NULL && isOrdinary()) {
        standard = OSSL_PROVIDER_load(base, "default");
        if (standard != NULL && chooseAll()) {
            return 1;
        }
    }
    OSSL_LIB_CTX_free(base);
    return 0;
}

static OSSL_LIB_CTX *makeLibraryContext(void) {
    static const char name[] = "pincheck-trimmed";
    OSSL_LIB_CTX *trimmed = OSSL_LIB_CTX_new();
    if (trimmed != NULL && OSSL_PROVIDER_add_builtin(trimmed, name, initialize)
        && OSSL_PROVIDER_load(trimmed, name) != NULL) {
        return trimmed;
    }
    OSSL_LIB_CTX_free(trimmed);
    return NULL;
}

OSSL_LIB_CTX *COpenSSLTrimmed_libraryContext(size_t index) {
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static enum { UNTRIED, READY, FAILED } state = UNTRIED;
    static OSSL_LIB_CTX *contexts[COpenSSLTrimmed_mostContexts];
    OSSL_LIB_CTX *context = NULL;
    pthread_mutex_lock(&mutex);
    if (state == UNTRIED) {
        state = prepare() ? READY : FAILED;
    }
    if (state == READY) {
        OSSL_LIB_CTX **place = &contexts[index % COpenSSLTrimmed_mostContexts];
        if (*place == NULL) {
            *place = makeLibraryContext();
        }
        context = *place;
    }
    pthread_mutex_unlock(&mutex);
    return context;
}
