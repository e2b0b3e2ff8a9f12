// A library context of OpenSSL for TLS clients that meet many certificates.
//
// OpenSSL 3.0 finds out for every certificate anew which of its eighty decoders may read the key: a quarter of a handshake. Of
// those, a certificate needs the ones that read a SubjectPublicKeyInfo in DER; the others read private keys, parameters and
// files. This context has OpenSSL's default provider without them and, in OpenSSL 3.0, without what neither TLS nor a certificate
// has a name for, such as ciphers of disks and of files: the search goes through them as well. Everything else is the provider's
// own: each kind of key, each cipher and digest of TLS, signature, key exchange and capability, by the same functions.
#ifndef COPENSSLTRIMMED_H
#define COPENSSLTRIMMED_H

#include <openssl/crypto.h>

// So many contexts are made at most; what is asked for beyond shares one.
enum { COpenSSLTrimmed_mostContexts = 64 };

// One of the contexts, made when it is first asked for; it lives as long as the process, and certificates read in it may.
//
// Contexts share nothing that is locked: each thread that makes many connections should have one of its own.
// NULL when OpenSSL's default context has been given anything but the default provider, by its configuration file or otherwise:
// what somebody set up is then what is used. NULL as well when OpenSSL has no such provider, or no memory.
OSSL_LIB_CTX *COpenSSLTrimmed_libraryContext(size_t index);

#endif
