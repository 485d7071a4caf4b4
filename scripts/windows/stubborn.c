/* An engine that never answers, and starts a process that outlives it: both end only if they are ended.

     stubborn.exe        waits for ten minutes, and starts: stubborn.exe child */
#include <string.h>
#include <windows.h>

int main(int argc, char **argv) {
    if (argc < 2) {
        char command[MAX_PATH + 16];
        STARTUPINFOA start = {.cb = sizeof start};
        PROCESS_INFORMATION started;
        if (!GetModuleFileNameA(NULL, command, MAX_PATH)) return 1;
        strcat(command, " child");
        if (!CreateProcessA(NULL, command, NULL, NULL, FALSE, 0, NULL, NULL, &start, &started)) return 1;
    }
    (void)argv;
    Sleep(600000);
    return 0;
}
