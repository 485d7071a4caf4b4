//! Habits of writing PDN: changes of the text of a game after which its meaning is the same, or
//! which must be refused.

/// A habit of writing, and the same text in it.
pub(super) type Habit = (&'static str, fn(&str) -> String);

/// Changes the moves, which come after the first blank line.
fn in_moves(text: &str, change: impl Fn(&str) -> String) -> String {
    let (tags, moves) = text.split_once("\n\n").unwrap();
    format!("{tags}\n\n{}", change(moves))
}

/// Changes every word that is a move.
pub(super) fn each_move(text: &str, change: impl Fn(&str) -> String) -> String {
    in_moves(text, |moves| {
        let words = moves.split_whitespace().map(|word| {
            let is_move = word.contains(['-', 'x']) && !word.starts_with('{');
            if is_move {
                change(word)
            } else {
                word.to_owned()
            }
        });
        words.collect::<Vec<_>>().join(" ") + "\n"
    })
}

/// Changes the value of a tag.
fn retagged(text: &str, name: &str, change: impl Fn(&str) -> String) -> String {
    let lines = text
        .lines()
        .map(|line| match line.strip_prefix(&format!("[{name} \"")) {
            Some(rest) => format!("[{name} \"{}\"]", change(rest.trim_end_matches("\"]"))),
            None => line.to_owned(),
        });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

/// Changes every tag, given its name and its value in quotes.
fn retold(text: &str, change: impl Fn(&str, &str) -> String) -> String {
    let line = |line: &str| match line.strip_prefix('[').and_then(|tag| tag.split_once(' ')) {
        Some((name, value)) => change(name, value.trim_end_matches(']')),
        None => line.to_owned(),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n") + "\n"
}

/// Leaves a tag out.
fn without(text: &str, name: &str) -> String {
    let is_kept = |line: &&str| !line.starts_with(&format!("[{name} "));
    text.lines().filter(is_kept).collect::<Vec<_>>().join("\n") + "\n"
}

fn tag_value(text: &str, name: &str) -> String {
    let lines = text.lines();
    let mut values = lines.filter_map(|line| line.strip_prefix(&format!("[{name} \"")));
    values.next().map_or(String::new(), |rest| {
        rest.trim_end_matches("\"]").to_owned()
    })
}

/// Replaces the numbers of moves by a number before each of them, given its index.
fn numbered(text: &str, number: impl Fn(usize) -> String) -> String {
    in_moves(text, |moves| {
        let words = moves.split_whitespace().filter(|word| !word.ends_with('.'));
        let words = words
            .enumerate()
            .map(|(ply, word)| match word.contains(['-', 'x']) {
                true => format!("{}{word}", number(ply)),
                false => word.to_owned(),
            });
        words.collect::<Vec<_>>().join(" ")
    })
}

/// Habits that keep the meaning of every game.
pub(super) const KEPT: &[Habit] = &[
    ("tag names in lower case", |text| {
        let lower = |line: &str| match line.split_once(' ') {
            Some((name, value)) if name.starts_with('[') => {
                format!("{} {value}", name.to_lowercase())
            }
            _ => line.to_owned(),
        };
        text.lines().map(lower).collect::<Vec<_>>().join("\n") + "\n"
    }),
    ("carriage returns", |text| text.replace('\n', "\r")),
    ("carriage returns and line feeds", |text| {
        text.replace('\n', "\r\n")
    }),
    ("a byte order mark", |text| format!("\u{feff}{text}")),
    ("a repeated tag", |text| {
        text.replacen("\n\n", "\n[Event \"again\"]\n\n", 1)
    }),
    ("comments after semicolons", |text| {
        each_move(text, |mv| format!("{mv} ; so 1-2 (it is\n"))
    }),
    ("comment lines", |text| {
        each_move(text, |mv| format!("{mv}\n% 11-15 {{\n"))
    }),
    ("en dashes", |text| {
        each_move(text, |mv| mv.replace('-', "–"))
    }),
    ("non-breaking hyphens", |text| {
        each_move(text, |mv| mv.replace('-', "\u{2011}"))
    }),
    ("spaces around signs", |text| {
        each_move(text, |mv| mv.replace('-', " - ").replace('x', " x "))
    }),
    ("a space after the sign", |text| {
        each_move(text, |mv| mv.replace('-', "- ").replace('x', "x "))
    }),
    ("a space before the sign", |text| {
        each_move(text, |mv| mv.replace('-', " -").replace('x', " x"))
    }),
    ("colons for captures", |text| {
        each_move(text, |mv| mv.replace('x', ":"))
    }),
    ("hyphens for captures", |text| {
        each_move(text, |mv| mv.replace('x', "-"))
    }),
    ("stars for only moves", |text| {
        each_move(text, |mv| format!("{mv}*"))
    }),
    ("marks", |text| each_move(text, |mv| format!("{mv}!?"))),
    ("marks in parentheses", |text| {
        each_move(text, |mv| format!("{mv}(!)"))
    }),
    ("numbers of marks", |text| {
        each_move(text, |mv| format!("{mv}$1"))
    }),
    ("commas", |text| each_move(text, |mv| format!("{mv},"))),
    ("clocks", |text| {
        each_move(text, |mv| format!("{mv} {{[%clock w0:10:00 B0:09:58]}}"))
    }),
    ("no spaces after numbers", |text| {
        in_moves(text, |moves| moves.replace(". ", "."))
    }),
    ("no dots after numbers", |text| {
        in_moves(text, |moves| moves.replace(". ", " "))
    }),
    ("no numbers", |text| {
        in_moves(text, |moves| {
            let words = moves.split_whitespace().filter(|word| !word.ends_with('.'));
            words.collect::<Vec<_>>().join(" ")
        })
    }),
    ("one line", |text| {
        in_moves(text, |moves| moves.replace('\n', " "))
    }),
    ("a word a line", |text| {
        in_moves(text, |moves| moves.replace(' ', "\n"))
    }),
    ("stars with a space before them", |text| {
        each_move(text, |mv| format!("{mv} *"))
    }),
    ("glyphs with a space after the sign", |text| {
        each_move(text, |mv| format!("{mv} $ 3"))
    }),
    ("no star at the end", |text| {
        in_moves(text, |moves| moves.replace('*', ""))
    }),
    ("the short type", |text| {
        retagged(text, "GameType", |value| {
            value.split(',').next().unwrap().to_owned()
        })
    }),
    ("spaces in the type", |text| {
        retagged(text, "GameType", |value| value.replace(',', ", "))
    }),
    ("an empty FEN", |text| {
        text.replacen("\n\n", "\n[FEN \"\"]\n\n", 1)
    }),
    ("an unknown FEN", |text| {
        text.replacen("\n\n", "\n[FEN \"?\"]\n\n", 1)
    }),
    ("a FEN that is a hyphen", |text| {
        text.replacen("\n\n", "\n[FEN \"-\"]\n\n", 1)
    }),
    ("Red", |text| text.replace("[Black ", "[Red ")),
    ("leading zeros", |text| {
        each_move(text, |mv| {
            let mut padded = String::new();
            for part in mv.split_inclusive(['-', 'x']) {
                let is_digit = part.starts_with(|c: char| c.is_ascii_digit());
                let n_digits = part.trim_end_matches(['-', 'x']).len();
                padded.push_str(if is_digit && n_digits == 1 { "0" } else { "" });
                padded.push_str(part);
            }
            padded
        })
    }),
    ("tag names in capitals", |text| {
        retold(text, |name, value| {
            format!("[{} {value}]", name.to_uppercase())
        })
    }),
    ("spaces inside tags", |text| {
        retold(text, |name, value| format!("  [ {name}\t {value} ]  "))
    }),
    ("blank lines between tags", |text| {
        text.replace("]\n", "]\n\n")
    }),
    ("no blank line after tags", |text| {
        text.replacen("\n\n", "\n", 1)
    }),
    ("tags on one line", |text| text.replace("]\n", "] ")),
    ("the type alone", |text| without(text, "Variant")),
    ("the name of the game alone", |text| {
        without(text, "GameType")
    }),
    ("a longer name of the game", |text| {
        retagged(text, "Variant", |value| {
            format!("{} Draughts", value.to_uppercase())
        })
    }),
    ("small letters in the type", |text| {
        retagged(text, "GameType", str::to_lowercase)
    }),
    ("the result after the moves alone", |text| {
        let value = tag_value(text, "Result");
        without(&without(text, "Result"), "Winner").replacen('*', &value, 1)
    }),
    ("the result in its tag alone", |text| {
        without(text, "Winner")
    }),
    ("spaces around names", |text| {
        retagged(text, "White", |value| format!(" {value} "))
    }),
    ("moves in capitals", |text| {
        each_move(text, str::to_uppercase)
    }),
    ("multiplication signs", |text| {
        each_move(text, |mv| mv.replace('x', "×"))
    }),
    ("minus signs", |text| {
        each_move(text, |mv| mv.replace('-', "−"))
    }),
    ("em dashes with spaces", |text| {
        each_move(text, |mv| mv.replace('-', " — "))
    }),
    ("full-width hyphens", |text| {
        each_move(text, |mv| mv.replace('-', "\u{ff0d}"))
    }),
    ("moves over two lines", |text| {
        each_move(text, |mv| mv.replace('-', "-\n").replace('x', "\nx"))
    }),
    ("tabs", |text| {
        in_moves(text, |moves| moves.replace(' ', "\t"))
    }),
    ("non-breaking spaces", |text| {
        in_moves(text, |moves| moves.replace(' ', "\u{a0}"))
    }),
    ("narrow spaces in moves", |text| {
        each_move(text, |mv| mv.replace('-', "\u{2009}-\u{202f}"))
    }),
    ("spaces of no width", |text| {
        each_move(text, |mv| format!("\u{200b}{mv}\u{200b}"))
    }),
    ("an end of DOS files", |text| format!("{text}\u{1a}")),
    ("form feeds between lines", |text| {
        in_moves(text, |moves| moves.replace('\n', "\n\u{c}"))
    }),
    ("a number for each move", |text| {
        numbered(text, |ply| {
            format!("{}{}", ply / 2 + 1, [".", "..."][ply % 2])
        })
    }),
    ("a number with an ellipsis for replies", |text| {
        numbered(text, |ply| {
            format!("{}{}", ply / 2 + 1, [". ", "…"][ply % 2])
        })
    }),
    ("numbers that count plies", |text| {
        numbered(text, |ply| format!("{}. ", ply + 1))
    }),
    ("numbers apart from their dots", |text| {
        in_moves(text, |moves| moves.replace(". ", " . "))
    }),
    ("numbers with zeros", |text| {
        numbered(text, |ply| format!("{:03}. ", ply / 2 + 1))
    }),
    ("comments at both sides", |text| {
        each_move(text, |mv| format!("{{so}}{mv}{{1-0}}"))
    }),
    ("comments with signs", |text| {
        each_move(text, |mv| {
            format!("{mv} {{a; b ( [Event \"x\"] $1 * 2-0 /FEN/}}")
        })
    }),
    ("comments over lines", |text| {
        each_move(text, |mv| format!("{mv} {{a\n% b\n\nc}}"))
    }),
    ("empty comments", |text| {
        each_move(text, |mv| format!("{{}}{mv}{{ }}"))
    }),
    ("a comment before the tags", |text| {
        format!("{{found}}\n{text}")
    }),
    ("a comment before the first move", |text| {
        text.replacen("\n\n", "\n\n{White is to win 2-0}\n", 1)
    }),
    ("variations", |text| {
        each_move(text, |mv| format!("{mv}({mv} 1-2 {{)}} (3-4) 2-0)"))
    }),
    ("several numbers of marks", |text| {
        each_move(text, |mv| format!("{mv} $3 $14$255 $300"))
    }),
    ("spaces before marks", |text| {
        each_move(text, |mv| format!("{mv} !? +="))
    }),
    ("spaces in the result", |text| {
        text.replacen('*', &tag_value(text, "Result").replace('-', " - "), 1)
    }),
    ("bullets for hyphens", |text| {
        each_move(text, |mv| mv.replace('-', "\u{2043}"))
    }),
    ("heavy multiplication signs", |text| {
        each_move(text, |mv| mv.replace('x', "✕"))
    }),
    ("evaluation signs glued to moves", |text| {
        each_move(text, |mv| format!("{mv}+-"))
    }),
    ("evaluation signs with slashes", |text| {
        each_move(text, |mv| format!("{mv} +/-"))
    }),
    ("negative numbers of marks", |text| {
        each_move(text, |mv| format!("{mv} $-1"))
    }),
    ("line separators after comments", |text| {
        each_move(text, |mv| format!("{mv} ; so\u{2028}"))
    }),
    ("a word after the result", |text| {
        text.replacen('*', &(tag_value(text, "Result") + " agreed"), 1)
    }),
    ("a result by forfeit", |text| {
        let value = tag_value(text, "Result") + "F";
        without(&without(text, "Result"), "Winner").replacen('*', &value, 1)
    }),
    ("a result in parentheses", |text| {
        let value = format!("({})", tag_value(text, "Result"));
        without(&without(text, "Result"), "Winner").replacen('*', &value, 1)
    }),
    ("a result twice in two forms", |text| {
        let value = tag_value(text, "Result").replace('-', ":");
        text.replacen("\n\n", &format!("\n[Result \"{value}\"]\n\n"), 1)
    }),
    ("an unknown result before the known one", |text| {
        format!("[Result \"?\"]\n{text}")
    }),
    ("a tag without a value", |text| format!("[Event]\n{text}")),
    ("tag names with signs", |text| {
        format!("[Time-Control.1: \"a\"]\n[Événement \"b\"]\n{text}")
    }),
    ("a repeated tag after a blank line", |text| {
        text.replacen("\n\n", "\n\n[Event \"again\"]\n\n", 1)
    }),
];

/// Habits after which a game may be refused, but is never another one.
pub(super) const RISKY: &[Habit] = &[
    ("no tags for the game", |text| {
        let is_kept = |line: &&str| !line.starts_with("[GameType") && !line.starts_with("[Variant");
        text.lines().filter(is_kept).collect::<Vec<_>>().join("\n") + "\n"
    }),
    ("another type", |text| {
        retagged(text, "GameType", |_| "27".to_owned())
    }),
    ("an unknown variant", |text| {
        retagged(text, "Variant", |_| "Frysk!".to_owned())
    }),
    ("a contradicting type", |text| {
        retagged(text, "GameType", |value| {
            if value.starts_with("20") {
                "21".to_owned()
            } else {
                "20".to_owned()
            }
        })
    }),
    ("a contradicting size", |text| {
        retagged(text, "GameType", |value| {
            if value.contains(",10,") {
                value.replace(",10,", ",8,")
            } else {
                value.replace(",8,", ",10,")
            }
        })
    }),
    ("the other side first", |text| {
        retagged(text, "GameType", |value| {
            if value.contains(",W,") {
                value.replace(",W,", ",B,")
            } else {
                value.replace(",B,", ",W,")
            }
        })
    }),
    ("no signs in moves", |text| {
        each_move(text, |mv| mv.replace(['-', 'x'], " "))
    }),
    ("no last comment sign", |text| {
        text.replacen("*", "{ begun", 1)
    }),
    ("a broken tag", |text| {
        text.replacen("[White \"", "[White ", 1)
    }),
    ("two results", |text| {
        text.replacen("\n\n", "\n[Result \"1/2-1/2\"]\n\n", 1)
    }),
    ("two players", |text| {
        text.replacen("\n\n", "\n[White \"Other\"]\n\n", 1)
    }),
    ("dots in moves", |text| {
        each_move(text, |mv| mv.replace(['-', 'x'], "."))
    }),
    ("commas in moves", |text| {
        each_move(text, |mv| mv.replace(['-', 'x'], ","))
    }),
    ("slashes in moves", |text| {
        each_move(text, |mv| mv.replace(['-', 'x'], "/"))
    }),
    ("arrows in moves", |text| {
        each_move(text, |mv| mv.replace(['-', 'x'], "→"))
    }),
    ("words in moves", |text| {
        each_move(text, |mv| mv.replace(['-', 'x'], " to "))
    }),
    ("doubled signs", |text| {
        each_move(text, |mv| mv.replace('-', "--").replace('x', "xx"))
    }),
    ("squares glued together", |text| {
        each_move(text, |mv| mv.replace(['-', 'x'], ""))
    }),
    ("letters for digits", |text| {
        each_move(text, |mv| mv.replace('1', "l").replace('0', "O"))
    }),
    ("marks before moves", |text| {
        each_move(text, |mv| format!("!{mv}"))
    }),
    ("numbers after parentheses", |text| {
        numbered(text, |ply| format!("{}) ", ply / 2 + 1))
    }),
    ("numbers after commas", |text| {
        numbered(text, |ply| format!("{}, ", ply / 2 + 1))
    }),
    ("numbers in the other order", |text| {
        numbered(text, |ply| format!("{}. ", 60 - ply / 2))
    }),
    ("comments in comments", |text| {
        each_move(text, |mv| format!("{mv} {{a {{b}} c}}"))
    }),
    ("comments without a beginning", |text| {
        each_move(text, |mv| format!("{mv} so}}"))
    }),
    ("replies in parentheses", |text| {
        in_moves(text, |moves| {
            let mut n_moves = 0;
            let words = moves.split_whitespace().map(|word| {
                n_moves += usize::from(word.contains(['-', 'x']));
                match n_moves == 2 && word.contains(['-', 'x']) {
                    true => format!("({word})"),
                    false => word.to_owned(),
                }
            });
            words.collect::<Vec<_>>().join(" ")
        })
    }),
    ("quotation marks that curl", |text| {
        retold(text, |name, value| {
            format!("[{name} “{}”]", value.trim_matches('"'))
        })
    }),
    ("apostrophes around values", |text| {
        retold(text, |name, value| {
            format!("[{name} '{}']", value.trim_matches('"'))
        })
    }),
    ("tags with equals signs", |text| {
        retold(text, |name, value| format!("[{name}={value}]"))
    }),
    ("values without quotation marks", |text| {
        retold(text, |name, value| {
            format!("[{name} {}]", value.trim_matches('"'))
        })
    }),
    ("a tag after the first move", |text| {
        in_moves(text, |moves| moves.replacen(". ", ". [Event \"b\"] ", 1))
    }),
    ("a result before the moves", |text| {
        text.replacen("\n\n", "\n\n1-0 ", 1)
    }),
    ("a result in brackets", |text| {
        text.replacen('*', "[1-0]", 1)
    }),
    ("text before the tags", |text| {
        format!("Wim - Bea, round 3\n{text}")
    }),
    ("quoted lines", |text| {
        text.lines().map(|line| format!("> {line}\n")).collect()
    }),
    ("characters of markup", |text| {
        each_move(text, |mv| mv.replace('-', "&#8211;"))
    }),
    ("a type in words", |text| {
        retagged(text, "GameType", |value| format!("GameType {value}"))
    }),
    ("a type with a comma too many", |text| {
        retagged(text, "GameType", |value| format!("{value},"))
    }),
    ("a result that contradicts its tag", |text| {
        let value = tag_value(text, "Result");
        let other: String = value.chars().rev().collect();
        without(text, "Winner").replacen('*', &other, 1)
    }),
    ("another name for Red", |text| {
        text.replacen("\n\n", "\n[Red \"Other\"]\n\n", 1)
    }),
    ("null moves", |text| {
        in_moves(text, |moves| moves.replacen('*', "-- *", 1))
    }),
    ("a tag over two lines", |text| {
        text.replacen("[White \"W", "[White \"W\n", 1)
    }),
    ("no type and another name", |text| {
        without(
            &retagged(text, "Variant", |_| "Poddavki".to_owned()),
            "GameType",
        )
    }),
];
