#include "COpenSSL.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/param_build.h>

static CRYPTO_ONCE once = CRYPTO_ONCE_STATIC_INIT;

static void learn(void) { EVP_KEYMGMT_free(EVP_KEYMGMT_fetch(NULL, "EC", NULL)); }

void COpenSSL_learn_names(void) { CRYPTO_THREAD_run_once(&once, learn); }

typedef int rule(const SSL *ssl, const SSL_CTX *context, int operation, int bits, int nid, void *other, void *extra);

// What decides without these; the same for every context.
static rule *ordinary;

static int isLong(const EVP_PKEY *group) {
    return group != NULL && EVP_PKEY_get_bits(group) > COpenSSL_DH_BITS_MAX;
}

static int isNamed(const EVP_PKEY *group) {
    char name[64];
    size_t length = 0;
    return EVP_PKEY_get_group_name(group, name, sizeof(name), &length) == 1;
}

static int decide(const SSL *ssl, const SSL_CTX *context, int operation, int bits, int nid, void *other, void *extra) {
    return ordinary == NULL || ordinary(ssl, context, operation, bits, nid, other, extra);
}

static int limited(const SSL *ssl, const SSL_CTX *context, int operation, int bits, int nid, void *other, void *extra) {
    if (operation == SSL_SECOP_TMP_DH && isLong(other)) return 0;
    // What is not supported is not offered.
    if (operation == SSL_SECOP_CURVE_SUPPORTED && (nid == NID_ffdhe6144 || nid == NID_ffdhe8192)) return 0;
    return decide(ssl, context, operation, bits, nid, other, extra);
}

static int limitedToNames(
    const SSL *ssl, const SSL_CTX *context, int operation, int bits, int nid, void *other, void *extra
) {
    if (operation == SSL_SECOP_TMP_DH && isLong(other) && !isNamed(other)) return 0;
    return decide(ssl, context, operation, bits, nid, other, extra);
}

void COpenSSL_SSL_CTX_limit_dh(SSL_CTX *context) {
    rule *const current = SSL_CTX_get_security_callback(context);
    if (current != limited) ordinary = current;
    SSL_CTX_set_security_callback(context, limited);
}

void COpenSSL_SSL_allow_named_dh(SSL *ssl) {
    // Without the limit, or for a context that has none, everything is decided as before.
    if (SSL_get_security_callback(ssl) == limited) SSL_set_security_callback(ssl, limitedToNames);
}

EVP_PKEY *COpenSSL_EVP_DH_group(int bits) {
    EVP_PKEY *group = NULL;
    EVP_PKEY_CTX *const maker = EVP_PKEY_CTX_new_from_name(NULL, "DH", NULL);
    OSSL_PARAM_BLD *const builder = OSSL_PARAM_BLD_new();
    OSSL_PARAM *parameters = NULL;
    BIGNUM *const modulus = BN_new();
    BIGNUM *const generator = BN_new();
    if (maker != NULL && builder != NULL && modulus != NULL && generator != NULL
        // Ones, but for one zero in the middle.
        && BN_set_bit(modulus, bits) && BN_sub_word(modulus, 1) && BN_clear_bit(modulus, bits / 2) && BN_set_word(generator, 2)
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_FFC_P, modulus)
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_FFC_G, generator)) {
        parameters = OSSL_PARAM_BLD_to_param(builder);
        if (parameters == NULL || EVP_PKEY_fromdata_init(maker) != 1
            || EVP_PKEY_fromdata(maker, &group, EVP_PKEY_KEY_PARAMETERS, parameters) != 1) {
            group = NULL;
        }
    }
    OSSL_PARAM_free(parameters);
    OSSL_PARAM_BLD_free(builder);
    BN_free(modulus);
    BN_free(generator);
    EVP_PKEY_CTX_free(maker);
    return group;
}
