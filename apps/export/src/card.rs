//! The model card.

use model::export::{ExportManifest, Int8};

use crate::{CARD, GAMES, MANIFEST, ONNX, ONNX_INT8, ONNX_QDQ};

/// Chooses a move in a golden position; `scripts/check_export.py` runs it.
const EXAMPLE: &str = r#"## Pick a move

With `pip install numpy onnxruntime`, in this folder:

```python
import json, numpy as np, onnxruntime as ort
manifest = json.load(open("manifest.json"))
position = manifest["golden_positions"][0]  # or one of yours, encoded as manifest["input"] says
session = ort.InferenceSession("model.onnx")
feed = {name: np.array([position[name]], np.float32) for name in ("planes", "globals")}
f, t, k, wdl = (output[0] for output in session.run(["f", "t", "k", "wdl"], feed))
token = dict(enumerate(manifest["input"]["tokens"][position["turn"]], start=1))
score = lambda m: f[token[m["from"]]] @ t[token[m["to"]]] / np.sqrt(len(f[0])) + sum(k[token[c]] for c in m["captured"])
logits = np.array([score(move) for move in position["moves"]])
policy = np.exp(logits - logits.max()) / np.exp(logits - logits.max()).sum()
print(position["moves"][policy.argmax()]["notation"], policy.max(), wdl)  # the best move without a search
```

`wdl` are the probabilities of win, draw and loss for the side to move. The legal moves of any
position, in the form that the example uses, are what
`crownhead moves VARIANT --fen FEN --format json` prints; a search over moves plays far better than
this policy alone.

"#;

/// Explains how to check a front end's encoder.
const ENCODER: &str = r#"## Check your encoder

Every one of the `golden_positions` in `manifest.json` has a FEN, how often the position stood on
the board before, the inputs `planes` and `globals`, the outputs, and every legal move with its score
and probability. A front end whose numbers differ by less than 0.0001 is right.

The board is always seen by the side to move: `input.tokens` gives every square its place in the
tensors, for White and for Black to move.
"#;

/// The text of the card for a folder with these files.
pub(crate) fn text(manifest: &ExportManifest, files: &[&str]) -> String {
    let mut sections = front_matter(manifest);
    sections += &introduction(manifest);
    sections += &file_table(files);
    if files.contains(&ONNX) {
        sections += EXAMPLE;
    }
    sections + ENCODER
}

/// Metadata for model hubs. JSON strings are YAML strings too.
fn front_matter(manifest: &ExportManifest) -> String {
    let quote = |text: &str| serde_json::Value::from(text).to_string();
    let (name, license) = (quote(&manifest.name), license(&manifest.license));
    let mut text = format!(
        "---\n{license}library_name: onnx\npipeline_tag: reinforcement-learning\n\
         tags: [checkers, draughts, {}]\n",
        manifest.variant
    );
    if let Some(elo) = &manifest.elo {
        text += &format!(
            "model-index:\n- name: {name}\n  results:\n  - task: {{type: reinforcement-learning}}\n    \
             dataset: {{name: {variant}, type: {variant}}}\n    metrics:\n    - {{type: elo, value: \
             {:.0}, name: {}}}\n",
            elo.elo,
            quote(&format!(
                "Elo above {}, 95 % interval of ±{:.0}",
                elo.zero, elo.ci95
            )),
            variant = manifest.variant,
        );
    }
    text + "---\n\n"
}

/// Licenses that the Hugging Face Hub knows by name, in its lower-case spelling.
const KNOWN_LICENSES: [&str; 13] = [
    "agpl-3.0",
    "apache-2.0",
    "bsd-2-clause",
    "bsd-3-clause",
    "cc-by-4.0",
    "cc-by-sa-4.0",
    "cc0-1.0",
    "gpl-3.0",
    "isc",
    "lgpl-3.0",
    "mit",
    "mpl-2.0",
    "unlicense",
];

