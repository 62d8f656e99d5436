//! Images and sound: the encoders against references, and prompts with soft tokens.
//!
//! `reference` needs `../shared` beside the project and says so where it is not; everything else makes its own files.

mod encoders;
mod hostile;
mod image;
mod mmproj;
mod plain;
mod prompts;
mod reference;
