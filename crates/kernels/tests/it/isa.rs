//! Which instruction sets there are: what the other tests mean by "every ISA".

use reckon_kernels::Isa;

#[test]
fn every_isa_answers_to_its_name() {
    let all = Isa::available();
    for isa in &all {
        assert_eq!(Isa::named(isa.name()), Some(*isa));
    }
    assert_eq!(all.first(), Some(&Isa::SCALAR));
    assert_eq!(all.last(), Some(&Isa::detect()));
    assert_eq!(Isa::named("nonsense"), None);
}

/// The emulator of the ARM checks has all of them, so that all are tested there.
#[cfg(target_arch = "aarch64")]
#[test]
#[expect(clippy::print_stderr, reason = "says what it cannot test")]
fn every_neon_variant_that_the_cpu_has_is_available() {
    use std::arch::is_aarch64_feature_detected as has;
    for (name, is_here) in [
        ("neon", has!("neon")),
        ("neondot", has!("dotprod")),
        ("neoni8mm", has!("i8mm")),
    ] {
        assert_eq!(Isa::named(name).is_some(), is_here, "{name}");
        if !is_here {
            eprintln!("SKIPPED: this CPU cannot test {name}");
        }
    }
}