/// The license of an SPDX expression: a list of known ones, or a custom name.
pub(crate) fn license(expression: &str) -> String {
    let small = expression.to_lowercase();
    let choices: Vec<&str> = small.split(" or ").map(str::trim).collect();
    if choices.iter().all(|choice| KNOWN_LICENSES.contains(choice)) {
        return match &choices[..] {
            [only] => format!("license: {only}\n"),
            several => format!("license: [{}]\n", several.join(", ")),
        };
    }
    // The name of a custom license is one word.
    let is_kept = |letter: char| letter.is_ascii_alphanumeric() || ".-".contains(letter);
    let name: String = small
        .chars()
        .map(|letter| if is_kept(letter) { letter } else { '-' })
        .collect();
    format!("license: other\nlicense_name: \"{name}\"\n")
}

fn introduction(manifest: &ExportManifest) -> String {
    let (training, network) = (&manifest.training, &manifest.network);
    let rating = match &manifest.elo {
        Some(elo) => format!(
            "{:.0} ±{:.0} Elo above `{}` (95 % interval), from {} games with {} simulations per \
                move",
            elo.elo, elo.ci95, elo.zero, elo.games, elo.simulations
        ),
        None => "not measured".to_owned(),
    };
    format!(
        "# {name}\n\nA network that plays the checkers variant `{variant}`, trained by \
         Crownhead from self-play alone.\n\n| | |\n|---|---|\n\
         | strength | {rating} |\n{limited}| training | {games} games of self-play, {steps} optimizer steps |\n\
         | size | {parameters} weights, {flops:.1} million operations a position |\n{int8}| identity | \
         `{id}`, rules version {rules} |\n| license | {license} |\n\n",
        name = manifest.name,
        variant = manifest.variant,
        limited = manifest
            .strength
            .range()
            .map(|(least, most)| held_back_row(least, most))
            .unwrap_or_default(),
        int8 = [
            ("weights in 8 bits", &manifest.int8),
            ("convolutions in bytes", &manifest.qdq)
        ]
        .into_iter()
        .filter_map(|(what, file)| Some(int8_row(what, file.as_ref()?)))
        .collect::<String>(),
        games = training.games,
        steps = training.steps,
        parameters = network.parameters,
        flops = network.flops as f64 / 1e6,
        id = manifest.net_id,
        rules = manifest.rules_version,
        license = manifest.license,
    )
}

fn held_back_row(least: f64, most: f64) -> String {
    format!(
        "| limited strengths | {least:.0} to {most:.0} Elo above `random`: use `model:` and this \
         folder with, for example, `,elo={:.0}` |\n",
        f64::midpoint(least, most)
    )
}

fn int8_row(what: &str, int8: &Int8) -> String {
    let games = &int8.games;
    format!(
        "| {what} | `{}` has {} kB and computes {:.0} % of the operations in bytes; on {} \
         positions of games the value (win minus loss) differs by {:.4} on average and by at \
         most {:.4}, and the most probable move is the same in {:.1} % |\n",
        int8.file,
        int8.bytes.div_ceil(1000),
        100.0 * int8.share_in_bytes,
        games.positions,
        games.value.mean,
        games.value.max,
        100.0 * games.same_best_move,
    )
}

fn file_table(files: &[&str]) -> String {
    let meaning = |name: &str| match name {
        CARD => "this text",
        ONNX => "the network for onnxruntime and other runtimes, any batch size",
        ONNX_INT8 => "the network with 8-bit weights, smaller and slightly less accurate",
        ONNX_QDQ => {
            "the network with 8-bit convolutions: the fastest on processors with byte \
                multiplication"
        }
        MANIFEST => "inputs, outputs, the score of a move, golden positions, for programs",
        GAMES => "games of self-play",
        "model.safetensors" => "the weights by name",
        _ => "their shape and origin; `crownhead` plays with `model:` and this folder",
    };
    let rows = files
        .iter()
        .map(|name| format!("| `{name}` | {} |\n", meaning(name)));
    format!(
        "| file | content |\n|---|---|\n{}\n",
        rows.collect::<String>()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn licenses_are_named_as_the_hub_names_them() {
        for (expression, lines) in [
            ("MIT OR Apache-2.0", "license: [mit, apache-2.0]\n"),
            ("CC0-1.0", "license: cc0-1.0\n"),
            (
                "GPL-2.0-only WITH x",
                "license: other\nlicense_name: \"gpl-2.0-only-with-x\"\n",
            ),
        ] {
            assert_eq!(license(expression), lines);
        }
    }
}
