//! The agents of front ends are those of the command line.

use agent::{Agent, Options, SEARCH};
use pipeline::config::ConfigSources;
use pipeline::export::{WeightsFormat, export};
use pipeline::settings;
use rules::Variant;

#[test]
fn networks_search_as_the_usual_configuration_says() {
    for variant in Variant::ALL {
        let config = ConfigSources::default().resolve(variant).unwrap().config;
        let usual = settings::play(&config, SEARCH.simulations, None);
        assert_eq!(usual, SEARCH, "{variant}");
        assert_eq!(config.model.precision, Options::default().precision);
    }
}

#[test]
fn folders_that_the_program_writes_are_agents() {
    let (dir, options) = (tempfile::tempdir().unwrap(), Options::default());
    let source = "bundled:thai".parse().unwrap();
    let formats = [WeightsFormat::Safetensors];
    export(&source, &formats, "MIT", dir.path()).unwrap();
    let network = Agent::read(dir.path(), &options).unwrap();
    assert_eq!(network.variant(), Variant::Thai);

    let (dir, (name, bytes)) = (tempfile::tempdir().unwrap(), bundled::EVALUATIONS[0]);
    std::fs::write(dir.path().join(store::EVALUATION_FILE), bytes).unwrap();
    let evaluation = Agent::read(dir.path(), &options).unwrap();
    assert_eq!(evaluation.variant().name(), name);
}
