/* A disk that fails: the nth call of a kind on a file below a folder gets an error; loaded by LD_PRELOAD. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { OPEN, WRITE, MOVE, SYNC, MAKE, KINDS };

static char below[PATH_MAX];
static int counts[KINDS], failing = -1, nth, error, lasts;

void plan_failure(const char *folder, int kind, int call, int number, int for_good) {
    strncpy(below, folder, sizeof below - 1);
    memset(counts, 0, sizeof counts);
    failing = kind, nth = call, error = number, lasts = for_good;
}

int calls_of(int kind) { return counts[kind]; }

static int fails(int kind, const char *path) {
    char whole[PATH_MAX * 2];
    if (!below[0] || !path) return 0;
    if (path[0] != '/') {
        char here[PATH_MAX];
        if (!getcwd(here, sizeof here)) return 0;
        snprintf(whole, sizeof whole, "%s/%s", here, path);
        path = whole;
    }
    if (strncmp(path, below, strlen(below))) return 0;
    int call = ++counts[kind];
    if (kind != failing || call < nth || (call > nth && !lasts)) return 0;
    errno = error;
    return 1;
}

static int fails_at(int kind, int file) {
    char link[64], path[PATH_MAX];
    if (!below[0]) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t size = readlink(link, path, sizeof path - 1);
    if (size < 0) return 0;
    path[size] = 0;
    return fails(kind, path);
}

#define REAL(type, name, ...) static type (*real)(__VA_ARGS__); if (!real) real = dlsym(RTLD_NEXT, name)
#define OPENS(name)                                                                     \
    int name(const char *path, int flags, ...) {                                        \
        REAL(int, #name, const char *, int, ...);                                       \
        va_list more;                                                                   \
        va_start(more, flags);                                                          \
        mode_t mode = va_arg(more, mode_t);                                             \
        va_end(more);                                                                   \
        return (flags & O_ACCMODE) && fails(OPEN, path) ? -1 : real(path, flags, mode); \
    }
#define OPENS_AT(name)                                                                        \
    int name(int folder, const char *path, int flags, ...) {                                  \
        REAL(int, #name, int, const char *, int, ...);                                        \
        va_list more;                                                                         \
        va_start(more, flags);                                                                \
        mode_t mode = va_arg(more, mode_t);                                                   \
        va_end(more);                                                                         \
        return (flags & O_ACCMODE) && fails(OPEN, path) ? -1 : real(folder, path, flags, mode); \
    }
#define FILES(name)                                                                                   \
    FILE *name(const char *path, const char *mode) {                                                  \
        REAL(FILE *, #name, const char *, const char *);                                              \
        return strpbrk(mode, "wa+") && fails(OPEN, path) ? NULL : real(path, mode);                   \
    }
#define WRITES(name, type)                                                \
    ssize_t name(int file, const void *held, size_t size, type place) {   \
        REAL(ssize_t, #name, int, const void *, size_t, type);            \
        return fails_at(WRITE, file) ? -1 : real(file, held, size, place); \
    }
#define MOVES(name)                                                  \
    int name(const char *from, const char *to) {                     \
        REAL(int, #name, const char *, const char *);                \
        return fails(MOVE, to) ? -1 : real(from, to);                \
    }
#define SYNCS(name)                                      \
    int name(int file) {                                 \
        REAL(int, #name, int);                           \
        return fails_at(SYNC, file) ? -1 : real(file);   \
    }

OPENS(open)
OPENS(open64)
OPENS_AT(openat)
OPENS_AT(openat64)
FILES(fopen)
FILES(fopen64)
WRITES(pwrite, off_t)
WRITES(pwrite64, off64_t)
MOVES(rename)
MOVES(link)
SYNCS(fsync)
SYNCS(fdatasync)

ssize_t write(int file, const void *held, size_t size) {
    REAL(ssize_t, "write", int, const void *, size_t);
    return fails_at(WRITE, file) ? -1 : real(file, held, size);
}

ssize_t writev(int file, const struct iovec *held, int number) {
    REAL(ssize_t, "writev", int, const struct iovec *, int);
    return fails_at(WRITE, file) ? -1 : real(file, held, number);
}

int mkdir(const char *path, mode_t mode) {
    REAL(int, "mkdir", const char *, mode_t);
    return fails(MAKE, path) ? -1 : real(path, mode);
}
