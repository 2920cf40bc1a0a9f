//! What a command answers.

use valkey_module::{Context, Status, ValkeyValue, raw};

/// A reply that the crate's value type cannot say: a map in a fixed order.
pub enum Reply {
    /// A number.
    Integer(i64),
    /// Entries in order: a RESP3 map, or a flat RESP2 array.
    Map(Vec<(&'static str, ValkeyValue)>),
}

impl Reply {
    /// Sends the reply.
    pub fn send(self, ctx: &Context) -> Status {
        match self {
            Reply::Integer(number) => ctx.reply(Ok(number.into())),
            Reply::Map(entries) => {
                raw::reply_with_map(ctx.get_raw(), entries.len() as _);
                for (name, value) in entries {
                    ctx.reply(Ok(name.into()));
                    ctx.reply(Ok(value));
                }
                Status::Ok
            }
        }
    }
}
