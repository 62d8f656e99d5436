//! Builds again when a Python module of the sandbox changes: the compiler does not see what is frozen in.
fn main() {
    println!("cargo:rerun-if-changed=src/modules");
}
