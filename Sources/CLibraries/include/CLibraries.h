// The C libraries other than OpenSSL: Expat, libidn2, libpsl, and libarchive's functions for zip archives. libarchive
// is loaded (dlopen) when an archive is read: linking it would cost every start of the program 2.8 ms, because it
// brings along nettle, libxml2, ICU and the C++ runtime.
#ifndef CLIBRARIES_H
#define CLIBRARIES_H

#include <expat.h>
#include <idn2.h>
#include <libpsl.h>
#include <stdint.h>
#include <sys/types.h>

struct archive;
struct archive_entry;

typedef ssize_t CArchive_read_callback(struct archive *archive, void *data, const void **buffer);
typedef int64_t CArchive_seek_callback(struct archive *archive, void *data, int64_t offset, int whence);

// The result, name without archive_, and parameters of each function, as in <archive.h> and <archive_entry.h>.
#define CArchive_EACH(do)                                                                \
    do(struct archive *, read_new, (void))                                               \
    do(int, read_free, (struct archive *))                                               \
    do(int, read_support_format_zip_seekable, (struct archive *))                        \
    do(int, read_set_callback_data, (struct archive *, void *data))                      \
    do(int, read_set_read_callback, (struct archive *, CArchive_read_callback *))        \
    do(int, read_set_seek_callback, (struct archive *, CArchive_seek_callback *))        \
    do(int, read_open1, (struct archive *))                                              \
    do(int, read_next_header, (struct archive *, struct archive_entry **))               \
    do(ssize_t, read_data, (struct archive *, void *buffer, size_t count))               \
    do(const char *, error_string, (struct archive *))                                   \
    do(const char *, entry_pathname, (struct archive_entry *))                           \
    do(const char *, entry_pathname_utf8, (struct archive_entry *))                      \
    do(mode_t, entry_filetype, (struct archive_entry *))                                 \
    do(const char *, entry_symlink, (struct archive_entry *))                            \
    do(int, entry_is_data_encrypted, (struct archive_entry *))
#define CArchive_MEMBER(result, name, parameters) result(*name) parameters;
struct CArchive {
    CArchive_EACH(CArchive_MEMBER)
};

// The values that libarchive's functions return.
enum { CArchive_EOF = 1, CArchive_OK = 0, CArchive_WARN = -20, CArchive_FATAL = -30 };

// Loads the library and fills in its functions; returns NULL, or the reason why it could not.
const char *CArchive_load(struct CArchive *functions);

#endif
