//! Invitations of volunteers.

use std::{fmt, io};

use http::secret;
use serde::Serialize;

/// An invitation to play through a gateway. `Display` is for people, `serde` for programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Invitation {
    /// Name of the volunteer.
    pub name: String,
    /// Secret of the volunteer.
    pub secret: String,
    /// Address for the volunteer's machines to join, with `HOST:PORT` in place of the gateway's
    /// address.
    pub join: String,
}

impl Invitation {
    /// An invitation with a new secret.
    ///
    /// # Errors
    /// If the system provides no random numbers.
    pub fn new(name: &str) -> io::Result<Invitation> {
        let secret = secret()?;
        Ok(Invitation {
            name: name.to_owned(),
            join: format!("http://{name}:{secret}@HOST:PORT"),
            secret,
        })
    }
}

impl fmt::Display for Invitation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Invitation { name, join, .. } = self;
        writeln!(f, "Send this to {name}, with the address of the gateway:")?;
        writeln!(f, "crownhead worker --join {join}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_invitation_has_its_secret() {
        let [one, other] = ["ada", "ada"].map(|name| Invitation::new(name).unwrap());
        assert!(one.secret.len() == 32 && one.secret != other.secret);
        let join = format!("http://ada:{}@HOST:PORT", one.secret);
        let text = "Send this to ada, with the address of the gateway:\ncrownhead worker --join ";
        assert_eq!(one.to_string(), format!("{text}{join}\n"));
        assert_eq!(one.join, join);
    }
}
