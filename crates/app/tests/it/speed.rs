//! `bench speed` on tiny models: what it prints, what it stores, how it ends.
use crate::{
    fixture::{Tiny, gguf},
    place::{Ended, Place},
};
use reckon::gguf::Format;
use serde_json::Value;
use std::{fs, path::PathBuf};

const MODEL: [&str; 4] = ["bench", "speed", "--model", "m.gguf"];
const QUICK: [&str; 6] = ["-p", "20", "-n", "5", "-r", "2"];

fn place(tiny: &Tiny) -> Place {
    let place = Place::new();
    place.write("m.gguf", &gguf(tiny));
    place
}

fn speed(place: &Place, more: &[&str]) -> Ended {
    place.reckon(&[&MODEL[..], &QUICK, more].concat())
}

#[track_caller]
fn json(ended: &Ended) -> Value {
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{ended:?}");
    serde_json::from_str(&ended.out).unwrap()
}

/// The files that were stored.
fn stored(place: &Place) -> Vec<PathBuf> {
    let Ok(files) = fs::read_dir(place.home().join("bench")) else {
        return Vec::new();
    };
    files.map(|file| file.unwrap().path()).collect()
}

#[track_caller]
fn is_positive(value: &Value) {
    assert!(value.as_f64().unwrap() > 0.0, "{value}");
}

#[test]
fn speed_is_measured_as_often_as_asked() {
    for architecture in ["llama", "gemma4", "qwen3"] {
        let place = place(&Tiny::new(architecture, Format::Q8_0));
        let report = json(&speed(&place, &["-d", "3", "-t", "1", "--json"]));
        let depths = report["depths"].as_array().unwrap();
        assert_eq!(depths.len(), 1);
        assert_eq!(depths[0]["depth"], 3);
        assert_eq!(report["batches"].as_array().unwrap().len(), 0);
        for figures in [
            &depths[0]["prefill_tps"],
            &depths[0]["decode_tps"],
            &report["load_warm_ms"],
            &report["first_token_ms"],
        ] {
            assert_eq!(figures["all"].as_array().unwrap().len(), 2);
            is_positive(&figures["median"]);
        }
        for key in ["depth", "prefill_tps", "decode_tps"] {
            assert_eq!(report[key], depths[0][key], "{key}: said again at the top");
        }
        assert_eq!(report["load_ms"], report["load_warm_ms"]["median"]);
        for (key, value) in [
            ("prompt", 20),
            ("generate", 5),
            ("threads", 1),
            ("parallel", 1),
        ] {
            assert_eq!(report[key], value, "{key}");
        }
        assert_eq!(report["architecture"], architecture);
        let length = fs::metadata(place.root.path().join("m.gguf")).unwrap();
        assert_eq!(report["file_bytes"], length.len());
    }
}

