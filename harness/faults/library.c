/* Loaded before all other libraries, this gives a program a worse disk or another wall clock.
   Each fault is off unless the environment sets it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* One sync fails, in any process, as soon as a certain file exists. */
static int fails(void) {
    const char *once = getenv("KEYPEG_TEST_SYNC_FAILS_ONCE");
    return once && unlink(once) == 0;
}

/* What a disk holds after a power cut if it keeps only what was synced: after each sync of a file
   in one folder, the file is copied to another folder as it is then. */
static const char *shadow_of(const char *path) {
    static __thread char kept[4200];
    const char *disk = getenv("KEYPEG_TEST_DISK"), *shadow = getenv("KEYPEG_TEST_SHADOW");
    if (!disk || !shadow || strncmp(path, disk, strlen(disk)) != 0) return NULL;
    snprintf(kept, sizeof kept, "%s%s", shadow, path + strlen(disk));
    return kept;
}

static int copy(int fd) {
    char link[64], name[4096], draft[4300], page[65536];
    if (!getenv("KEYPEG_TEST_SHADOW")) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, name, sizeof name - 1);
    if (size < 0) return 0;
    name[size] = 0;
    const char *kept = shadow_of(name);
    /* By the same descriptor: opening and closing the file again would release its locks. */
    if (!kept || pread(fd, page, 1, 0) < 0) return 0;
    snprintf(draft, sizeof draft, "%s-draft", kept);
    int to = open(draft, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    for (off_t at = 0; (size = pread(fd, page, sizeof page, at)) > 0; at += size)
        if (write(to, page, size) != size) abort();
    close(to);
    return rename(draft, kept);
}

static int sync_by(const char *name, int fd) {
    int (*real)(int) = dlsym(RTLD_NEXT, name);
    if (fails()) { errno = EIO; return -1; }
    return real(fd) || copy(fd) ? -1 : 0;
}

int fdatasync(int fd) { return sync_by("fdatasync", fd); }

int fsync(int fd) { return sync_by("fsync", fd); }

int unlink(const char *path) {
    int (*real)(const char *) = dlsym(RTLD_NEXT, "unlink");
    const char *kept = shadow_of(path);
    if (kept) real(kept);
    return real(path);
}

/* Only the wall clock is turned, by the number of seconds in a file; other clocks are not. */
static long offset(long hundredth) {
    static long seconds = 0, looked = -1;
    const char *path = getenv("KEYPEG_TEST_OFFSET_FILE");
    if (path == NULL || hundredth == looked) return seconds;
    looked = hundredth;
    FILE *file = fopen(path, "r");
    if (file != NULL) {
        long found = 0;
        if (fscanf(file, "%ld", &found) == 1) seconds = found;
        fclose(file);
    }
    return seconds;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    static int (*real)(clockid_t, struct timespec *) = NULL;
    if (real == NULL) real = dlsym(RTLD_NEXT, "clock_gettime");
    int failed = real(clock, now);
    if (clock == CLOCK_REALTIME && !failed) now->tv_sec += offset(now->tv_sec * 100 + now->tv_nsec / 10000000);
    return failed;
}
