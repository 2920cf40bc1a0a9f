//! The texts of every refusal, one place.
//!
//! Bytes of a client or of the store appear in printable form only, so that
//! no error can break the protocol or grow with its cause.

use crate::printable::printable;
use valkey_module::ValkeyError;

/// The fence: the node holds no wire.
pub const WIRE_ABSENT: &str = "EMQWIRE expected echomq:6.0.0 but {emq}:version is absent";

/// The fence: the module serves standalone servers only.
pub const WIRE_CLUSTER: &str = "EMQWIRE expected a standalone server found a cluster-enabled one";

/// A key rule denies the caller; the server's own words.
pub const NO_PERMISSION: &str = "NOPERM No permissions to access a key";

/// The server answered a call of ours with a type that it never should.
pub const HOST_REPLY: &str = "EMQHOST unexpected reply from the server";

/// A defect of this module, held at its border so that the server lives.
pub const DEFECT: &str = "EMQHOST internal error";

/// The fence: the node holds another wire.
pub fn wire_found(stored: &[u8]) -> ValkeyError {
    let stored = printable(stored);
    ValkeyError::String(format!("EMQWIRE expected echomq:6.0.0 found {stored}"))
}

/// The shape: `numkeys` is no integer.
pub fn numkeys_not_integer(name: &str, got: &[u8]) -> ValkeyError {
    let got = printable(got);
    ValkeyError::String(format!(
        "ERR {name} numkeys is not an integer or out of range: {got}"
    ))
}

/// The shape: no key.
pub fn numkeys_not_positive(name: &str, got: i64) -> ValkeyError {
    ValkeyError::String(format!("ERR {name} numkeys must be at least 1, got {got}"))
}

/// The shape: more keys promised than given.
pub fn numkeys_too_many(name: &str, got: i64, following: usize) -> ValkeyError {
    ValkeyError::String(format!(
        "ERR {name} numkeys is {got}, larger than the {following} that follow"
    ))
}

/// The shape of `EMQ.INSTALL`.
pub fn numkeys_not_one(name: &str, got: &[u8]) -> ValkeyError {
    let got = printable(got);
    ValkeyError::String(format!("ERR {name} numkeys must be 1, got {got}"))
}

/// The layout: a key outside queue space. `position` counts from 1.
pub fn key_foreign(name: &str, position: usize, key: &[u8]) -> ValkeyError {
    let key = printable(key);
    ValkeyError::String(format!(
        "EMQKEY {name} key {position} is not in queue space emq:{{q}}:<type>: {key}"
    ))
}

/// The layout: keys of two queues. `position` counts from 1.
pub fn key_of_another_queue(name: &str, position: usize, key: &[u8]) -> ValkeyError {
    let key = printable(key);
    ValkeyError::String(format!(
        "EMQKEY {name} key {position} is not of the queue of key 1: {key}"
    ))
}

/// The layout of `EMQ.INSTALL`.
pub fn key_not_version(name: &str, key: &[u8]) -> ValkeyError {
    let key = printable(key);
    ValkeyError::String(format!(
        "EMQKEY {name} key 1 must be {{emq}}:version: {key}"
    ))
}

/// An error of the server, passed through in its own words.
pub fn of_server(text: &[u8]) -> ValkeyError {
    ValkeyError::String(String::from_utf8_lossy(text).into_owned())
}
