//! Folders of buckets.

use object_store::prefix::PrefixStore;
use object_store::{ObjectStore, parse_url_opts};
use url::Url;

/// A provider of buckets.
struct Provider {
    /// Prefix of its environment variables.
    prefix: &'static str,
    /// Prefixes of the credential variables: at least one must be set. Otherwise the client would
    /// query a metadata server, which most networks lack.
    credentials: &'static [&'static str],
    /// The usual variables, for the error message.
    hint: &'static str,
}

const AMAZON: Provider = Provider {
    prefix: "AWS_",
    credentials: &[
        "AWS_ACCESS_KEY_ID",
        "AWS_CONTAINER_CREDENTIALS_",
        "AWS_METADATA_ENDPOINT",
        "AWS_SKIP_SIGNATURE",
        "AWS_WEB_IDENTITY_TOKEN_FILE",
    ],
    hint: "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_METADATA_ENDPOINT=http://169.254.169.254 where the \
           machine has a role",
};

const GOOGLE: Provider = Provider {
    prefix: "GOOGLE_",
    credentials: &[
        "GOOGLE_APPLICATION_CREDENTIALS",
        "GOOGLE_BEARER_TOKEN",
        "GOOGLE_SERVICE_ACCOUNT",
        "GOOGLE_SKIP_SIGNATURE",
    ],
    hint: "GOOGLE_APPLICATION_CREDENTIALS",
};

const AZURE: Provider = Provider {
    prefix: "AZURE_",
    credentials: &[
        "AZURE_CLIENT_ID",
        "AZURE_MSI_",
        "AZURE_SKIP_SIGNATURE",
        "AZURE_STORAGE_",
    ],
    hint: "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
};

/// The folder at a URL, with the variables of its provider.
pub(crate) fn open(
    url: &str,
    variables: &[(String, String)],
) -> Result<Box<dyn ObjectStore>, String> {
    let parsed = Url::parse(url).map_err(|error| format!("it is not a URL: {error}"))?;
    let provider = match parsed.scheme() {
        "s3" => AMAZON,
        "gs" => GOOGLE,
        _ => AZURE,
    };
    let own = variables
        .iter()
        .filter(|(name, value)| name.starts_with(provider.prefix) && !value.is_empty());
    let is_credential = |(name, _): &(String, String)| {
        provider
            .credentials
            .iter()
            .any(|known| name.starts_with(known))
    };
    if !own.clone().any(is_credential) {
        let hint = provider.hint;
        return Err(format!("there are no credentials for it: set {hint}"));
    }
    let is_open = |(name, value): &(String, String)| {
        let own_name = name.trim_start_matches(provider.prefix);
        own_name
            .trim_start_matches("STORAGE_")
            .starts_with("ENDPOINT")
            && value.starts_with("http://")
    };
    let may_be_open = format!("{}ALLOW_HTTP", provider.prefix);
    if let Some((name, _)) = own.clone().find(|variable| is_open(variable))
        && !own.clone().any(|(name, _)| *name == may_be_open)
    {
        return Err(format!(
            "{name} is without TLS: set {may_be_open}=true if everyone on the way may read it"
        ));
    }
    // The caller has its own deadlines, which depend on the amount of data.
    let patient = ("timeout".to_owned(), "1 day".to_owned());
    // Fails if it has already been installed.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let opened = parse_url_opts(&parsed, own.cloned().chain([patient]));
    let (store, folder) = opened.map_err(|error| error.to_string())?;
    Ok(Box::new(PrefixStore::new(store, folder)))
}
