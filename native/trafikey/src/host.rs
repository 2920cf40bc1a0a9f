//! The server behind a call: who calls, what it holds, how to write to it.

use crate::fence::{self, Wire};
use crate::{errors, keyspace};
use std::io;
use std::ptr;
use valkey_module::{
    AclPermissions, CallOptionsBuilder, CallReply, CallResult, Context, ContextFlags, ValkeyError,
    ValkeyString, raw,
};

/// The user behind a call.
pub struct Caller {
    /// `None` is the server itself: another module, its append-only file or
    /// its primary. No ACL rule applies to those.
    user: Option<ValkeyString>,
}

impl Caller {
    /// Finds the user behind `ctx`.
    pub fn of(ctx: &Context) -> Self {
        let user = has_user(ctx).then(|| ctx.get_current_user());
        Caller { user }
    }

    /// Requires that the key rules of the user give `access` to `key`.
    pub fn open(
        &self,
        ctx: &Context,
        key: &[u8],
        access: AclPermissions,
    ) -> Result<(), ValkeyError> {
        let Some(user) = &self.user else {
            return Ok(());
        };
        let key = ValkeyString::create_from_slice(ptr::null_mut(), key);
        if ctx.acl_check_key_permission(user, &key, &access).is_ok() {
            return Ok(());
        }
        log_denial(ctx, user, &key);
        Err(ValkeyError::Str(errors::NO_PERMISSION))
    }
}

/// Whether a user stands behind `ctx`. Asking for the name of a user that is
/// not there crashes the server, so this asks first, with a call "as the user"
/// of a command that no one can register: the server says ENOTSUP for "no user"
/// before it looks the command up.
fn has_user(ctx: &Context) -> bool {
    // SAFETY: the API is loaded before any command runs; "C" takes no arguments.
    unsafe {
        let Some(call) = raw::RedisModule_Call else {
            return true;
        };
        let reply = call(ctx.get_raw(), c"no such command".as_ptr(), c"C".as_ptr());
        let error = io::Error::last_os_error();
        if !reply.is_null() {
            raw::free_call_reply(reply);
        }
        error.kind() != io::ErrorKind::Unsupported
    }
}

/// Shows the denial in `ACL LOG`, as the server does with its own.
fn log_denial(ctx: &Context, user: &ValkeyString, key: &ValkeyString) {
    // SAFETY: both strings outlive the call, which copies them.
    unsafe {
        if let Some(log) = raw::RedisModule_ACLAddLogEntryByUserName {
            log(
                ctx.get_raw(),
                user.inner,
                key.inner,
                raw::RedisModuleACLLogEntryReason_REDISMODULE_ACL_LOG_KEY,
            );
        }
    }
}

/// Refuses a cluster-enabled server.
pub fn standalone(ctx: &Context) -> Result<(), ValkeyError> {
    if ctx.get_flags().contains(ContextFlags::CLUSTER) {
        Err(ValkeyError::Str(errors::WIRE_CLUSTER))
    } else {
        Ok(())
    }
}

/// The node's wire, by one `GET`.
pub fn wire(ctx: &Context) -> Result<Wire, ValkeyError> {
    let options = CallOptionsBuilder::new().errors_as_replies().build();
    match ctx.call_ext::<_, CallResult>("GET", &options, &[keyspace::VERSION_KEY]) {
        Ok(CallReply::String(value)) => fence::judge(Some(value.as_bytes())),
        Ok(CallReply::Null(_)) => fence::judge(None),
        Ok(_) => Err(ValkeyError::Str(errors::HOST_REPLY)),
        Err(error) => Err(errors::of_server(error.as_bytes())),
    }
}

/// Runs one write of the server's own. It is what replicas and the append-only
/// file get, so that neither needs this module, nor a second fence.
pub fn write(
    ctx: &Context,
    command: &str,
    args: &[&[u8]],
) -> Result<CallReply<'static>, ValkeyError> {
    let options = CallOptionsBuilder::new()
        .errors_as_replies()
        .replicate()
        .build();
    ctx.call_ext::<_, CallResult>(command, &options, args)
        .map_err(|error| errors::of_server(error.as_bytes()))
}
