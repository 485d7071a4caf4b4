#ifndef CROWNHEAD_H
#define CROWNHEAD_H

/* Made by `cargo test -p crownhead-c` with UPDATE=1: do not edit. */

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// A handle that is closed or invalid causes an error. Every function may be called from every
// thread. Calls with the same handle wait for each other, except `crownhead_agent_stop`, which
// never waits.
//
// A function that fails returns a handle with the number 0, `NULL`, or `false`; `crownhead_error`
// then returns the message. Returned strings belong to the caller, who frees them with
// `crownhead_string_free`. All strings are UTF-8.

// A game: a position and the moves that led to it.
typedef struct {
  // 0 if there is no game.
  uint64_t handle;
} crownhead_game;

// An agent, which plays one variant or several.
typedef struct {
  // 0 if there is no agent.
  uint64_t handle;
} crownhead_agent;

// Limits of a search; 0 means unlimited.
typedef struct {
  // Positions of alpha-beta search, simulations of a network.
  uint64_t nodes;
  // Depth in plies.
  uint32_t depth;
  // Number of lines, 1 to 10; 0 means 1.
  uint32_t lines;
  // Wall time in seconds.
  double seconds;
} crownhead_limits;

// Callback for intermediate results of an analysis, as the JSON that `crownhead_agent_analyse`
// returns; returning `false` ends the analysis. The text is freed after the call. With the
// analyzing agent the callback may only call `crownhead_agent_stop` and `crownhead_agent_close`;
// all other functions fail.
typedef bool (*crownhead_report)(const char *analysis, void *user);

// Probabilities of win, draw and loss for the side to move.
typedef struct {
  // Probability of a win.
  float win;
  // Probability of a draw.
  float draw;
  // Probability of a loss.
  float loss;
} crownhead_value;

// A reader of PDN, which yields its games one by one.
typedef struct {
  // 0 if there is no reader.
  uint64_t handle;
} crownhead_pdn;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The error message of the last failed call of this thread; `NULL` if none failed. The text is
// valid until the next failing call of this thread.
const char *crownhead_error(void);

// Frees a string that this library returned; `NULL` is ignored.
//
// # Safety
// The string was returned by this library and has not been freed before.
void crownhead_string_free(char *string);

// Starts a game of a variant, such as `english`, from a FEN, or from the start position if it is
// `NULL`.
//
// # Safety
// Strings are null-terminated.
crownhead_game crownhead_game_new(const char *variant, const char *fen);

// Reads one of the games of a PDN text without faults; `index` counts from 0. `variant` is used
// for games without a variant tag; it may be `NULL`. `crownhead_pdn_open` reads all games, also of
// texts with faults.
//
// # Safety
// Strings are null-terminated.
crownhead_game crownhead_game_from_pdn(const char *pdn, size_t index, const char *variant);

// Copies a game.
crownhead_game crownhead_game_copy(crownhead_game game);

// Closes a game; a handle that is not open is ignored.
void crownhead_game_close(crownhead_game game);

// The position as FEN.
char *crownhead_game_fen(crownhead_game game);

// The game as PDN; the players' names may be `NULL`.
//
// # Safety
// Strings are null-terminated.
char *crownhead_game_pdn(crownhead_game game, const char *white, const char *black);

// The game as JSON: `variant`, `fen`, `turn`, `legal_moves` with `text`, `from`, `to`, `captured`
// and `path`, `moves`, `status` (`ongoing`, `white`, `black` or `draw`) and `reason`.
char *crownhead_game_json(crownhead_game game);

// The legal moves, separated by spaces; also listed after a draw by rule.
char *crownhead_game_legal_moves(crownhead_game game);

// `ongoing`, the color of the winner, or `draw`.
char *crownhead_game_status(crownhead_game game);

// Plays the legal move given as text, such as `11-15`.
//
// # Safety
// The string is null-terminated.
bool crownhead_game_play(crownhead_game game, const char *text);

// Takes the last move back.
bool crownhead_game_take_back(crownhead_game game);

