/* Every invalid argument causes an error message; nothing ends the program. */
#include <crownhead.h>
#include <stdio.h>
#include <string.h>

static int n_failed;

static void expect(bool is_refused, const char *part) {
    const char *error = crownhead_error();
    if (is_refused && error && strstr(error, part)) return;
    n_failed++;
    fprintf(stderr, "expected an error with \"%s\", found: %s\n", part, error ? error : "none");
}

/* A report may stop or close its agent; any other call to the agent would deadlock. */
static bool close_it(const char *analysis, void *user) {
    const crownhead_agent agent = *(crownhead_agent *)user;
    expect(analysis && !crownhead_agent_variant(agent), "this is a report of");
    crownhead_agent_close(agent);
    return true;
}

int main(void) {
    if (crownhead_error()) n_failed++;
    expect(!crownhead_game_new("chess", NULL).handle, "unknown variant `chess`");
    expect(!crownhead_game_new(NULL, NULL).handle, "variant is NULL");
    expect(!crownhead_game_new("english", "W:W99:B1").handle, "square 99 is not on the english board");
    expect(!crownhead_game_new("english", "\xff").handle, "fen is not UTF-8");
    expect(!crownhead_game_from_pdn("1. 11-15 *", 0, NULL).handle, "no tag names the game");
    expect(!crownhead_game_from_pdn("1. 11-15 *", 3, "english").handle, "there is no game 3");
    expect(!crownhead_agent_load("/nowhere/at/all").handle, "failed to read /nowhere/at/all");
    expect(!crownhead_agent_from_bytes("damaged", (const uint8_t *)"x", 1).handle, "damaged");
    expect(!crownhead_agent_from_bytes("none", NULL, 0).handle, "bytes is NULL");

    expect(!crownhead_agent_load("english,threads=999").handle, "999 is more than 256: write threads=2");

    crownhead_game game = crownhead_game_new("english", NULL);
    expect(!crownhead_game_play(game, "1-5"), "`1-5` is not a legal move here");
    expect(!crownhead_game_take_back(game), "no move to take back");
    crownhead_agent thai = crownhead_agent_load("thai");
    expect(!crownhead_agent_choose(thai, game, NULL), "plays thai, not english");
    const crownhead_limits limits[] = {{.seconds = -1}, {.lines = 99, .nodes = 1}};
    expect(!crownhead_agent_choose(thai, game, &limits[0]), "seconds is -1");
    expect(!crownhead_agent_analyse(thai, game, &limits[1], NULL, NULL), "lines is 99");
    expect(!crownhead_agent_value(thai, game, NULL), "value is NULL");
    double least = 0, most = 0;
    expect(!crownhead_agent_elo_range(thai, &least, NULL), "least or most is NULL");
    crownhead_agent material = crownhead_agent_load("material:thai");
    expect(!crownhead_agent_elo_range(material, &least, &most), "the strength of material:thai was not measured");
    crownhead_agent_close(material);
    crownhead_game_close(game);
    crownhead_game_close(game);
    expect(!crownhead_game_fen(game), "was closed, or never opened");

    game = crownhead_game_new("thai", NULL);
    char *found = crownhead_agent_analyse(thai, game, NULL, close_it, &thai);
    if (!found) n_failed++;
    crownhead_string_free(found);
    crownhead_agent_close(thai);
    crownhead_agent_stop(thai);
    expect(!crownhead_agent_variant(thai), "is not an open agent");
    if (!n_failed) puts("errors: all reported");
    return n_failed;
}
