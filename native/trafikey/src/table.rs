//! The one table: registration and the capability list both come from it.

use crate::shape::Shape;

/// What a command does; it decides flags and ACL categories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A fenced write verb.
    Verb,
    /// Writes the fence key.
    Install,
    /// Describes the module.
    Version,
    /// Reports build facts.
    Capabilities,
}

impl Role {
    /// The flags, in the module API's words.
    pub const fn flags(self) -> &'static str {
        match self {
            Role::Verb => "write deny-oom",
            Role::Install => "write deny-oom admin deny-script",
            // They read no data, so a stale replica does not make them wrong. A loading server says so itself.
            Role::Version | Role::Capabilities => "readonly fast allow-stale",
        }
    }

    /// The ACL categories.
    pub const fn categories(self) -> &'static str {
        match self {
            // The real verbs move many rows, so a rule that grants @fast grants none.
            Role::Verb => "write slow",
            Role::Install => "write admin dangerous slow",
            Role::Version | Role::Capabilities => "read fast",
        }
    }
}

/// A row of the table.
#[derive(Debug)]
pub struct Command {
    /// The name, as documents and errors spell it.
    pub name: &'static str,
    /// The capabilities that it provides while it is registered.
    pub tokens: &'static [&'static str],
    /// The shape of its arguments.
    pub shape: Shape,
    /// What it does.
    pub role: Role,
    /// One line for `COMMAND DOCS`.
    pub doc: &'static str,
}

const fn verb(name: &'static str, tokens: &'static [&'static str], doc: &'static str) -> Command {
    Command {
        name,
        tokens,
        shape: Shape::Keys,
        role: Role::Verb,
        doc,
    }
}

const fn control(name: &'static str, shape: Shape, role: Role, doc: &'static str) -> Command {
    Command {
        name,
        tokens: &[],
        shape,
        role,
        doc,
    }
}

/// Every command: the job core, the bus, the controls.
pub static TABLE: &[Command] = &[
    verb("EMQ.ENQUEUE", &["enqueue"], "Adds a job."),
    verb(
        "EMQ.CLAIM",
        &["claim", "claim.pause"],
        "Claims a job, unless the queue is paused.",
    ),
    verb("EMQ.EXTEND", &["extend"], "Extends the lease of a job."),
    verb(
        "EMQ.EXTENDS",
        &["extends"],
        "Extends the leases of several jobs.",
    ),
    verb("EMQ.COMPLETE", &["complete.flat"], "Completes a job."),
    verb(
        "EMQ.SCHEDULE",
        &["schedule"],
        "Adds a job that is due later.",
    ),
    verb("EMQ.PROMOTE", &["promote"], "Makes due jobs pending."),
    verb(
        "EMQ.RESCHEDULE",
        &["reschedule"],
        "Changes when a job is due.",
    ),
    verb(
        "EMQ.DELAY",
        &["delay"],
        "Puts a claimed job back until later.",
    ),
    verb("EMQ.FAIL", &["fail.flat"], "Fails a job."),
    verb(
        "EMQ.REPROCESS",
        &["reprocess"],
        "Makes a finished job pending.",
    ),
    verb("EMQ.REQUEUE", &["requeue"], "Puts a claimed job back."),
    #[cfg(not(feature = "variant-token-short"))]
    verb(
        "EMQ.STALLED",
        &["stalled.check"],
        "Recovers jobs whose lease ran out.",
    ),
    verb("EMQ.APPEND", &["append"], "Appends an event."),
    verb("EMQ.FAILURES", &["failures.incr"], "Counts a failure."),
    verb("EMQ.PUBLISH", &["publish"], "Publishes an event."),
    control(
        "EMQ.VERSION",
        Shape::Bare,
        Role::Version,
        "Describes the module: wire, version, capabilities.",
    ),
    control(
        "EMQ.INSTALL",
        Shape::OneKey,
        Role::Install,
        "Writes the module's wire to a node that holds none.",
    ),
    control(
        "TRA.CAPABILITIES",
        Shape::Bare,
        Role::Capabilities,
        "Reports the module's build facts.",
    ),
];

/// The tokens of the registered commands, in table order.
pub fn tokens() -> impl Iterator<Item = &'static str> {
    TABLE
        .iter()
        .flat_map(|command| command.tokens.iter().copied())
}

/// The row of a command as a client spells it.
pub fn find(name: &[u8]) -> Option<&'static Command> {
    TABLE
        .iter()
        .find(|command| command.name.as_bytes().eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn tokens_are_those_of_the_vectors() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../vectors/module-version.json"
        );
        let text = std::fs::read_to_string(path).unwrap();
        let rows: serde_json::Value = serde_json::from_str(&text).unwrap();
        let wanted = if cfg!(feature = "variant-token-short") {
            "one token missing"
        } else {
            "as shipped"
        };
        let row = rows
            .as_array()
            .unwrap()
            .iter()
            .find(|row| row["name"] == wanted)
            .unwrap();
        let listed: Vec<&str> = row["reply"]["capabilities"]
            .as_array()
            .unwrap()
            .iter()
            .map(|token| token.as_str().unwrap())
            .collect();
        assert_eq!(tokens().collect::<Vec<_>>(), listed);
    }

    #[test]
    fn names_and_tokens_are_unique() {
        let names: HashSet<_> = TABLE.iter().map(|command| command.name).collect();
        assert_eq!(names.len(), TABLE.len());
        assert_eq!(tokens().collect::<HashSet<_>>().len(), tokens().count());
    }

    #[test]
    fn only_verbs_have_tokens() {
        for command in TABLE {
            let fenced = command.role == Role::Verb;
            assert_eq!(fenced, !command.tokens.is_empty(), "{}", command.name);
            assert_eq!(fenced, command.shape == Shape::Keys, "{}", command.name);
        }
    }

    #[test]
    fn names_are_found_in_any_case() {
        assert_eq!(find(b"emq.Enqueue").unwrap().name, "EMQ.ENQUEUE");
        assert!(find(b"EMQ.ENQUEU").is_none());
    }
}
