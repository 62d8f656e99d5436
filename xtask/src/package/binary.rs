//! What a Linux binary needs of the machine that it runs on, read from the file itself: processor, loader, version of glibc.
use anyhow::{Context, Result, bail, ensure};
use std::{fs, path::Path};

/// A release binary.
#[derive(Clone, Debug)]
pub(super) struct Binary {
    pub(super) bytes: Vec<u8>,
    machine: Machine,
    /// Minor version of the glibc 2 that it needs; nothing if it is static.
    pub(super) glibc: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Machine {
    X86,
    Arm,
}

impl Binary {
    pub(super) fn read(path: &Path) -> Result<Self> {
        let bytes = fs::read(path)?;
        Self::parse(bytes).with_context(|| path.display().to_string())
    }

    fn parse(bytes: Vec<u8>) -> Result<Self> {
        // Only what this project builds for Linux: 64 bits, little endian.
        let is_elf = bytes.starts_with(b"\x7fELF\x02\x01");
        ensure!(is_elf, "no program for 64-bit Linux");
        let machine = match number(&bytes, 18, 2)? {
            62 => Machine::X86,
            183 => Machine::Arm,
            other => bail!("a processor that is not packaged (machine {other})"),
        };
        let glibc = match loader(&bytes)? {
            Some(name) => {
                // It would run on machines with musl's loader only, under a name that says that it runs on all.
                let is_musl = name.windows(7).any(|window| window == b"ld-musl");
                ensure!(
                    !is_musl,
                    "linked against musl's loader, not static (see hosting/static.sh)"
                );
                Some(glibc(&bytes))
            }
            None => None,
        };
        Ok(Self {
            bytes,
            machine,
            glibc,
        })
    }

    /// As Rust calls the platform.
    pub(super) fn target(&self) -> String {
        let libc = if self.glibc.is_some() { "gnu" } else { "musl" };
        format!("{}-unknown-linux-{libc}", self.processor())
    }

    /// As Linux calls the processor.
    pub(super) fn processor(&self) -> &'static str {
        match self.machine {
            Machine::X86 => "x86_64",
            Machine::Arm => "aarch64",
        }
    }

    /// As Debian calls it.
    pub(super) fn debian(&self) -> &'static str {
        match self.machine {
            Machine::X86 => "amd64",
            Machine::Arm => "arm64",
        }
    }

    /// As Node calls it.
    pub(super) fn node(&self) -> &'static str {
        match self.machine {
            Machine::X86 => "x64",
            Machine::Arm => "arm64",
        }
    }
}

/// The path of the loader, if a program header names one (`PT_INTERP`).
fn loader(bytes: &[u8]) -> Result<Option<&[u8]>> {
    let offset = number(bytes, 32, 8)?;
    let (size, count) = (number(bytes, 54, 2)?, number(bytes, 56, 2)?);
    for at in 0..count {
        let header = offset.saturating_add(at * size);
        if number(bytes, header, 4)? == 3 {
            let from = usize::try_from(number(bytes, header.saturating_add(8), 8)?)?;
            let length = usize::try_from(number(bytes, header.saturating_add(32), 8)?)?;
            let name = bytes.get(from..from.saturating_add(length));
            return Ok(Some(name.context("a header that is cut")?));
        }
    }
    Ok(None)
}

/// The newest symbol version `GLIBC_2.N` that stands in the file: no older glibc will do.
fn glibc(bytes: &[u8]) -> u32 {
    const NAME: &[u8] = b"GLIBC_2.";
    let places = bytes.windows(NAME.len()).enumerate();
    let found = places.filter(|(_, window)| *window == NAME);
    let minors = found.filter_map(|(at, _)| {
        let rest = bytes.get(at + NAME.len()..)?;
        let end = rest.iter().position(|byte| !byte.is_ascii_digit())?;
        std::str::from_utf8(&rest[..end]).ok()?.parse().ok()
    });
    minors.max().unwrap_or(17)
}

fn number(bytes: &[u8], at: u64, length: usize) -> Result<u64> {
    let at = usize::try_from(at)?;
    let field = bytes.get(at..at.saturating_add(length));
    let field = field.context("a header that is cut")?;
    Ok(field
        .iter()
        .rev()
        .fold(0, |sum, &byte| (sum << 8) | u64::from(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header, one program header of this type that stands for the text, and the text.
    fn elf(machine: u8, kind: u8, text: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0; 64];
        bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
        bytes[18] = machine;
        (bytes[32], bytes[54], bytes[56]) = (64, 56, 1);
        bytes.push(kind);
        bytes.extend([0; 55]);
        (bytes[64 + 8], bytes[64 + 32]) = (120, u8::try_from(text.len()).unwrap());
        bytes.extend(text);
        bytes
    }

    #[test]
    fn platforms_are_read_from_the_file() {
        let dynamic = Binary::parse(elf(62, 3, b"GLIBC_2.9\0GLIBC_2.34\0GLIBC_2.2.5\0")).unwrap();
        assert_eq!(dynamic.target(), "x86_64-unknown-linux-gnu");
        assert_eq!(dynamic.glibc, Some(34));
        let fixed = Binary::parse(elf(183, 1, b"")).unwrap();
        assert_eq!(fixed.target(), "aarch64-unknown-linux-musl");
        assert_eq!((fixed.debian(), fixed.node()), ("arm64", "arm64"));
        let cut = elf(62, 1, b"")[..60].to_vec();
        for bad in [b"#!/bin/sh".to_vec(), elf(8, 1, b""), cut] {
            assert!(Binary::parse(bad).is_err());
        }
    }

    #[test]
    fn a_program_that_wants_the_loader_of_musl_is_not_static() {
        let wrong = Binary::parse(elf(62, 3, b"/lib/ld-musl-x86_64.so.1\0"));
        assert!(wrong.unwrap_err().to_string().contains("not static"));
    }
}
