// measure COMMAND [ARGUMENT...]: runs the command with its output thrown away and prints its wall time in ms, CPU time in ms, peak
// memory in KiB and exit status. It has to be small: a child's peak is never reported below that of the process that forked it.
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double milliseconds(struct timeval time) { return time.tv_sec * 1e3 + time.tv_usec / 1e3; }

int main(int count, char **arguments) {
    if (count < 2) {
        fputs("usage: measure COMMAND [ARGUMENT...]\n", stderr);
        return 64;
    }
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    pid_t child = fork();
    if (child < 0) return 70;
    if (child == 0) {
        int nothing = open("/dev/null", O_RDWR);
        if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 || dup2(nothing, 2) < 0) _exit(126);
        execvp(arguments[1], arguments + 1);
        _exit(127);
    }
    int status;
    struct rusage usage;
    if (wait4(child, &status, 0, &usage) < 0) return 70;
    clock_gettime(CLOCK_MONOTONIC, &end);
    double wall = (end.tv_sec - begin.tv_sec) * 1e3 + (end.tv_nsec - begin.tv_nsec) / 1e6;
#ifdef __APPLE__
    long peak = usage.ru_maxrss / 1024;
#else
    long peak = usage.ru_maxrss;
#endif
    printf("%.3f %.3f %ld %d\n", wall, milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime), peak,
           WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    return 0;
}