#[test]
fn the_report_says_what_was_measured_on_what() {
    let place = place(&Tiny::new("gemma4", Format::Q8_0));
    let report = json(&speed(&place, &["--json"]));
    assert_eq!(report["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(report["model"], "m");
    assert_eq!(report["sha256"], Value::Null, "a file that nobody checked");
    let commit = report["commit"].as_str().unwrap();
    let hexadecimal = commit.len() >= 12 && commit.chars().all(|c| c.is_ascii_hexdigit());
    assert!(hexadecimal || commit == "unknown", "{commit}");
    let date = report["date"].as_str().unwrap();
    assert!(date.len() == 20 && date.ends_with('Z'), "{date}");
    assert!(!report["cpu"].as_str().unwrap().is_empty());
    is_positive(&report["limit_gb_per_s"]);
    // From the start to the first token there is at least the load.
    let median = |name: &str| report[name]["median"].as_f64().unwrap();
    assert!(median("first_token_ms") > median("load_warm_ms"));
    let depth = &report["depths"][0];
    let rate = depth["decode_tps"]["median"].as_f64().unwrap()
        * depth["bytes_per_token"].as_f64().unwrap()
        / 1e9;
    let close = |value: &Value, want: f64| (value.as_f64().unwrap() / want - 1.0).abs() < 1e-6;
    assert!(close(&depth["decode_gb_per_s"], rate));
    let limit = report["limit_gb_per_s"].as_f64().unwrap();
    assert!(close(&depth["share_of_limit"], rate / limit));
    let sizes: Vec<_> = report["batches"].as_array().unwrap().iter().collect();
    let sizes: Vec<_> = sizes.iter().map(|batch| &batch["sequences"]).collect();
    assert_eq!(sizes, [1, 2, 4, 8, 16]);
    is_positive(&report["batches"][4]["total_tps"]);
    if cfg!(target_os = "linux") {
        is_positive(&report["peak_memory_bytes"]);
        let cold = &report["load_cold_ms"];
        assert!(cold.is_null() || cold.as_f64().unwrap() > 0.0);
    }
}

#[test]
fn deeper_tokens_read_more() {
    let mut tiny = Tiny::new("llama", Format::Q8_0);
    tiny.n_ctx = 4096 + 20;
    let place = place(&tiny);
    let report = json(&speed(&place, &["--json", "--parallel", "3"]));
    let depths = report["depths"].as_array().unwrap();
    let at: Vec<_> = depths.iter().map(|depth| &depth["depth"]).collect();
    assert_eq!(at, [0, 4096], "the context has room for both");
    let bytes = |i: usize| depths[i]["bytes_per_token"].as_u64().unwrap();
    assert!(bytes(1) > bytes(0));
    assert_eq!(report["batches"].as_array().unwrap().len(), 1);
    let batch = &report["batches"][0];
    assert_eq!(batch["sequences"], 3);
    assert_eq!(report["parallel"], 3);
    assert_eq!(report["decode_tps"]["all"], batch["all"], "of all three");
    assert_eq!(report["decode_tps"]["median"], batch["total_tps"]);
    assert_eq!(batch["all"].as_array().unwrap().len(), 2);
    assert_eq!(report["prefill_tps"], depths[0]["prefill_tps"]);
    // One token less and there is no room.
    tiny.n_ctx -= 1;
    place.write("m.gguf", &gguf(&tiny));
    let report = json(&speed(&place, &["--json", "--parallel", "1"]));
    assert_eq!(report["depths"].as_array().unwrap().len(), 1);
}

#[test]
fn what_is_not_asked_for_is_not_measured() {
    let place = place(&Tiny::new("llama", Format::Q8_0));
    let run = |p, n| {
        let arguments = ["-p", p, "-n", n, "-r", "1", "--json"];
        json(&place.reckon(&[&MODEL[..], &arguments].concat()))
    };
    let only_read = run("8", "0");
    assert_eq!(only_read["batches"].as_array().unwrap().len(), 0);
    let all =
        |report: &Value, name: &str| report["depths"][0][name]["all"].as_array().unwrap().len();
    assert_eq!(
        (
            all(&only_read, "prefill_tps"),
            all(&only_read, "decode_tps")
        ),
        (1, 0)
    );
    let only_written = run("0", "8");
    assert_eq!(
        (
            all(&only_written, "prefill_tps"),
            all(&only_written, "decode_tps")
        ),
        (0, 1)
    );
}

#[test]
fn the_table_fits_a_terminal_and_the_report_is_stored() {
    let place = place(&Tiny::new("gemma4", Format::Q4_0));
    let ended = speed(&place, &[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    for word in [
        "prefill 20",
        "decode 5",
        "of limit",
        "warm",
        "GB/s",
        "at once",
    ] {
        assert!(ended.out.contains(word), "{word}: {ended:?}");
    }
    for line in ended.out.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    let files = stored(&place);
    assert_eq!(files.len(), 1);
    assert_eq!(ended.err, format!("stored in {}\n", files[0].display()));
    let report: Value = serde_json::from_str(&fs::read_to_string(&files[0]).unwrap()).unwrap();
    assert_eq!(report["model"], "m");
}

#[test]
fn a_report_goes_where_it_is_told() {
    let place = place(&Tiny::new("llama", Format::Q8_0));
    let printed = json(&speed(&place, &["--json", "--save", "here.json"]));
    let saved = fs::read_to_string(place.root.path().join("here.json")).unwrap();
    let saved: Value = serde_json::from_str(&saved).unwrap();
    assert_eq!(saved, printed);
    assert_eq!(stored(&place), Vec::<PathBuf>::new(), "nowhere else");
}

#[test]
fn places_that_cannot_be_written() {
    let place = place(&Tiny::new("llama", Format::Q8_0));
    let ended = speed(&place, &["--save", "."]);
    assert_eq!(
        ended.code,
        Some(2),
        "before anything is measured: {ended:?}"
    );
    assert!(
        ended.out.is_empty() && ended.err.contains("directory"),
        "{ended:?}"
    );
    let ended = speed(&place, &["--json", "--save", "no/such/place.json"]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.err.contains("no/such/place.json"), "{ended:?}");
    serde_json::from_str::<Value>(&ended.out).expect("what was measured is not lost");
    // Our own directory is a courtesy: the report was printed, so nothing failed.
    fs::create_dir_all(place.home()).unwrap();
    fs::write(place.home().join("bench"), "a file").unwrap();
    let ended = speed(&place, &["--json"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.err.starts_with("not stored"), "{ended:?}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_it_and_stores_nothing() {
    use std::{process::Command, process::Stdio, thread, time::Duration};
    let place = place(&Tiny::new("llama", Format::Q8_0));
    let long = ["-p", "1", "-n", "500", "-r", "1000000"];
    let mut command = place.command(&[&MODEL[..], &long].concat(), &[]);
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // Past the start of the program, where nobody has taken over Ctrl-C yet.
    thread::sleep(Duration::from_millis(700));
    assert!(child.try_wait().unwrap().is_none(), "it is still measuring");
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &id])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(stored(&place), Vec::<PathBuf>::new());
}
