//! The subset of protobuf's wire format used by ONNX files.

/// A message with fields in insertion order.
#[derive(Clone, Debug, Default)]
pub(super) struct Message {
    bytes: Vec<u8>,
}

impl Message {
    const VARINT: u32 = 0;
    const LENGTH_DELIMITED: u32 = 2;

    /// Adds an integer of type `int32`, `int64` or an enumeration.
    pub(super) fn int(mut self, field: u32, value: i64) -> Self {
        self.varint(u64::from(field << 3 | Self::VARINT));
        self.varint(value.cast_unsigned());
        self
    }

    /// Adds bytes.
    pub(super) fn data(mut self, field: u32, bytes: &[u8]) -> Self {
        self.varint(u64::from(field << 3 | Self::LENGTH_DELIMITED));
        self.varint(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
        self
    }

    /// Adds a string.
    pub(super) fn text(self, field: u32, text: &str) -> Self {
        self.data(field, text.as_bytes())
    }

    /// Adds a message inside this one.
    pub(super) fn message(self, field: u32, message: &Self) -> Self {
        self.data(field, &message.bytes)
    }

    /// Adds every message of a repeated field.
    pub(super) fn messages(self, field: u32, messages: &[Self]) -> Self {
        messages
            .iter()
            .fold(self, |whole, message| whole.message(field, message))
    }

    /// The serialized message.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Writes seven bits per byte, the lowest first; the top bit is set if more follow.
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_those_of_the_format() {
        // The examples of protobuf's encoding documentation.
        assert_eq!(Message::default().int(1, 150).bytes, [0x08, 0x96, 0x01]);
        let text = Message::default().text(2, "testing");
        assert_eq!(text.bytes, b"\x12\x07testing");
        let inner = Message::default().int(1, 150);
        let outer = Message::default().messages(3, &[inner]);
        assert_eq!(outer.bytes, [0x1a, 0x03, 0x08, 0x96, 0x01]);
        let negative = Message::default().int(1, -1).into_bytes();
        assert_eq!((negative.len(), negative[10]), (11, 0x01));
    }
}
