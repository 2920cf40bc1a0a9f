//! The layout check: which keys a command may be given.

use crate::{errors, keyspace};
use valkey_module::ValkeyError;

/// The one queue that all of `keys` belong to.
pub fn one_queue<'a>(name: &str, keys: &[&'a [u8]]) -> Result<&'a [u8], ValkeyError> {
    let mut first = None;
    for (index, key) in keys.iter().enumerate() {
        let queue =
            keyspace::queue_of(key).ok_or_else(|| errors::key_foreign(name, index + 1, key))?;
        if *first.get_or_insert(queue) != queue {
            return Err(errors::key_of_another_queue(name, index + 1, key));
        }
    }
    first.ok_or(ValkeyError::WrongArity)
}

/// Requires the fence key itself.
pub fn version_key(name: &str, key: &[u8]) -> Result<(), ValkeyError> {
    if key == keyspace::VERSION_KEY {
        Ok(())
    } else {
        Err(errors::key_not_version(name, key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(keys: &[&[u8]]) -> String {
        one_queue("EMQ.X", keys).unwrap_err().to_string()
    }

    #[test]
    fn one_queue_passes() {
        let queue = one_queue("EMQ.X", &[b"emq:{a}:x", b"emq:{a}:job:1"]).unwrap();
        assert_eq!(queue, b"a");
    }

    #[test]
    fn a_foreign_key_is_named() {
        assert_eq!(
            fault(&[b"emq:{a}:x", b"bull:a:wait"]),
            "EMQKEY EMQ.X key 2 is not in queue space emq:{q}:<type>: bull:a:wait"
        );
        assert_eq!(
            fault(&[b"{emq}:version"]),
            "EMQKEY EMQ.X key 1 is not in queue space emq:{q}:<type>: {emq}:version"
        );
    }

    #[test]
    fn a_second_queue_is_named() {
        assert_eq!(
            fault(&[b"emq:{a}:x", b"emq:{b}:\xff"]),
            "EMQKEY EMQ.X key 2 is not of the queue of key 1: emq:{b}:\\xff"
        );
    }

    #[test]
    fn no_keys_are_no_queue() {
        assert!(matches!(
            one_queue("EMQ.X", &[]),
            Err(ValkeyError::WrongArity)
        ));
    }

    #[test]
    fn only_the_fence_key_installs() {
        assert!(version_key("EMQ.X", b"{emq}:version").is_ok());
        assert_eq!(
            version_key("EMQ.X", b"{emq}:version ")
                .unwrap_err()
                .to_string(),
            "EMQKEY EMQ.X key 1 must be {emq}:version: {emq}:version "
        );
    }
}
