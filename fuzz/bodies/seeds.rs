//! Inputs kept from fuzzing, as seeds of tests.

/// Runs a target on each input of a file of `seeds/`: one per line, in hexadecimal digits.
pub(crate) fn each(file: &str, target: impl Fn(&[u8])) {
    for line in file.lines() {
        let digits = line.as_bytes().chunks(2);
        let pairs = digits.map(|pair| str::from_utf8(pair).expect("digits"));
        let input: Vec<u8> = pairs
            .map(|pair| u8::from_str_radix(pair, 16).expect("two digits"))
            .collect();
        target(&input);
    }
}
