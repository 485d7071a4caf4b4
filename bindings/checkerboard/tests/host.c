/* Loads the DLL as CheckerBoard does and plays a game of the engine against itself, for scripts/check_windows.sh.

     host.exe DLL SECONDS UNIT     UNIT 1, 2 or 3: a clock of the same mean time in units of 1, 10 or 100 ms;
                                   0: a mean time, after a hundred DLLs that are unloaded at once, and moves
                                   with an exact time and with "play now"

   Prints the game as PDN, by numbers of squares, with the result for the side that moved last. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

struct coordinates {
    int x, y;
};

struct move {
    int jumps, new_piece, old_piece;
    struct coordinates from, to, path[12], captured[12];
    int captured_pieces[12];
};

typedef int(WINAPI *choose_function)(int board[8][8], int color, double seconds, char status[1024], int *play_now,
                                     int info, int more_info, struct move *played);
typedef int(WINAPI *command_function)(const char *command, char reply[1024]);

static int game;

/* The number of a square, as the players of the game count. */
static int number(struct coordinates at) {
    int column = (at.x - at.y % 2) / 2;
    if (game == 22) return at.y * 4 + column + 1;
    return (game == 24 ? 7 - at.y : at.y) * 4 + 4 - column;
}

static void pieces(char *text, int board[8][8], int side) {
    int n_found = 0;
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 8; x++)
            if ((board[x][y] & 3) == side)
                text += sprintf(text, "%s%s%d", n_found++ ? "," : "", board[x][y] & 8 ? "K" : "",
                                number((struct coordinates){x, y}));
}

static void position(char *text, int board[8][8], int color) {
    char white[200] = "", black[200] = "";
    pieces(white, board, 1);
    pieces(black, board, 2);
    sprintf(text, "%c:W%s:B%s", color == 2 ? 'B' : 'W', white, black);
}

/* The start position; returns the color that moves. */
static int start(int board[8][8]) {
    memset(board, 0, 64 * sizeof(int));
    for (int n = 0; n < 32; n++) {
        int y = n / 4, x = 2 * (3 - n % 4) + y % 2;
        board[x][y] = n < 12 ? 6 : n >= 20 ? 5 : 0;
    }
    return game == 21 ? 2 : 1;
}

static DWORD WINAPI work(void *end) {
    while (!*(volatile int *)end) continue;
    return 0;
}

/* Unloads the DLL as soon as it has a move, with one thread and with four, on a busy machine: a thread that still runs
   there would end the process. */
static int is_left_by_threads(const char *path) {
    int end = 0;
    HANDLE workers[6];
    for (int n = 0; n < 6; n++) workers[n] = CreateThread(NULL, 0, work, &end, 0, NULL);
    for (int round = 0; round < 100; round++) {
        HMODULE library = LoadLibraryA(path);
        if (!library) return 0;
        choose_function choose = (choose_function)(void *)GetProcAddress(library, "getmove");
        command_function command = (command_function)(void *)GetProcAddress(library, "enginecommand");
        int board[8][8], color = start(board), play_now = 0;
        char reply[1024] = "", status[1024] = "";
        struct move played = {0};
        command(round % 2 ? "set searchthreads 4" : "set searchthreads 1", reply);
        choose(board, color, 0.001, status, &play_now, 2, 0, &played);
        if (!FreeLibrary(library)) return 0;
    }
    end = 1;
    return WaitForMultipleObjects(6, workers, TRUE, INFINITE) < 6;
}

static DWORD WINAPI press(void *play_now) {
    Sleep(200);
    *(volatile int *)play_now = 1;
    return 0;
}

/* Milliseconds for a move from a board, which stays as it is. */
static DWORD time_move(choose_function choose, int board[8][8], int color, double seconds, int info, int *play_now) {
    int copy[8][8];
    char status[1024] = "";
    struct move played = {0};
    memcpy(copy, board, sizeof copy);
    DWORD start = GetTickCount();
    choose(copy, color, seconds, status, play_now, info, 0, &played);
    return GetTickCount() - start;
}

/* Tests an exact time, bit 1 of `info`, and a user who wants the move at once. */
static int times_are_kept(choose_function choose, int board[8][8], int color) {
    int play_now = 0;
    DWORD exact = time_move(choose, board, color, 0.5, 2, &play_now);
    HANDLE thread = CreateThread(NULL, 0, press, &play_now, 0, NULL);
    DWORD stopped = time_move(choose, board, color, 60, 0, &play_now);
    WaitForSingleObject(thread, INFINITE);
    fprintf(stderr, "exactly 500 ms: %lu ms; stopped after 200 ms: %lu ms\n", exact, stopped);
    return exact > 400 && exact < 1500 && stopped > 150 && stopped < 2000;
}

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    if (!atoi(argv[3]) && !is_left_by_threads(argv[1])) return 1;
    HMODULE library = LoadLibraryA(argv[1]);
    if (!library) return fprintf(stderr, "cannot load %s: error %lu\n", argv[1], GetLastError()), 1;
    choose_function choose = (choose_function)(void *)GetProcAddress(library, "getmove");
    command_function command = (command_function)(void *)GetProcAddress(library, "enginecommand");
    if (!choose || !command || !GetProcAddress(library, "islegal")) return fprintf(stderr, "a function is missing\n"), 1;

    double seconds = atof(argv[2]);
    int unit = atoi(argv[3]), info = unit << 2, ms = unit == 1 ? 1 : unit == 2 ? 10 : 100;
    int more = (int)(seconds * 1000 * 24 / ms) << 16 | (int)(seconds * 1000 / ms);
    char reply[1024] = "", history[8192], text[8300];
    if (!command("get gametype", reply)) return 1;
    game = atoi(reply);
    int board[8][8], color = start(board);
    if (!unit && !times_are_kept(choose, board, color)) return 1;
    printf("[GameType \"%d\"]\n", game);
    position(history, board, color);
    for (int ply = 0; ply < 400; ply++) {
        char status[1024] = "";
        int play_now = 0, before[8][8];
        struct move played = {0};
        sprintf(text, "set gamehist %s", history);
        if (!command(text, reply)) return fprintf(stderr, "refused: %s\n", text), 1;
        memcpy(before, board, sizeof board);
        DWORD start = GetTickCount();
        int result = choose(board, color, seconds, status, &play_now, info, more, &played);
        DWORD took = GetTickCount() - start;
        if (took > seconds * 4000 + 500) return fprintf(stderr, "ply %d took %lu ms\n", ply, took), 1;
        if (!memcmp(before, board, sizeof board)) {
            printf("{result %d after %d plies: %s} *\n", result, ply, status);
            break;
        }
        printf("%d", number(played.from));
        for (int n = 1; n < played.jumps; n++) printf("x%d", number(played.path[n]));
        printf("%c%d\n", played.jumps ? 'x' : '-', number(played.to));
        color = 3 - color;
        if (played.jumps || !(played.old_piece & 8))
            position(history, board, color);
        else
            sprintf(history + strlen(history), " %d-%d", number(played.from), number(played.to));
        if (result != 3) {
            printf("{result %d after %d plies} *\n", result, ply + 1);
            break;
        }
    }
    return FreeLibrary(library) ? 0 : 1;
}
