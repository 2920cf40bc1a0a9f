//! One entry of a queue's journal.

/// A verb's call as one self-delimiting element: the RESP array
/// `verb numkeys key … arg …`. Binary-safe, and any RESP reader reads it.
pub fn encode(verb: &str, keys: &[&[u8]], args: &[&[u8]]) -> Vec<u8> {
    let numkeys = keys.len().to_string();
    let head = [verb.as_bytes(), numkeys.as_bytes()];
    let mut out = format!("*{}\r\n", head.len() + keys.len() + args.len()).into_bytes();
    for part in head.iter().chain(keys).chain(args) {
        out.extend_from_slice(format!("${}\r\n", part.len()).as_bytes());
        out.extend_from_slice(part);
        out.extend_from_slice(b"\r\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_the_call() {
        assert_eq!(
            encode("EMQ.X", &[b"emq:{q}:a"], &[b"", b"\r\n\xff"]),
            b"*5\r\n$5\r\nEMQ.X\r\n$1\r\n1\r\n$9\r\nemq:{q}:a\r\n$0\r\n\r\n$3\r\n\r\n\xff\r\n"
        );
    }
}
