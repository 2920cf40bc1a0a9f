//! The shape check: arity and numkeys.

use crate::errors;
use valkey_module::ValkeyError;

/// What a command's arguments must look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// No arguments.
    Bare,
    /// `<numkeys> <key> … [arg …]`, with at least one key.
    Keys,
    /// `1 <key>`.
    OneKey,
}

impl Shape {
    /// The arity as the server counts it, with the name; negative is "at least".
    pub const fn arity(self) -> i32 {
        match self {
            Shape::Bare => 1,
            Shape::Keys => -3,
            Shape::OneKey => 3,
        }
    }
}

/// A verb's call, taken apart.
#[derive(Debug, PartialEq, Eq)]
pub struct Call<'a> {
    /// The declared keys; never empty.
    pub keys: &'a [&'a [u8]],
    /// What follows the keys.
    pub args: &'a [&'a [u8]],
}

/// Refuses any argument.
pub fn bare(rest: &[&[u8]]) -> Result<(), ValkeyError> {
    if rest.is_empty() {
        Ok(())
    } else {
        Err(ValkeyError::WrongArity)
    }
}

/// Takes `<numkeys> <key> … [arg …]` apart.
pub fn keys<'a>(name: &str, rest: &'a [&'a [u8]]) -> Result<Call<'a>, ValkeyError> {
    let [numkeys, following @ ..] = rest else {
        return Err(ValkeyError::WrongArity);
    };
    if following.is_empty() {
        return Err(ValkeyError::WrongArity);
    }
    let count = integer(numkeys).ok_or_else(|| errors::numkeys_not_integer(name, numkeys))?;
    if count < 1 {
        return Err(errors::numkeys_not_positive(name, count));
    }
    usize::try_from(count)
        .ok()
        .and_then(|count| following.split_at_checked(count))
        .map(|(keys, args)| Call { keys, args })
        .ok_or_else(|| errors::numkeys_too_many(name, count, following.len()))
}

/// Takes `1 <key>` apart and gives the key.
pub fn one_key<'a>(name: &str, rest: &[&'a [u8]]) -> Result<&'a [u8], ValkeyError> {
    match rest {
        [b"1", key] => Ok(key),
        [numkeys, _] => Err(errors::numkeys_not_one(name, numkeys)),
        _ => Err(ValkeyError::WrongArity),
    }
}

/// An integer in canonical form only, as the server reads `numkeys`: a form
/// that it rejects and we accept would have its keys skipped by the ACL check.
fn integer(bytes: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(bytes).ok()?;
    let number: i64 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(rest: &[&[u8]]) -> String {
        keys("EMQ.X", rest).unwrap_err().to_string()
    }

    #[test]
    fn keys_and_args_are_split() {
        let rest: [&[u8]; 4] = [b"2", b"k1", b"k2", b"a"];
        let call = keys("EMQ.X", &rest).unwrap();
        assert_eq!(call.keys, [b"k1", b"k2"]);
        assert_eq!(call.args, [b"a"]);
    }

    #[test]
    fn all_may_be_keys() {
        let rest: [&[u8]; 2] = [b"1", b"k1"];
        assert_eq!(keys("EMQ.X", &rest).unwrap().args.len(), 0);
    }

    #[test]
    fn arity_comes_first() {
        assert!(matches!(keys("EMQ.X", &[]), Err(ValkeyError::WrongArity)));
        assert!(matches!(
            keys("EMQ.X", &[b"x"]),
            Err(ValkeyError::WrongArity)
        ));
    }

    #[test]
    fn only_canonical_integers_count() {
        for bad in [
            "",
            " 1",
            "1 ",
            "+1",
            "01",
            "-0",
            "1.0",
            "0x1",
            "one",
            "9223372036854775808",
        ] {
            let text = fault(&[bad.as_bytes(), b"k"]);
            assert_eq!(
                text,
                format!("ERR EMQ.X numkeys is not an integer or out of range: {bad}")
            );
        }
        assert_eq!(
            fault(&[b"\xff\n", b"k"]),
            "ERR EMQ.X numkeys is not an integer or out of range: \\xff\\n"
        );
    }

    #[test]
    fn the_count_must_fit() {
        assert_eq!(
            fault(&[b"0", b"k"]),
            "ERR EMQ.X numkeys must be at least 1, got 0"
        );
        assert_eq!(
            fault(&[b"-1", b"k"]),
            "ERR EMQ.X numkeys must be at least 1, got -1"
        );
        assert_eq!(
            fault(&[b"1000000", b"k"]),
            "ERR EMQ.X numkeys is 1000000, larger than the 1 that follow"
        );
        assert_eq!(
            fault(&[b"9223372036854775807", b"k"]),
            "ERR EMQ.X numkeys is 9223372036854775807, larger than the 1 that follow"
        );
    }

    #[test]
    fn one_key_is_one_key() {
        assert_eq!(one_key("EMQ.X", &[b"1", b"k"]).unwrap(), b"k");
        assert_eq!(
            one_key("EMQ.X", &[b"2", b"k"]).unwrap_err().to_string(),
            "ERR EMQ.X numkeys must be 1, got 2"
        );
        assert!(matches!(
            one_key("EMQ.X", &[b"1"]),
            Err(ValkeyError::WrongArity)
        ));
        assert!(matches!(
            one_key("EMQ.X", &[b"1", b"k", b"v"]),
            Err(ValkeyError::WrongArity)
        ));
    }

    #[test]
    fn bare_takes_nothing() {
        assert!(bare(&[]).is_ok());
        assert!(matches!(bare(&[b"x"]), Err(ValkeyError::WrongArity)));
    }
}
