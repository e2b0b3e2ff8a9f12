// libarchive's functions for reading zip archives, looked up when one is read (dlopen). Linking with the library would
// cost every start of the program 2.8 ms: it brings nettle, libxml2, ICU and the C++ runtime along.
#ifndef CARCHIVE_H
#define CARCHIVE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct archive;
struct archive_entry;

typedef ssize_t CArchive_read_callback(struct archive *archive, void *data, const void **buffer);
typedef int64_t CArchive_skip_callback(struct archive *archive, void *data, int64_t request);
typedef int64_t CArchive_seek_callback(struct archive *archive, void *data, int64_t offset, int whence);

// Each member is the function of libarchive that is called archive_ and the member's name.
struct CArchive {
    struct archive *(*read_new)(void);
    int (*read_free)(struct archive *archive);
    int (*read_support_format_zip_seekable)(struct archive *archive);
    int (*read_set_callback_data)(struct archive *archive, void *data);
    int (*read_set_read_callback)(struct archive *archive, CArchive_read_callback *callback);
    int (*read_set_skip_callback)(struct archive *archive, CArchive_skip_callback *callback);
    int (*read_set_seek_callback)(struct archive *archive, CArchive_seek_callback *callback);
    int (*read_open1)(struct archive *archive);
    int (*read_next_header)(struct archive *archive, struct archive_entry **entry);
    ssize_t (*read_data)(struct archive *archive, void *buffer, size_t count);
    const char *(*error_string)(struct archive *archive);
    const char *(*entry_pathname)(struct archive_entry *entry);
    const char *(*entry_pathname_utf8)(struct archive_entry *entry);
    mode_t (*entry_filetype)(struct archive_entry *entry);
    int (*entry_is_data_encrypted)(struct archive_entry *entry);
};

// The values of libarchive that calls return.
enum { CArchive_EOF = 1, CArchive_OK = 0, CArchive_WARN = -20, CArchive_FATAL = -30 };

// Loads the library and fills in its functions. Returns NULL, or the reason for which that was not possible.
const char *CArchive_load(struct CArchive *functions);

#endif
