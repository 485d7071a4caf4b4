// Intercepts calls of the C library and injects faults into operations in one directory. For
// LD_PRELOAD. Environment variables:
//
//   CROWNHEAD_FAULT_DIR    the directory CROWNHEAD_FAULT        what happens (kill, stop, defect,
//   full) and at which operation, from 1: "kill 17" CROWNHEAD_FAULT_SHORT  if set, many writes take
//   fewer bytes than they were given or are interrupted CROWNHEAD_FAULT_COUNT  a file that says in
//   the end how many operations there were
//
// Only operations that change files count. Syncs do not wait for the device.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define MAX_FILES 4096
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static const char *dir;
static char kind; // its first letter
static long at;
static bool has_short_writes;
static atomic_long n_operations;
static atomic_bool is_full;
static atomic_bool is_ours[MAX_FILES];

__attribute__((constructor)) static void begin(void) {
    char *fault = getenv("CROWNHEAD_FAULT"), *number = fault ? strchr(fault, ' ') : NULL;
    dir = getenv("CROWNHEAD_FAULT_DIR");
    has_short_writes = getenv("CROWNHEAD_FAULT_SHORT") != NULL;
    if (number) {
        kind = *fault;
        at = atol(number);
    }
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("CROWNHEAD_FAULT_COUNT");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "%ld", (long)n_operations);
        fclose(file);
    }
}

static bool in_dir(const char *path) {
    size_t n = dir ? strlen(dir) : 0;
    return n && !strncmp(path, dir, n) && (path[n] == '/' || !path[n]);
}

static bool known(int file) { return file >= 0 && file < MAX_FILES && is_ours[file]; }

static int refuse(int error) {
    errno = error;
    return -1;
}

// Counts an operation; returns its error, or 0. `torn` does a part of it.
static int meet(bool needs_room, void (*torn)(int, const void *, size_t), int file, const void *bytes, size_t n) {
    bool is_now = atomic_fetch_add(&n_operations, 1) + 1 == at;
    if (is_now && kind == 'f') is_full = true;
    int error = is_now && kind == 'd' ? EIO : is_full && needs_room ? ENOSPC : 0;
    if (torn && (error || (is_now && kind == 'k'))) torn(file, bytes, n / 2);
    if (is_now && kind == 'k') kill(getpid(), SIGKILL);
    if (is_now && kind == 's') kill(getpid(), SIGTERM);
    return error;
}

static int plain(bool needs_room) { return meet(needs_room, NULL, -1, NULL, 0); }

static void part(int file, const void *bytes, size_t n) {
    ssize_t ignored = REAL(write)(file, bytes, n);
    (void)ignored;
}

static int opened(int file, const char *path) {
    if (file >= 0 && file < MAX_FILES) is_ours[file] = in_dir(path);
    return file;
}

#define OPEN(name)                                                             \
    int name(const char *path, int flags, ...) {                               \
        va_list rest;                                                          \
        va_start(rest, flags);                                                 \
        mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;              \
        va_end(rest);                                                          \
        if (in_dir(path) && (flags & O_ACCMODE) != O_RDONLY) {                 \
            bool is_new = (flags & O_CREAT) && access(path, F_OK);             \
            int error = plain(is_new);                                         \
            if (error) return refuse(error);                                   \
        }                                                                      \
        return opened(REAL(name)(path, flags, mode), path);                    \
    }
OPEN(open)
OPEN(open64)

int close(int file) {
    if (known(file)) is_ours[file] = false;
    return REAL(close)(file);
}

ssize_t write(int file, const void *bytes, size_t n) {
    if (!known(file)) return REAL(write)(file, bytes, n);
    int error = meet(true, part, file, bytes, n);
    if (error) return refuse(error);
    if (has_short_writes && n_operations % 5 == 1) return refuse(EINTR);
    if (has_short_writes && n_operations % 5 == 2) n = (n + 1) / 2;
    return REAL(write)(file, bytes, n);
}

// Only the first piece is written, which is allowed.
ssize_t writev(int file, const struct iovec *pieces, int n) {
    if (!known(file) || n < 1) return REAL(writev)(file, pieces, n);
    return write(file, pieces->iov_base, pieces->iov_len);
}

static int synced(int file, int (*real)(int)) {
    if (!known(file)) return real(file);
    int error = plain(false);
    return error ? refuse(error) : 0;
}

int fsync(int file) { return synced(file, REAL(fsync)); }

int fdatasync(int file) { return synced(file, REAL(fdatasync)); }

int ftruncate64(int file, off64_t length) {
    int error = known(file) ? plain(false) : 0;
    return error ? refuse(error) : REAL(ftruncate64)(file, length);
}

int rename(const char *from, const char *to) {
    int error = in_dir(to) ? plain(false) : 0;
    return error ? refuse(error) : REAL(rename)(from, to);
}

int mkdir(const char *path, mode_t mode) {
    int error = in_dir(path) ? plain(true) : 0;
    return error ? refuse(error) : REAL(mkdir)(path, mode);
}

int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags) {
    int error = in_dir(to) ? plain(true) : 0;
    return error ? refuse(error) : REAL(linkat)(from_dir, from, to_dir, to, flags);
}

int unlink(const char *path) {
    int error = in_dir(path) ? plain(false) : 0;
    return error ? refuse(error) : REAL(unlink)(path);
}

int rmdir(const char *path) {
    int error = in_dir(path) ? plain(false) : 0;
    return error ? refuse(error) : REAL(rmdir)(path);
}
