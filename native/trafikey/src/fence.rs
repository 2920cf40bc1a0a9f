//! The fence's decision, over the one value that was read.

use crate::{errors, keyspace};
use valkey_module::ValkeyError;

/// What a node's fence key says, if it does not refuse.
#[derive(Debug, PartialEq, Eq)]
pub enum Wire {
    /// No wire yet.
    Absent,
    /// The module's own.
    Ours,
}

/// Reads the stored value as a wire; any value but ours is refused.
pub fn judge(stored: Option<&[u8]>) -> Result<Wire, ValkeyError> {
    match stored {
        None => Ok(Wire::Absent),
        Some(value) if value == keyspace::EPOCH => Ok(Wire::Ours),
        Some(value) => Err(errors::wire_found(value)),
    }
}

/// The rule of a write verb: only our wire passes.
pub fn require(wire: Wire) -> Result<(), ValkeyError> {
    match wire {
        Wire::Ours => Ok(()),
        Wire::Absent => Err(ValkeyError::Str(errors::WIRE_ABSENT)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn stored(row: &Value) -> Option<Vec<u8>> {
        match &row["stored"] {
            Value::Null => None,
            Value::String(text) => Some(text.as_bytes().to_vec()),
            other => {
                let hex = other["hex"].as_str().unwrap();
                Some(
                    (0..hex.len())
                        .step_by(2)
                        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
                        .collect(),
                )
            }
        }
    }

    fn agrees(expected: &Value, outcome: Result<(), ValkeyError>) {
        match outcome {
            Ok(()) => assert!(expected.get("error").is_none(), "{expected}"),
            Err(error) => match expected.get("error") {
                Some(text) => assert_eq!(text.as_str().unwrap(), error.to_string()),
                None => {
                    let prefix = expected["errorPrefix"].as_str().unwrap();
                    assert!(error.to_string().starts_with(prefix), "{expected}");
                }
            },
        }
    }

    #[test]
    fn the_vectors_agree() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/fence.json");
        let text = std::fs::read_to_string(path).unwrap();
        let rows: Value = serde_json::from_str(&text).unwrap();
        for row in rows.as_array().unwrap() {
            if row.get("storedType").is_some() {
                continue; // The server's own error; it never comes to a decision.
            }
            let value = stored(row);
            agrees(
                &row["nativeVerb"],
                judge(value.as_deref()).and_then(require),
            );
            agrees(&row["install"], judge(value.as_deref()).map(|_| ()));
        }
    }
}
