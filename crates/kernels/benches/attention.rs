//! Attention of Gemma 4 E2B's shapes per precision, ISA and thread count: GMAC/s of a prompt, µs and GB/s of single
//! tokens.
//!
//! `cargo bench -p reckon-kernels --bench attention [precision [isa [threads]]]`. The best of several rounds is shown:
//! on a shared machine the noise only ever slows things down.
#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]

use reckon_kernels::{Cpu, Isa, KvCache, Precision, Queries, attend};
use std::time::Instant;

const HEADS: usize = 8;
const ROUNDS: usize = 7;
/// Bytes of other memory read between two calls at depth.
const WEIGHTS: usize = 256 << 20;
/// Name, width of a head, window.
const SHAPES: [(&str, usize, Option<usize>); 2] =
    [("sliding", 256, Some(512)), ("full", 512, None)];

fn main() {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with("--"))
        .collect();
    let is_wanted = |i: usize, name: &str| wanted.get(i).is_none_or(|w| w == name);
    println!(
        "{:<5} {:<8} t {:<8} {:>9} {:>9} {:>9} {:>7} {:>9} {:>7}",
        "kv", "isa", "layer", "512@0", "512@4096", "1@4096 µs", "GB/s", "8x1@1024", "GB/s"
    );
    for precision in Precision::ALL {
        if !is_wanted(0, precision.name()) {
            continue;
        }
        let name = precision.name();
        let bytes = match precision {
            Precision::Full => 4.0,
            Precision::Half => 2.0,
            Precision::Eight => 1.0 + 2.0 / 32.0,
        };
        for isa in Isa::available() {
            if !is_wanted(1, isa.name()) || isa == Isa::SCALAR {
                continue;
            }
            for threads in [1usize, 2] {
                if !is_wanted(2, &threads.to_string()) {
                    continue;
                }
                let cpu = Cpu::new(isa, &(0..threads).collect::<Vec<_>>());
                for (layer, dim, window) in SHAPES {
                    let run = |caches: usize, depth, tokens, jobs| {
                        let caches = filled(precision, dim, caches, depth + tokens);
                        let rows = vec![0.25; tokens * HEADS * dim];
                        let queries = Queries {
                            cache: &caches[0],
                            rows: &rows,
                            start: depth,
                            heads: HEADS,
                            scale: 0.06,
                            window,
                            causal: true,
                            sinks: None,
                        };
                        time(&cpu, &caches, queries, jobs)
                    };
                    let macs = |depth: usize, tokens: usize| {
                        let seen = |p: usize| window.map_or(p, |w| p.min(w));
                        let seen: usize = (depth + 1..=depth + tokens).map(seen).sum();
                        (2 * HEADS * dim * seen) as f64
                    };
                    let (empty, deep) = (run(1, 0, 512, 1), run(1, 4096, 512, 1));
                    let one = run(9, 4095, 1, 1);
                    let many = run(16, 1023, 1, 8);
                    let traffic = |depth| macs(depth, 1) / HEADS as f64 * bytes / 1e9;
                    println!(
                        "{name:<5} {:<8} {threads} {layer:<8} {:>9.1} {:>9.1} {:>9.0} {:>7.1} {:>9.0} {:>7.1}",
                        isa.name(),
                        macs(0, 512) / empty / 1e9,
                        macs(4096, 512) / deep / 1e9,
                        one * 1e6,
                        traffic(4095) / one,
                        many * 1e6,
                        8.0 * traffic(1023) / many,
                    );
                }
            }
        }
    }
}

fn filled(precision: Precision, dim: usize, count: usize, positions: usize) -> Vec<KvCache> {
    let row: Vec<f32> = (0..positions * dim)
        .map(|i| (i % 37) as f32 / 37.0 - 0.5)
        .collect();
    let mut caches = Vec::new();
    for _ in 0..count {
        let mut cache = KvCache::new(precision, 1, dim, positions);
        cache.write(0, &row, &row);
        caches.push(cache);
    }
    caches
}

/// Seconds of the fastest call; each takes the next `jobs` caches.
fn time(cpu: &Cpu, caches: &[KvCache], queries: Queries<'_>, jobs: usize) -> f64 {
    let mut out = vec![0.0; jobs * queries.rows.len()];
    let weights = vec![1u64; if queries.start > 0 { WEIGHTS / 8 } else { 0 }];
    let mut best = f64::INFINITY;
    for round in 0..ROUNDS * (caches.len() / jobs) {
        let jobs: Vec<Queries<'_>> = (round * jobs..(round + 1) * jobs)
            .map(|i| Queries {
                cache: &caches[i % caches.len()],
                ..queries
            })
            .collect();
        // Between two layers' attention a model reads its weights, which leaves little in the caches.
        let share = weights.len() / cpu.pool.threads();
        cpu.pool.run(|thread| {
            let own = &weights[thread * share..][..share];
            std::hint::black_box(own.iter().step_by(8).sum::<u64>());
        });
        let start = Instant::now();
        attend(cpu, &jobs, &mut out);
        best = best.min(start.elapsed().as_secs_f64());
    }
    best
}