// Loads an agent: `english` is the strongest bundled one, `bundled:english` its network,
// `material:russian` one that counts pieces; anything else is a file or a folder.
//
// Options follow after commas, as in `english,threads=2,hash=128`: `threads` and `hash`, its
// megabytes of memory, and of a network `precision`, `f32` or `int8`. `elo=1200` limits its
// strength to that rating, see `crownhead_agent_elo_range`, and `seed=7` is the seed of its random
// choices then.
//
// # Safety
// The string is null-terminated.
crownhead_agent crownhead_agent_load(const char *source);

// Loads an agent from the bytes of a safetensors file, without options. `name` replaces the file
// name in messages.
//
// # Safety
// The string is null-terminated, and `bytes` points to `length` bytes.
crownhead_agent crownhead_agent_from_bytes(const char *name, const uint8_t *bytes, size_t length);

// Closes an agent; a handle that is not open is ignored. Stops the agent's search and waits for
// its end, unless the search's report makes this call.
void crownhead_agent_close(crownhead_agent agent);

// The variant that the agent plays; the first of several.
char *crownhead_agent_variant(crownhead_agent agent);

// The range of ratings, in Elo above random play, for the option `elo` of `crownhead_agent_load`,
// up to the agent's full strength; written to `least` and `most` if the call succeeds. Fails if
// the agent's strength was not measured.
//
// # Safety
// `least` and `most` point to writable memory.
bool crownhead_agent_elo_range(crownhead_agent agent, double *least, double *most);

// The move that the agent chooses. `limits` may be `NULL`; without limits it searches a default
// number of nodes.
//
// # Safety
// `limits` is `NULL` or points to limits.
char *crownhead_agent_choose(crownhead_agent agent,
                             crownhead_game game,
                             const crownhead_limits *limits);

// Analyses a position until a limit is reached, `report` returns `false`, or another thread calls
// `crownhead_agent_stop`. The result is JSON: `nodes`, and `lines`, best first, with `moves`,
// `value` (`win`, `draw`, `loss`, or null), `proof` (`win`, `draw`, `loss`, or null), `plies` to a
// proven end, `depth` and `visits`. A network limited by `nodes` alone plans its whole search at
// once: it makes no reports.
//
// # Safety
// `limits` is `NULL` or points to limits; `report` is `NULL` or may be called from this thread.
char *crownhead_agent_analyse(crownhead_agent agent,
                              crownhead_game game,
                              const crownhead_limits *limits,
                              crownhead_report report,
                              void *user);

// Stops the agent's search on another thread, if there is one.
void crownhead_agent_stop(crownhead_agent agent);

// The value of a position without search; written to `value` if the call succeeds.
//
// # Safety
// `value` points to writable memory.
bool crownhead_agent_value(crownhead_agent agent, crownhead_game game, crownhead_value *value);

// Opens a file of PDN. Games without a variant tag are games of `variant`; if it is `NULL`, their
// moves must tell. `encoding` is a name such as `windows-1251`; if it is `NULL`, it is guessed.
//
// # Safety
// Strings are null-terminated.
crownhead_pdn crownhead_pdn_open(const char *path, const char *variant, const char *encoding);

// Reads the bytes of a PDN text, which are copied; otherwise as `crownhead_pdn_open`.
//
// # Safety
// `bytes` points to `length` bytes, and strings are null-terminated.
crownhead_pdn crownhead_pdn_from_bytes(const uint8_t *bytes,
                                       size_t length,
                                       const char *variant,
                                       const char *encoding);

// The next game as JSON, good or bad; an empty string after the last one. `game` receives a new
// game, of one with a fault the moves before it, with the handle 0 if the start position is
// unknown; it may be `NULL`.
//
// The JSON has `number` and `line` in the text, from 1, `tags` as pairs, `result` (`white`,
// `black`, `draw` or `ongoing`), `comment` before the first move, then for each move of the game
// `comments`, `glyphs` (`!?`) and `data` (pairs such as `clk` and a time), `written`, all moves as
// the text has them, and `error`: null, or the `line` and `message` of the fault.
//
// # Safety
// `game` is `NULL` or points to writable memory.
char *crownhead_pdn_next(crownhead_pdn pdn, crownhead_game *game);

// The encoding of the part read so far, such as `UTF-8` or `windows-1251`.
char *crownhead_pdn_encoding(crownhead_pdn pdn);

// Closes a reader; its games stay open. A handle that is not open is ignored.
void crownhead_pdn_close(crownhead_pdn pdn);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* CROWNHEAD_H */
