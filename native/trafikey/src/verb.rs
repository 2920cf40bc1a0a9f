//! A fenced write verb.

use crate::reply::Reply;
use crate::{entry, errors, fence, host, keyspace, layout, shape};
use valkey_module::{AclPermissions, CallReply, Context, ValkeyError};

/// Shape, layout, fence, and then the write: the call goes to the journal of
/// its queue, and its new length is the answer.
pub fn run(ctx: &Context, name: &'static str, rest: &[&[u8]]) -> Result<Reply, ValkeyError> {
    let call = shape::keys(name, rest)?;
    let queue = layout::one_queue(name, call.keys)?;
    let caller = pass(ctx)?;

    let journal = keyspace::journal_key(queue);
    caller.open(ctx, &journal, AclPermissions::INSERT)?;
    let element = entry::encode(name, call.keys, call.args);
    match host::write(ctx, "RPUSH", &[&journal, &element])? {
        CallReply::I64(length) => Ok(Reply::Integer(length.to_i64())),
        _ => Err(ValkeyError::Str(errors::HOST_REPLY)),
    }
}

/// The fence. The key is not among the call's own, so no rule of the server
/// has covered it yet: it is opened as the caller. Nothing here writes.
fn pass(ctx: &Context) -> Result<host::Caller, ValkeyError> {
    host::standalone(ctx)?;
    let caller = host::Caller::of(ctx);
    caller.open(ctx, keyspace::VERSION_KEY, AclPermissions::ACCESS)?;
    host::wire(ctx).and_then(fence::require)?;
    Ok(caller)
}
