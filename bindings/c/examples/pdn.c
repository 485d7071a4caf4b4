/* A bad game of PDN costs no other. */
#include <crownhead.h>
#include <stdio.h>
#include <string.h>

static const char text[] = "[White \"P\xe5\xf2\xf0\xee\xe2\"] [GameType \"21\"] 1. 11-15 {sharp} 23-19 1-0\n"
                           "[White \"Anna\"] [GameType \"21\"] 1. 9-14 1-2 *\n"
                           "[White \"Bert\"] [GameType \"1\"] 1. e2-e4 *\n";

static int n_failed;

static void expect(const char *found, const char *part) {
    if (found && strstr(found, part)) return;
    n_failed++;
    fprintf(stderr, "expected \"%s\", found: %s\n", part, found ? found : "NULL");
}

/* The next game, and the moves of it that could be played. */
static void next(crownhead_pdn pdn, const char *part, const char *moves) {
    crownhead_game game;
    char *read = crownhead_pdn_next(pdn, &game);
    char *state = game.handle ? crownhead_game_json(game) : NULL;
    expect(read, part);
    expect(state ? state : "no game", moves);
    crownhead_string_free(read), crownhead_string_free(state);
    crownhead_game_close(game);
}

int main(void) {
    crownhead_pdn pdn = crownhead_pdn_from_bytes((const uint8_t *)text, sizeof text - 1, NULL, "windows-1251");
    next(pdn, "\"tags\":[[\"White\",\"P\xd0\xb5\xd1\x82", "\"moves\":[\"11-15\",\"23-19\"]");
    next(pdn, "\"error\":{\"line\":2,\"message\":\"line 2: ply 2: `1-2`", "\"moves\":[\"9-14\"]");
    next(pdn, "\"written\":[\"e2-e4\"],\"error\":{\"line\":3", "no game");
    char *end = crownhead_pdn_next(pdn, NULL), *encoding = crownhead_pdn_encoding(pdn);
    expect(end && !*end ? "end" : end, "end");
    expect(encoding, "windows-1251");
    crownhead_string_free(end), crownhead_string_free(encoding);
    crownhead_pdn_close(pdn);
    crownhead_pdn_close(pdn);
    if (crownhead_pdn_next(pdn, NULL)) n_failed++;
    expect(crownhead_error(), "is not an open reader of PDN");
    if (crownhead_pdn_open("/nowhere", NULL, NULL).handle) n_failed++;
    expect(crownhead_error(), "failed to read /nowhere");
    if (crownhead_pdn_open("/nowhere", "chess", NULL).handle) n_failed++;
    expect(crownhead_error(), "unknown variant `chess`");
    if (crownhead_pdn_from_bytes(NULL, 0, NULL, NULL).handle) n_failed++;
    expect(crownhead_error(), "bytes is NULL");
    if (crownhead_pdn_from_bytes((const uint8_t *)"", 0, NULL, "klingon").handle) n_failed++;
    expect(crownhead_error(), "unknown encoding `klingon`");
    if (!n_failed) puts("pdn: all games read");
    return n_failed;
}
