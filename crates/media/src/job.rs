//! The child's side: one request in, one reply out. Everything here runs behind the walls, except in tests.
use crate::{
    Content, Family, document, image, sound,
    wire::{Reply, Request, Task},
};
use reckon_walls::Job;

pub(crate) const NAME: &str = "media";

/// What a binary that reads files must be able to do as a child; for `reckon_walls::child`.
pub const JOBS: &[Job] = &[Job::new(NAME, run)];

fn run(input: &[u8]) -> Result<Vec<u8>, String> {
    let request = Request::parse(input).ok_or("a request that is none")?;
    reply(&request).map(|reply| reply.to_bytes())
}

fn reply(request: &Request<'_>) -> Result<Reply, String> {
    let whole = |content| Ok(Reply::Content(content, false));
    match (request.task, request.kind.family()) {
        (Task::Render(page), _) => document::render(request.file, request.password, page),
        (Task::Read(_), Family::Document) => {
            document::read(request.kind, request.file, request.password)
        }
        (Task::Read(_), Family::Image) => {
            whole(Content::Image(image::decode(request.kind, request.file)?))
        }
        (Task::Read(piece), Family::Sound) => {
            let (sound, more) = sound::decode(request.kind, request.file, piece)?;
            Ok(Reply::Content(Content::Sound(sound), more))
        }
    }
}

/// What a child does with a file, in this process: for fuzz targets and tests of mutations, which start no process.
#[doc(hidden)]
pub fn parse_for_tests(kind: crate::Kind, file: &[u8]) -> Result<Content, String> {
    let request = Request {
        kind,
        task: Task::Read(0),
        password: None,
        file,
    };
    match reply(&request)? {
        Reply::Content(content, _) => Ok(content),
        Reply::Password { .. } => Err("encrypted".into()),
    }
}

/// What the parent makes of these bytes if a child says them; for the fuzz target.
#[doc(hidden)]
pub fn replay(bytes: &[u8]) -> bool {
    Reply::parse(bytes).is_some()
}
