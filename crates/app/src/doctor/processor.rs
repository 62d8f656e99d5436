//! The CPU's name and which of the instruction sets we can use it has.
use std::fs;

/// What the CPU is called, if the system says so.
pub(crate) fn name() -> Option<String> {
    let info = fs::read_to_string("/proc/cpuinfo").ok()?;
    let keys = ["model name", "Model", "Hardware", "cpu model"];
    keys.iter().find_map(|key| {
        info.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            (name.trim() == *key).then(|| value.trim().to_owned())
        })
    })
}

/// The features that our kernels look for, those that are here.
#[cfg(target_arch = "x86_64")]
pub(crate) fn features() -> Vec<&'static str> {
    use std::arch::is_x86_feature_detected as has;
    let all = [
        ("avx2", has!("avx2")),
        ("fma", has!("fma")),
        ("f16c", has!("f16c")),
        ("avxvnni", has!("avxvnni")),
        ("avx512f", has!("avx512f")),
        ("avx512bw", has!("avx512bw")),
        ("avx512vl", has!("avx512vl")),
        ("avx512vnni", has!("avx512vnni")),
    ];
    present(&all)
}

/// The features that our kernels look for, those that are here.
#[cfg(target_arch = "aarch64")]
pub(crate) fn features() -> Vec<&'static str> {
    use std::arch::is_aarch64_feature_detected as has;
    let all = [
        ("neon", has!("neon")),
        ("dotprod", has!("dotprod")),
        ("fp16", has!("fp16")),
        ("i8mm", has!("i8mm")),
    ];
    present(&all)
}

/// The features that our kernels look for, those that are here.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) fn features() -> Vec<&'static str> {
    present(&[])
}

fn present(all: &[(&'static str, bool)]) -> Vec<&'static str> {
    all.iter()
        .filter(|(_, here)| *here)
        .map(|(name, _)| *name)
        .collect()
}
