//! The memory probe reads what it says, with every ISA and any number of threads.

use reckon_kernels::{Cpu, Isa, Pool, Probe};

#[test]
fn a_range_is_read_in_whole_regions() {
    const REGION: usize = 32 << 10;
    for threads in [1, 3] {
        let pool = Pool::new(&vec![0; threads]);
        let probe = Probe::new(&pool, 10 * REGION);
        assert_eq!(probe.len(), 10 * REGION);
        for isa in Isa::available() {
            let cpu = Cpu::new(isa, &vec![0; threads]);
            let all = probe.read(&cpu, 0..probe.len());
            assert_eq!(all, 10 / threads * threads * REGION, "{isa}");
            assert_eq!(probe.read(&cpu, 0..REGION / 2), 0);
        }
    }
    // Never nothing, however little is asked for.
    let pool = Pool::new(&[0, 0]);
    assert_eq!(Probe::new(&pool, 0).len(), 2 * REGION);
}
