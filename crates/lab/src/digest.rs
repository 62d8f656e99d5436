//! SHA-256 of what must not change unnoticed: turns, plans, answers.

use sha2::{Digest, Sha256};

/// As lowercase hexadecimal.
pub(crate) fn sha256(bytes: impl AsRef<[u8]>) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
