//! Requests as real clients send them, from `tests/clients/fixtures`.
