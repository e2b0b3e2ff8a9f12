#include "COpenSSLShims.h"

#include <openssl/crypto.h>

static CRYPTO_ONCE once = CRYPTO_ONCE_STATIC_INIT;

static void learn(void) { EVP_KEYMGMT_free(EVP_KEYMGMT_fetch(NULL, "EC", NULL)); }

void COpenSSLShims_learn_names(void) { CRYPTO_THREAD_run_once(&once, learn); }
