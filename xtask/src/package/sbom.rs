//! The bill of materials: every package that goes into the binary, as CycloneDX 1.6, from `cargo metadata`.
//!
//! Only what the binary is made of: packages that tests alone need are left out, those that a build runs are in it. Digests are
//! those of `Cargo.lock`. No clock and no random numbers: the same lock gives the same text.
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::Command,
};

/// The package that has the binary.
const PROGRAM: &str = "reckon-app";

pub(super) fn make(root: &Path, target: &str) -> Result<Vec<u8>> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--locked", "--format-version", "1"])
        .args(["--filter-platform", target])
        .current_dir(root)
        .output()
        .context("cargo metadata")?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "cargo metadata: {errors}");
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let lock = fs::read_to_string(root.join("Cargo.lock"))?;
    let bill = bill(&metadata, &digests(&lock))?;
    Ok(format!("{bill:#}\n").into_bytes())
}

fn bill(metadata: &Value, digests: &BTreeMap<(String, String), String>) -> Result<Value> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let packages = list(&metadata["packages"]);
    let packages: BTreeMap<String, Value> = packages
        .into_iter()
        .map(|one| (text(&one["id"]), one))
        .collect();
    let nodes = list(&metadata["resolve"]["nodes"]);
    let nodes: BTreeMap<String, Vec<String>> = nodes
        .iter()
        .map(|node| (text(&node["id"]), needed(node)))
        .collect();
    let is_program = |(_, one): &(&String, &Value)| one["name"] == PROGRAM;
    let (program, _) = packages.iter().find(is_program).context("no program")?;
    let mut reached = BTreeSet::from([program.clone()]);
    let mut left = vec![program.clone()];
    while let Some(id) = left.pop() {
        let below = nodes.get(&id).into_iter().flatten();
        left.extend(below.filter(|one| reached.insert((*one).clone())).cloned());
    }
    let reference = |id: &String| {
        let one = &packages[id];
        format!("{}@{}", text(&one["name"]), text(&one["version"]))
    };
    let component = |id: &String| {
        let one = &packages[id];
        let (name, version) = (text(&one["name"]), text(&one["version"]));
        let mut component = json!({
            "type": if id == program { "application" } else { "library" },
            "bom-ref": reference(id),
            "name": name,
            "version": version,
        });
        if let Some(licence) = one["license"].as_str() {
            // Cargo once allowed a slash for "or".
            let expression = licence.replace('/', " OR ");
            component["licenses"] = json!([{ "expression": expression }]);
        }
        if one["source"].as_str().is_some() {
            component["purl"] = json!(format!("pkg:cargo/{name}@{version}"));
        }
        if let Some(digest) = digests.get(&(name, version)) {
            component["hashes"] = json!([{ "alg": "SHA-256", "content": digest }]);
        }
        component
    };
    let components: Vec<Value> = reached
        .iter()
        .filter(|id| *id != program)
        .map(component)
        .collect();
    let dependencies: Vec<Value> = reached
        .iter()
        .map(|id| {
            let below: BTreeSet<String> = nodes[id].iter().map(reference).collect();
            json!({ "ref": reference(id), "dependsOn": below })
        })
        .collect();
    let mut bill = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": { "component": component(program) },
        "components": components,
        "dependencies": dependencies,
    });
    let digest = super::hex(&Sha256::digest(bill.to_string()));
    // A number of form 8: made by us, of the content.
    bill["serialNumber"] = json!(format!(
        "urn:uuid:{}-{}-8{}-8{}-{}",
        &digest[..8],
        &digest[8..12],
        &digest[12..15],
        &digest[15..18],
        &digest[18..30]
    ));
    Ok(bill)
}

/// The packages that one needs to be built or to run.
fn needed(node: &Value) -> Vec<String> {
    let deps = node["deps"].as_array().into_iter().flatten();
    let is_shipped = |dep: &&Value| {
        let kinds = dep["dep_kinds"].as_array();
        let mut kinds = kinds.into_iter().flatten();
        kinds.any(|kind| kind["kind"] != "dev")
    };
    let ids = deps
        .filter(is_shipped)
        .filter_map(|dep| dep["pkg"].as_str());
    ids.map(str::to_owned).collect()
}

/// Names and versions with their checksums, read from the lock file's own regular lines.
fn digests(lock: &str) -> BTreeMap<(String, String), String> {
    let field = |block: &str, name: &str| {
        let start = format!("{name} = \"");
        let line = block.lines().find_map(|line| line.strip_prefix(&start))?;
        Some(line.trim_end_matches('"').to_owned())
    };
    let blocks = lock.split("[[package]]");
    let known = blocks.filter_map(|block| {
        let key = (field(block, "name")?, field(block, "version")?);
        Some((key, field(block, "checksum")?))
    });
    known.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_tests_need_is_not_in_the_bill() {
        let dep = |id: &str, kind: Value| json!({ "pkg": id, "dep_kinds": [{ "kind": kind }] });
        let package = |id: &str, name: &str| json!({ "id": id, "name": name, "version": "1.0.0", "license": "MIT/Apache-2.0", "source": "x" });
        let metadata = json!({
            "packages": [package("a", PROGRAM), package("b", "used"), package("c", "tested")],
            "resolve": { "nodes": [
                { "id": "a", "deps": [dep("b", Value::Null), dep("c", "dev".into())] },
                { "id": "b", "deps": [] },
                { "id": "c", "deps": [] },
            ] },
        });
        let lock = "[[package]]\nname = \"used\"\nversion = \"1.0.0\"\nchecksum = \"ab\"\n";
        let bill = bill(&metadata, &digests(lock)).unwrap();
        let components = bill["components"].as_array().unwrap();
        assert_eq!(components.len(), 1, "{bill}");
        assert_eq!(components[0]["purl"], "pkg:cargo/used@1.0.0");
        assert_eq!(components[0]["hashes"][0]["content"], "ab");
        assert_eq!(
            components[0]["licenses"][0]["expression"],
            "MIT OR Apache-2.0"
        );
        assert_eq!(bill["metadata"]["component"]["name"], PROGRAM);
    }
}
