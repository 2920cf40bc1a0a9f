//! `EMQ.INSTALL`: the one command that writes the fence key.

use crate::fence::Wire;
use crate::reply::Reply;
use crate::{host, keyspace, layout, shape};
use valkey_module::{Context, ValkeyError};

/// Writes the module's constant to a node that holds no wire, and answers 1;
/// answers 0 where it stands already. The caller cannot name a value.
///
/// A cluster-enabled server is refused: no verb would ever run on it.
pub fn run(ctx: &Context, name: &'static str, rest: &[&[u8]]) -> Result<Reply, ValkeyError> {
    let key = shape::one_key(name, rest)?;
    layout::version_key(name, key)?;
    host::standalone(ctx)?;
    match host::wire(ctx)? {
        Wire::Ours => Ok(Reply::Integer(0)),
        Wire::Absent => host::write(ctx, "SET", &[keyspace::VERSION_KEY, keyspace::EPOCH])
            .map(|_| Reply::Integer(1)),
    }
}
