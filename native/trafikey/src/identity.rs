//! What this build says about itself.

/// The module's name.
pub const MODULE: &str = "trafikey";

/// The crate's version.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The major that a client's rule compares.
pub const MAJOR: i64 = if cfg!(feature = "variant-major") {
    1
} else {
    0
};

/// The wire that `EMQ.VERSION` reports. The fence itself always requires
/// [`crate::keyspace::EPOCH`].
pub const WIRE: &str = if cfg!(feature = "variant-wire") {
    "echomq:7.0.0"
} else {
    "echomq:6.0.0"
};

/// A label of the builder's choosing; reported, never compared. An empty one is none.
pub fn build() -> Option<&'static str> {
    option_env!("TRAFIKEY_BUILD").filter(|label| !label.is_empty())
}

/// The number that `MODULE LIST` shows: 0.1.0 as major * 10000 + minor * 100 + patch.
pub const LOAD_VERSION: i32 = 100;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn load_version_is_the_crate_version() {
        let parts: Vec<i32> = VERSION
            .split('.')
            .map(|part| part.parse().unwrap())
            .collect();
        assert_eq!(LOAD_VERSION, parts[0] * 10_000 + parts[1] * 100 + parts[2]);
    }
}
