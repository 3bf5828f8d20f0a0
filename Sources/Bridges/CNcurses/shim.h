#pragma once
#define NCURSES_WIDECHAR 1
#define _XOPEN_SOURCE_EXTENDED 1
#include <ncursesw/curses.h>
#include <ncursesw/term.h>

// Swift sees no macros that compute, and no global variables, such as stdscr.
static inline SCREEN *cncurses_open(void) { return newterm(NULL, stdout, stdin); }
static inline int cncurses_can_move(void) {
    char *sequence = tigetstr("cup");
    return sequence && sequence != (char *)-1;
}
static inline void cncurses_keypad(void) { keypad(stdscr, 1); }
static inline void cncurses_attributes(int pair, int is_bold, int is_reverse) {
    attr_t attributes = COLOR_PAIR(pair);
    if (is_bold) attributes |= A_BOLD;
    if (is_reverse) attributes |= A_REVERSE;
    wattrset(stdscr, attributes);
}
static inline int cncurses_rows(void) { return LINES; }
static inline int cncurses_columns(void) { return COLS; }
// Returns a key's code, negative for a character, and 0 if none came.
static inline int cncurses_key(int milliseconds) {
    wint_t key = 0;
    wtimeout(stdscr, milliseconds);
    switch (wget_wch(stdscr, &key)) {
    case KEY_CODE_YES: return (int)key;
    case OK: return key == 0 ? 0 : -(int)key;
    default: return 0;
    }
}
