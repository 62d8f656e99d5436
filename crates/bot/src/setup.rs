//! What it takes to run the bot as a service.
use std::path::{Path, PathBuf};

/// What a systemd unit is made of.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The user that the bot runs as, whose token file and directory these are.
    pub user: String,
    /// The program, as an absolute path.
    pub program: PathBuf,
    /// Arguments after `bot telegram`.
    pub arguments: Vec<String>,
    /// The file with the token, which is that user's alone.
    pub token_file: PathBuf,
    /// The directory that the bot may write to.
    pub home: PathBuf,
}

/// The text of a systemd unit of the system in which the bot can do little but answer.
pub fn systemd_unit(unit: &Unit) -> String {
    let arguments = unit.arguments.iter();
    let arguments = arguments.map(|argument| format!(" {}", quoted(argument)));
    let arguments = arguments.collect::<String>();
    let (user, program) = (quoted(&unit.user), quoted_path(&unit.program));
    let (token, home) = (quoted_path(&unit.token_file), quoted_path(&unit.home));
    // No SystemCallFilter: the sandbox needs calls of its own to lock its children in, and gives them a narrower one.
    format!(
        "[Unit]
Description=Reckon on Telegram
Wants=network-online.target
After=network-online.target

[Service]
User={user}
ExecStart={program} bot telegram --token-file {token}{arguments}
Environment=RECKON_HOME={home}
Restart=always
RestartSec=5
KillSignal=SIGINT
TimeoutStopSec=20

# It may read the system, write to its own directory and talk to the network.
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=read-only
ReadWritePaths={home}
PrivateTmp=yes
PrivateDevices=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
MemoryDenyWriteExecute=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
CapabilityBoundingSet=
AmbientCapabilities=
SystemCallArchitectures=native
UMask=0077

[Install]
WantedBy=multi-user.target
"
    )
}

fn quoted_path(path: &Path) -> String {
    quoted(&path.to_string_lossy())
}

/// One word for systemd, whatever is in it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-:=@,+".contains(c);
    let word = word.replace('%', "%%").replace('$', "$$");
    if !word.is_empty() && word.replace("%%", "").replace("$$", "").chars().all(plain) {
        return word;
    }
    let escaped = word
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace(['\n', '\r'], " ");
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_has_no_token_and_quotes_what_is_odd() {
        let unit = systemd_unit(&Unit {
            user: "ada".into(),
            program: "/opt/my programs/reckon".into(),
            arguments: vec!["--model".into(), "a%b\"c".into()],
            token_file: "/home/ada/.config/token".into(),
            home: "/home/ada/.local/share/reckon".into(),
        });
        let start = "ExecStart=\"/opt/my programs/reckon\" bot telegram --token-file /home/ada/.config/token \
                     --model \"a%%b\\\"c\"\n";
        assert!(unit.contains(start), "{unit}");
        assert!(unit.contains("\nUser=ada\n"));
        assert!(unit.contains("\nReadWritePaths=/home/ada/.local/share/reckon\n"));
    }
}
