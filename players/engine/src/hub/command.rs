//! Commands that start engines.

/// Splits a command into words as a shell does; `None` if a quote is open. On Windows a backslash
/// is a part of a path, not an escape.
pub fn split_command(command: &str) -> Option<Vec<String>> {
    split(command, cfg!(windows))
}

fn split(command: &str, is_windows: bool) -> Option<Vec<String>> {
    match is_windows {
        true => shlex::split(&escaped(command)),
        false => shlex::split(command),
    }
}

/// The command with an escape before each backslash that a shell would take for one.
fn escaped(command: &str) -> String {
    let (mut escaped, mut quote) = (String::new(), None);
    for sign in command.chars() {
        match (quote, sign) {
            (Some(open), _) if open == sign => quote = None,
            (None, '\'' | '"') => quote = Some(sign),
            (None | Some('"'), '\\') => escaped.push('\\'),
            _ => {}
        }
        escaped.push(sign);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backslashes_are_parts_of_paths_on_windows() {
        let command = r#"C:\Scan\scan.exe 'D:\my games\x' "E:\a b\\c" hub"#;
        assert_eq!(
            split(command, true).unwrap(),
            [r"C:\Scan\scan.exe", r"D:\my games\x", r"E:\a b\\c", "hub"]
        );
        assert_eq!(split(r"\\server\x", true).unwrap(), [r"\\server\x"]);
        assert_eq!(split(r"a\ b", false).unwrap(), ["a b"]);
        assert_eq!(split(r"'C:\it\", true), None);
    }
}
