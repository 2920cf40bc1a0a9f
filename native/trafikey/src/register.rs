//! From the table to the server, and from a call back to its row.

use crate::reply::Reply;
use crate::shape::Shape;
use crate::table::{self, Command, Role, TABLE};
use crate::{capabilities, errors, identity, install, verb, version};
use std::ffi::{CStr, CString, c_int};
use std::mem::size_of;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use valkey_module::commands::{BeginSearch, FindKeys, KeySpec, KeySpecFlags, get_redis_key_spec};
use valkey_module::{Context, Status, ValkeyError, decode_args, raw};

static INFO_VERSION: raw::RedisModuleCommandInfoVersion = raw::RedisModuleCommandInfoVersion {
    version: 1,
    sizeof_historyentry: size_of::<raw::RedisModuleCommandHistoryEntry>(),
    sizeof_keyspec: size_of::<raw::RedisModuleCommandKeySpec>(),
    sizeof_arg: size_of::<raw::RedisModuleCommandArg>(),
};

/// Registers every row; any failure fails the load.
pub fn commands(ctx: &Context) -> Result<(), ValkeyError> {
    TABLE.iter().try_for_each(|command| register(ctx, command))
}

fn register(ctx: &Context, command: &Command) -> Result<(), ValkeyError> {
    // Lower case, as the server's own commands: its errors show names as registered.
    let name = CString::new(command.name.to_ascii_lowercase())?;
    let flags = CString::new(command.role.flags())?;
    let categories = CString::new(command.role.categories())?;
    let summary = CString::new(summary(command))?;
    let since = CString::new(identity::VERSION)?;
    let complexity = CString::new(complexity(command.shape))?;
    let mut key_specs = get_redis_key_spec(key_specs(command.shape));
    let info = raw::RedisModuleCommandInfo {
        version: &INFO_VERSION,
        summary: summary.as_ptr(),
        complexity: complexity.as_ptr(),
        since: since.as_ptr(),
        history: ptr::null_mut(),
        tips: ptr::null(),
        arity: command.shape.arity(),
        key_specs: key_specs.as_mut_ptr(),
        args: ptr::null_mut(),
    };
    // SAFETY: the API is loaded before this runs, and the server copies what
    // the pointers lead to.
    let registered = unsafe { create(ctx, &name, &flags, &info) };
    if registered.is_some()
        && ctx.set_acl_category(name.as_ptr(), categories.as_ptr()) == Status::Ok
    {
        Ok(())
    } else {
        let name = command.name;
        Err(ValkeyError::String(format!("cannot register {name}")))
    }
}

/// `None` is a refusal of the server.
///
/// # Safety
/// The pointers of `info` must be valid.
unsafe fn create(
    ctx: &Context,
    name: &CStr,
    flags: &CStr,
    info: &raw::RedisModuleCommandInfo,
) -> Option<()> {
    let (name, flags) = (name.as_ptr(), flags.as_ptr());
    unsafe {
        let create = raw::RedisModule_CreateCommand?;
        let status = create(ctx.get_raw(), name, Some(dispatch), flags, 0, 0, 0);
        (status == Status::Ok as c_int).then_some(())?;
        let command = raw::RedisModule_GetCommand?(ctx.get_raw(), name);
        let status = raw::RedisModule_SetCommandInfo?(command, info);
        (status == Status::Ok as c_int).then_some(())
    }
}

/// A verb's line says what the contract means by it, and what this module does.
fn summary(command: &Command) -> String {
    let doc = command.doc;
    match command.role {
        Role::Verb => format!("{doc} (Reference module: journals the call.)"),
        _ => doc.to_owned(),
    }
}

const fn complexity(shape: Shape) -> &'static str {
    match shape {
        Shape::Keys => "O(N) where N is the size of the call",
        Shape::Bare | Shape::OneKey => "O(1)",
    }
}

/// Where the keys are, for ACL key rules and `COMMAND GETKEYS`.
fn key_specs(shape: Shape) -> Vec<KeySpec> {
    let (access, first, find) = match shape {
        Shape::Bare => return Vec::new(),
        Shape::Keys => (KeySpecFlags::UPDATE, 1, FindKeys::new_keys_num(0, 1, 1)),
        Shape::OneKey => (KeySpecFlags::INSERT, 2, FindKeys::new_range(0, 1, 0)),
    };
    let flags = KeySpecFlags::READ_WRITE | KeySpecFlags::ACCESS | access;
    vec![KeySpec::new(
        None,
        flags,
        BeginSearch::new_index(first),
        find,
    )]
}

/// The callback of every command.
extern "C" fn dispatch(
    ctx: *mut raw::RedisModuleCtx,
    argv: *mut *mut raw::RedisModuleString,
    argc: c_int,
) -> c_int {
    let context = Context::new(ctx);
    let strings = decode_args(ctx, argv, argc);
    let call: Vec<&[u8]> = strings.iter().map(|string| string.as_slice()).collect();
    // A panic must not cross into the server.
    let outcome = catch_unwind(AssertUnwindSafe(|| run(&context, &call)))
        .unwrap_or(Err(ValkeyError::Str(errors::DEFECT)));
    let status = match outcome {
        Ok(reply) => reply.send(&context),
        Err(error) => context.reply(Err(error)),
    };
    status as c_int
}

fn run(ctx: &Context, call: &[&[u8]]) -> Result<Reply, ValkeyError> {
    let (command, rest) = call
        .split_first()
        .and_then(|(name, rest)| table::find(name).zip(Some(rest)))
        .ok_or(ValkeyError::Str(errors::DEFECT))?;
    match command.role {
        Role::Verb => verb::run(ctx, command.name, rest),
        Role::Install => install::run(ctx, command.name, rest),
        Role::Version => version::run(rest),
        Role::Capabilities => capabilities::run(rest),
    }
}
