//! Pages of a cache: shared by clones, copied when written, let go when a window has passed.

use crate::fixture::Random;
use reckon_kernels::{Cpu, Isa, KvCache, Precision, Queries, attend};

const HEADS: usize = 2;
const DIM: usize = 32;
const WIDTH: usize = HEADS * DIM;

/// Keys and values of `rows` positions.
fn rows(random: &mut Random, rows: usize) -> (Vec<f32>, Vec<f32>) {
    (random.floats(rows * WIDTH), random.floats(rows * WIDTH))
}

fn written(precision: Precision, parts: &[&(Vec<f32>, Vec<f32>)]) -> KvCache {
    let mut cache = KvCache::new(precision, HEADS, DIM, 1000);
    let mut start = 0;
    for (keys, values) in parts {
        cache.write(start, keys, values);
        start += keys.len() / WIDTH;
    }
    cache
}

/// What one query at `start` sees of the cache.
fn view(cache: &KvCache, start: usize) -> Vec<u32> {
    let rows = Random(9).floats(2 * WIDTH);
    let queries = Queries {
        cache,
        rows: &rows,
        start,
        heads: 2 * HEADS,
        scale: 0.3,
        window: None,
        causal: true,
        sinks: None,
    };
    let mut out = vec![0.0; rows.len()];
    attend(&Cpu::new(Isa::detect(), &[]), &[queries], &mut out);
    out.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn clones_that_are_written_differently_do_not_see_each_other() {
    for precision in Precision::ALL {
        // The common part ends within a page and at the end of one.
        for common in [100, 128] {
            let mut random = Random(common as u64);
            let prefix = rows(&mut random, common);
            let ends = [90, 30, 1].map(|n| rows(&mut random, n));
            let base = written(precision, &[&prefix]);
            let mut clones: Vec<KvCache> = ends.iter().map(|_| base.clone()).collect();
            // Row by row and in turns, so that each write meets pages that others still share.
            for row in 0..90 {
                for (cache, (keys, values)) in clones.iter_mut().zip(&ends) {
                    if let Some(key) = keys.chunks_exact(WIDTH).nth(row) {
                        cache.write(common + row, key, &values[row * WIDTH..][..WIDTH]);
                    }
                }
            }
            assert_eq!(
                view(&base, common - 1),
                view(&written(precision, &[&prefix]), common - 1)
            );
            for (cache, end) in clones.iter().zip(&ends) {
                let last = common + end.0.len() / WIDTH - 1;
                assert_eq!(
                    view(cache, last),
                    view(&written(precision, &[&prefix, end]), last)
                );
            }
        }
    }
}

#[test]
fn rewriting_after_a_truncation_is_like_a_first_writing() {
    let mut random = Random(3);
    let (prefix, other, end) = (
        rows(&mut random, 70),
        rows(&mut random, 200),
        rows(&mut random, 60),
    );
    let mut cache = written(Precision::Half, &[&prefix, &other]);
    let before = cache.bytes();
    cache.truncate(70);
    assert!(cache.bytes() < before);
    assert!(cache.holds(69) && !cache.holds(128));
    cache.write(70, &end.0, &end.1);
    let fresh = written(Precision::Half, &[&prefix, &end]);
    assert_eq!(view(&cache, 129), view(&fresh, 129));
    cache.truncate(0);
    assert!(!cache.holds(0));
}

#[test]
fn a_window_bounds_the_memory_and_keeps_what_it_must() {
    let mut random = Random(4);
    let keep = 150;
    let mut cache = KvCache::new(Precision::Eight, HEADS, DIM, keep);
    let most = KvCache::most_bytes(Precision::Eight, HEADS, DIM, keep);
    for position in 0..2000usize {
        let (key, value) = rows(&mut random, 1);
        cache.write(position, &key, &value);
        assert!(cache.bytes() <= most);
        assert!(cache.holds(position) && cache.holds((position + 1).saturating_sub(keep)));
    }
    assert!(!cache.holds(1000));
    // Starting again is always possible.
    let (key, value) = rows(&mut random, 1);
    cache.write(0, &key, &value);
    assert!(cache.holds(0));
}

#[test]
fn pages_that_were_kept_elsewhere_come_back_and_hold_nothing_of_what_came_after() {
    for precision in Precision::ALL {
        for (len, keep) in [(64, 1000), (70, 1000), (200, 1000), (500, 100)] {
            let mut random = Random(len as u64);
            let (prefix, end) = (rows(&mut random, len), rows(&mut random, 90));
            let mut cache = KvCache::new(precision, HEADS, DIM, keep);
            cache.write(0, &prefix.0, &prefix.1);
            let mut longer = cache.clone();
            longer.write(len, &end.0, &end.1);
            longer.truncate(len);
            let pages: Vec<Vec<u8>> = cache.pages(len).map(|page| page.into_owned()).collect();
            let others: Vec<Vec<u8>> = longer.pages(len).map(|page| page.into_owned()).collect();
            // A layer that slides has let go of more.
            let skipped = longer.page_range(len).start - cache.page_range(len).start;
            assert!(pages[skipped..] == others, "{} {len}", precision.name());
            let mut restored = KvCache::new(precision, HEADS, DIM, keep);
            let mut left = pages.iter();
            let fill = |page: &mut [u8]| -> Result<(), ()> {
                page.copy_from_slice(left.next().ok_or(())?);
                Ok(())
            };
            restored.restore(cache.page_range(len), fill).unwrap();
            assert!(!cache.is_same(&longer) || len.is_multiple_of(64));
            if keep == 1000 {
                assert_eq!(view(&restored, len - 1), view(&cache, len - 1));
            }
            let again: Vec<Vec<u8>> = restored.pages(len).map(|page| page.into_owned()).collect();
            assert!(again == pages);
            assert_eq!(restored.page_range(len), cache.page_range(len));
            assert_eq!(restored.bytes(), pages.concat().len());
            // Goes on as the original does.
            cache.write(len, &end.0, &end.1);
            restored.write(len, &end.0, &end.1);
            if keep == 1000 {
                assert_eq!(view(&restored, len + 89), view(&cache, len + 89));
            }
        }
    }
}

#[test]
fn jobs_of_one_call_are_as_each_alone() {
    let mut random = Random(8);
    let lengths = [3, 300, 70, 513, 64];
    let tokens = [1, 1, 40, 5, 2];
    let windows = [None, Some(100), None, None, Some(7)];
    let parts = lengths.map(|n| rows(&mut random, n));
    let caches: Vec<KvCache> = parts
        .iter()
        .map(|p| written(Precision::Half, &[p]))
        .collect();
    let queries = tokens.map(|n| random.floats(n * 3 * WIDTH));
    let jobs: Vec<Queries<'_>> = (0..lengths.len())
        .map(|i| Queries {
            cache: &caches[i],
            rows: &queries[i],
            start: lengths[i] - tokens[i],
            heads: 3 * HEADS,
            scale: 0.2,
            window: windows[i],
            causal: true,
            sinks: None,
        })
        .collect();
    let mut want = Vec::new();
    for job in &jobs {
        let mut out = vec![0.0; job.rows.len()];
        attend(&Cpu::new(Isa::SCALAR, &[]), &[*job], &mut out);
        want.extend(out.iter().map(|x| x.to_bits()));
    }
    for isa in Isa::available() {
        for threads in [1, 2] {
            let mut out = vec![0.0; want.len()];
            attend(&Cpu::new(isa, &vec![0; threads]), &jobs, &mut out);
            let got: Vec<u32> = out.iter().map(|x| x.to_bits()).collect();
            assert!(got == want, "{isa}, {threads} threads");
        }
    }
    attend(&Cpu::new(Isa::detect(), &[]), &[], &mut []);
}
