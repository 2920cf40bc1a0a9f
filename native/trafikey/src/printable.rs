//! The printable form of untrusted bytes.

const LIMIT: usize = 64;

/// The first 64 bytes of `bytes` in printable ASCII, with `...` after them if
/// there are more. The limit counts bytes of the input, before escaping.
pub fn printable(bytes: &[u8]) -> String {
    let mut text = String::new();
    for &byte in bytes.iter().take(LIMIT) {
        match byte {
            b'\\' => text.push_str("\\\\"),
            b'\n' => text.push_str("\\n"),
            b'\r' => text.push_str("\\r"),
            b'\t' => text.push_str("\\t"),
            0x20..=0x7e => text.push(char::from(byte)),
            _ => text.push_str(&format!("\\x{byte:02x}")),
        }
    }
    if bytes.len() > LIMIT {
        text.push_str("...");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_ascii_is_itself() {
        let all: Vec<u8> = (0x20..=0x7e).filter(|byte| *byte != b'\\').collect();
        for chunk in all.chunks(LIMIT) {
            assert_eq!(printable(chunk).as_bytes(), chunk);
        }
        assert_eq!(printable(b""), "");
    }

    #[test]
    fn everything_else_is_escaped() {
        assert_eq!(printable(b"a\\n\n\r\t"), "a\\\\n\\n\\r\\t");
        assert_eq!(
            printable(b"\0\x1f\x7f\x80\xff"),
            "\\x00\\x1f\\x7f\\x80\\xff"
        );
    }

    #[test]
    fn the_cut_counts_input_bytes() {
        assert_eq!(printable(&[b'a'; 64]), "a".repeat(64));
        assert_eq!(printable(&[b'a'; 65]), "a".repeat(64) + "...");
        assert_eq!(printable(&[0xff; 1000]), "\\xff".repeat(64) + "...");
    }
}
