//! The key grammar: the reserve and queue space.

/// The fence key.
pub const VERSION_KEY: &[u8] = b"{emq}:version";

/// The only value that the fence accepts.
pub const EPOCH: &[u8] = b"echomq:6.0.0";

const QUEUE_PREFIX: &[u8] = b"emq:{";
const JOURNAL_SUFFIX: &[u8] = b"}:journal";

/// The queue of a key in queue space, `emq:{q}:<type>`; `None` for any other key.
///
/// `q` and `<type>` are not empty, and `q` holds no brace, so that the server's
/// hash tag and this queue are the same bytes.
pub fn queue_of(key: &[u8]) -> Option<&[u8]> {
    let rest = key.strip_prefix(QUEUE_PREFIX)?;
    let end = rest.iter().position(|byte| matches!(byte, b'{' | b'}'))?;
    let (queue, tail) = rest.split_at(end);
    let suffix = tail.strip_prefix(b"}:")?;
    (!queue.is_empty() && !suffix.is_empty()).then_some(queue)
}

/// The journal of a queue.
pub fn journal_key(queue: &[u8]) -> Vec<u8> {
    [QUEUE_PREFIX, queue, JOURNAL_SUFFIX].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vectors_agree() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/keys.json");
        let text = std::fs::read_to_string(path).unwrap();
        let rows: serde_json::Value = serde_json::from_str(&text).unwrap();
        for row in rows.as_array().unwrap() {
            let key = row["key"].as_str().unwrap();
            let queue = row["queue"].as_str().map(str::as_bytes);
            assert_eq!(queue_of(key.as_bytes()), queue, "{key}");
        }
    }

    #[test]
    fn braces_never_belong_to_a_queue() {
        for key in [
            "emq:{a{b}:x",
            "emq:{a}}:x",
            "emq:{a}b}:x",
            "emq:{{a}:x",
            "emq:{a",
            "emq:{",
        ] {
            assert_eq!(queue_of(key.as_bytes()), None, "{key}");
        }
    }

    #[test]
    fn keys_are_bytes() {
        assert_eq!(queue_of(b"emq:{\xff\0\r\n}:\0"), Some(&b"\xff\0\r\n"[..]));
        assert_eq!(queue_of(b"emq:{q}:{x}"), Some(&b"q"[..]));
    }

    #[test]
    fn a_journal_is_in_its_queue() {
        assert_eq!(journal_key(b"orders"), b"emq:{orders}:journal");
        assert_eq!(queue_of(&journal_key(b"\xff")), Some(&b"\xff"[..]));
    }
}
