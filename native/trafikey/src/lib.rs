//! trafikey: the reference Valkey module for the EchoMQ version fence.
//!
//! Every `EMQ.*` write verb checks the node's wire before it writes. The write
//! itself is a journal, not a queue: job rows are the real module's business.

mod capabilities;
mod entry;
mod errors;
mod fence;
mod host;
mod identity;
mod install;
mod keyspace;
mod layout;
mod printable;
mod register;
mod reply;
mod shape;
mod table;
mod verb;
mod version;

use valkey_module::alloc::ValkeyAlloc;

// The macro's own command list stays empty: commands come from `table::TABLE`.
valkey_module::valkey_module! {
    name: identity::MODULE,
    version: identity::LOAD_VERSION,
    allocator: (ValkeyAlloc, ValkeyAlloc),
    data_types: [],
    init: on_load,
    commands: [],
}

fn on_load(
    ctx: &valkey_module::Context,
    _args: &[valkey_module::ValkeyString],
) -> valkey_module::Status {
    match register::commands(ctx) {
        Ok(()) => valkey_module::Status::Ok,
        Err(error) => {
            ctx.log_warning(&error.to_string());
            valkey_module::Status::Err
        }
    }
}
