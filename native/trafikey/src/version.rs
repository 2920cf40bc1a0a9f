//! `EMQ.VERSION`: what a client checks before it reads the fence key.

use crate::reply::Reply;
use crate::{identity, shape, table};
use valkey_module::{ValkeyError, ValkeyValue};

/// The six entries. Reads no key and runs no fence.
pub fn run(rest: &[&[u8]]) -> Result<Reply, ValkeyError> {
    shape::bare(rest)?;
    let capabilities = table::tokens().map(ValkeyValue::from).collect();
    Ok(Reply::Map(vec![
        ("wire", identity::WIRE.into()),
        ("module", identity::MODULE.into()),
        ("module_version", identity::VERSION.into()),
        ("module_major", identity::MAJOR.into()),
        ("build", identity::build().into()),
        ("capabilities", ValkeyValue::Array(capabilities)),
    ]))
}
