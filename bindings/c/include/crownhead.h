#ifndef CROWNHEAD_H
#define CROWNHEAD_H

/* Made by `cargo test -p crownhead-c` with UPDATE=1: do not edit. */

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// A game: a position, and how it came about.
typedef struct {
  // 0 is no game.
  uint64_t handle;
} crownhead_game;

// An agent, which plays one game.
typedef struct {
  // 0 is no agent.
  uint64_t handle;
} crownhead_agent;

// How long to think. What is 0 does not limit.
typedef struct {
  // Positions of alpha-beta search, simulations of a network.
  uint64_t nodes;
  // Plies to look ahead.
  uint32_t depth;
  // Lines to find, 1 to 10; 0 is 1.
  uint32_t lines;
  // Seconds on the clock.
  double seconds;
} crownhead_limits;

// Hears what an analysis has found so far, as the JSON that `crownhead_agent_analyse` returns; `false` ends
// the analysis. The text is freed after the call. Of the functions with the agent that analyses it may call
// `crownhead_agent_stop` and `crownhead_agent_close`; all others fail.
typedef bool (*crownhead_report)(const char *analysis, void *user);

// Probabilities of win, draw and loss, from the view of the side to move.
typedef struct {
  // Of a win.
  float win;
  // Of a draw.
  float draw;
  // Of a loss.
  float loss;
} crownhead_value;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// What went wrong in the last call of this thread that failed; `NULL` if none did. The text holds until the
// next call of this thread that fails.
const char *crownhead_error(void);

// Frees a string that this library returned; `NULL` is left alone.
//
// # Safety
// The string came from this library and was not freed before.
void crownhead_string_free(char *string);

// Starts a game of a variant, such as `english`, from a FEN, or from the start position if that is `NULL`.
//
// # Safety
// Strings end with a zero byte.
crownhead_game crownhead_game_new(const char *variant,
                                  const char *fen);

// Reads one of the games of a PDN text, counted from 0. `variant` is played where no tag says which; it may
// be `NULL`.
//
// # Safety
// Strings end with a zero byte.
crownhead_game crownhead_game_from_pdn(const char *pdn,
                                       size_t index,
                                       const char *variant);

// A second game that stands as this one does.
crownhead_game crownhead_game_copy(crownhead_game game);

// Closes a game; a handle that is not open is left alone.
void crownhead_game_close(crownhead_game game);

// The position as FEN.
char *crownhead_game_fen(crownhead_game game);

// The game as PDN; the names of the players may be `NULL`.
//
// # Safety
// Strings end with a zero byte.
char *crownhead_game_pdn(crownhead_game game, const char *white, const char *black);

// The game as JSON: `variant`, `fen`, `turn`, `legal_moves` with `text`, `from`, `to`, `captured` and `path`,
// `moves`, `status` (`ongoing`, `white`, `black` or `draw`) and `reason`.
char *crownhead_game_json(crownhead_game game);

// The legal moves, separated by spaces, also where a draw rule has ended the game.
char *crownhead_game_legal_moves(crownhead_game game);

// `ongoing`, the colour that has won, or `draw`.
char *crownhead_game_status(crownhead_game game);

// Plays the legal move that a text such as `11-15` means.
//
// # Safety
// The string ends with a zero byte.
bool crownhead_game_play(crownhead_game game, const char *text);

// Takes the last move back.
bool crownhead_game_take_back(crownhead_game game);

// Loads an agent: `english` is the strongest that comes with the library, `bundled:english` its network,
// `material:russian` one that counts pieces; anything else is a file or a folder. Behind it `,elo=1200` is the
// rating that it is held back to, the player `random` having 0, and `,seed=7` decides what it then leaves to chance.
//
// # Safety
// The string ends with a zero byte.
crownhead_agent crownhead_agent_load(const char *source);

// Loads an agent from the bytes of a safetensors file. `name` stands for the file in messages.
//
// # Safety
// The string ends with a zero byte, and there are `length` bytes.
crownhead_agent crownhead_agent_from_bytes(const char *name, const uint8_t *bytes, size_t length);

// Closes an agent; a handle that is not open is left alone. A search that runs is stopped and ends first, but for
// the one that makes this call by its report.
void crownhead_agent_close(crownhead_agent agent);

// The game that the agent plays.
char *crownhead_agent_variant(crownhead_agent agent);

// The move that the agent chooses. `limits` may be `NULL`; without limits it makes a usual number of nodes.
//
// # Safety
// `limits` is `NULL` or points to limits.
char *crownhead_agent_choose(crownhead_agent agent,
                             crownhead_game game,
                             const crownhead_limits *limits);

// Analyses a position until a limit is reached, `report` returns `false`, or another thread calls
// `crownhead_agent_stop`. The result is JSON: `nodes`, and `lines`, best first, with `moves`, `value` (`win`,
// `draw`, `loss`, or null), `proof` (`win`, `draw`, `loss`, or null), `plies` to a proven end, `depth` and
// `visits`.
//
// # Safety
// `limits` is `NULL` or points to limits; `report` is `NULL` or may be called from this thread.
char *crownhead_agent_analyse(crownhead_agent agent,
                              crownhead_game game,
                              const crownhead_limits *limits,
                              crownhead_report report,
                              void *user);

// Ends the search that the agent is making for another thread, if it is making one.
void crownhead_agent_stop(crownhead_agent agent);

// What a position is worth without looking ahead; `value` is written if the call succeeds.
//
// # Safety
// `value` points to a value that can be written.
bool crownhead_agent_value(crownhead_agent agent, crownhead_game game, crownhead_value *value);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* CROWNHEAD_H */
