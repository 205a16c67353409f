use uuid::Uuid;

/// Bytes from the randomness of the operating system, by way of two ids of 122 random bits each.
pub(crate) fn random_bytes() -> [u8; 32] {
    let [first, second] = [Uuid::new_v4(), Uuid::new_v4()].map(Uuid::into_bytes);
    let mut bytes = [0; 32];
    bytes[..16].copy_from_slice(&first);
    bytes[16..].copy_from_slice(&second);
    bytes
}
