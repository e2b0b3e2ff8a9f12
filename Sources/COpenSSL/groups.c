#include "COpenSSL.h"

static CRYPTO_ONCE once = CRYPTO_ONCE_STATIC_INIT;

static void learn(void) { EVP_KEYMGMT_free(EVP_KEYMGMT_fetch(NULL, "EC", NULL)); }

void COpenSSL_learn_names(void) { CRYPTO_THREAD_run_once(&once, learn); }

int COpenSSL_allows(const SSL *ssl, const SSL_CTX *context, int operation, int strength, int nid, void *key, void *namesGroups) {
    const int bits = operation == SSL_SECOP_TMP_DH && key != NULL ? EVP_PKEY_get_bits(key) : 0;
    switch (operation) {
    case SSL_SECOP_CURVE_SUPPORTED: return namesGroups != NULL || nid < NID_ffdhe2048 || nid > NID_ffdhe8192;
    case SSL_SECOP_TMP_DH: return bits >= 1024 && bits <= 4096;
    default: return 1;
    }
}
