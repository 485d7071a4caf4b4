#include <crownhead.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    crownhead_agent agent = crownhead_agent_load("english");
    crownhead_game game = crownhead_game_new("english", NULL);
    const crownhead_limits limits = {.nodes = 1000};
    char *legal = crownhead_game_legal_moves(game), *move = NULL;
    puts(legal);
    while ((move = crownhead_agent_choose(agent, game, &limits)) && crownhead_game_play(game, move))
        crownhead_string_free(move);
    puts(crownhead_error()); /* the game is over: ... */
    char *pdn = crownhead_game_pdn(game, "crownhead", "crownhead");
    puts(pdn);
    crownhead_string_free(legal), crownhead_string_free(pdn);
    crownhead_game_close(game), crownhead_agent_close(agent);
    return 0;
}
