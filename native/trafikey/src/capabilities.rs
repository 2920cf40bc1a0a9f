//! `TRA.CAPABILITIES`: the module's build facts.

use crate::reply::Reply;
use crate::{identity, shape};
use valkey_module::{ValkeyError, raw};

/// The eight pairs. This module has no bitmap commands, exports no API to
/// other modules, and brings no Lua and no scripts: those four are 0.
pub fn run(rest: &[&[u8]]) -> Result<Reply, ValkeyError> {
    shape::bare(rest)?;
    Ok(Reply::Map(vec![
        ("module", identity::MODULE.into()),
        ("version", identity::VERSION.into()),
        ("stage", "reference".into()),
        ("api_version", i64::from(raw::VALKEYMODULE_APIVER_1).into()),
        ("bitmap_commands", 0_i64.into()),
        ("shared_api", 0_i64.into()),
        ("bundled_lua", 0_i64.into()),
        ("lua_scripts", 0_i64.into()),
    ]))
}
