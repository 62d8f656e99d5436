//! Manners on a machine that others use: background work steps aside, and waits while the battery is in use.
use std::{fs, path::Path};

/// Lets every other program go first, for the whole process and all threads that it starts from here on.
pub(crate) fn step_aside() {
    #[cfg(unix)]
    {
        // Somebody may have lowered it further already; then it stays.
        let _ = rustix::process::nice(19);
    }
}

/// Whether the machine runs on its battery; a system that does not tell has none.
pub(crate) fn on_battery() -> bool {
    on_battery_by(Path::new("/sys/class/power_supply"))
}

fn on_battery_by(supplies: &Path) -> bool {
    let Ok(supplies) = fs::read_dir(supplies) else {
        return false;
    };
    let read = |path: &Path, name: &str| {
        let text = fs::read_to_string(path.join(name)).unwrap_or_default();
        text.trim().to_owned()
    };
    let (mut plugged, mut battery) = (false, false);
    for supply in supplies.flatten() {
        let path = supply.path();
        match read(&path, "type").as_str() {
            // Batteries of mice and keyboards say so by their scope.
            "Battery" if read(&path, "scope") != "Device" => {
                battery |= read(&path, "status") == "Discharging";
            }
            "Mains" | "USB" => plugged |= read(&path, "online") == "1",
            _ => {}
        }
    }
    battery && !plugged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_laptop_that_is_unplugged_is_on_its_battery() {
        let place = tempfile::tempdir().expect("a directory");
        assert!(!on_battery_by(place.path()), "no supply, no battery");
        let write = |name: &str, file: &str, text: &str| {
            let directory = place.path().join(name);
            fs::create_dir_all(&directory).expect("a directory");
            fs::write(directory.join(file), text).expect("a file");
        };
        write("mouse", "type", "Battery\n");
        write("mouse", "scope", "Device\n");
        write("mouse", "status", "Discharging\n");
        assert!(!on_battery_by(place.path()), "a mouse is not the machine");
        write("BAT0", "type", "Battery\n");
        write("BAT0", "status", "Discharging\n");
        assert!(on_battery_by(place.path()));
        write("AC", "type", "Mains\n");
        write("AC", "online", "1\n");
        assert!(!on_battery_by(place.path()));
    }
}
