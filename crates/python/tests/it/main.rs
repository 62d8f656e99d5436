//! The interpreter as a program sees it.
