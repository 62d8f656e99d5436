//! The Mersenne Twister MT19937, drawn from as `random.Random` draws: the same seed gives the same numbers.
//!
//! Only the generator: distributions and shuffles are made of these numbers elsewhere.
use num_bigint::{BigInt, BigUint, Sign};
use sha2::{Digest, Sha512};

#[cfg(test)]
mod tests;

const WORDS: usize = 624;
const MIDDLE: usize = 397;

#[derive(Clone)]
pub(crate) struct Mersenne {
    words: [u32; WORDS],
    /// The next word to hand out; at the end all are made anew.
    next: usize,
}

impl Mersenne {
    /// As `random.seed(n)` with an integer, whose sign does not count.
    pub(crate) fn from_int(seed: &BigInt) -> Self {
        Self::from_words(&seed.magnitude().to_u32_digits())
    }

    /// As `random.seed` with a byte string, or with the UTF-8 of a text.
    pub(crate) fn from_bytes(seed: &[u8]) -> Self {
        Self::from_int(&seed_bytes(seed))
    }

    fn from_word(seed: u32) -> Self {
        let mut words = [0; WORDS];
        let mut last = seed;
        for (word, count) in words.iter_mut().zip(0_u32..) {
            if count > 0 {
                last = (last ^ (last >> 30))
                    .wrapping_mul(1_812_433_253)
                    .wrapping_add(count);
            }
            *word = last;
        }
        Self { words, next: WORDS }
    }

    fn from_words(key: &[u32]) -> Self {
        let key = if key.is_empty() { &[0] } else { key };
        let mut state = Self::from_word(19_650_218);
        let mut place = Place::default();
        let rounds = WORDS.max(key.len());
        for (&word, count) in key.iter().zip(0_u32..).cycle().take(rounds) {
            place.mix(&mut state.words, 1_664_525, |mixed| {
                mixed.wrapping_add(word).wrapping_add(count)
            });
        }
        for _ in 1..WORDS {
            let at = place.at as u32;
            place.mix(&mut state.words, 1_566_083_941, |mixed| {
                mixed.wrapping_sub(at)
            });
        }
        state.words[0] = 0x8000_0000;
        state
    }

    fn renew(&mut self) {
        for at in 0..WORDS {
            let high = self.words[at] & 0x8000_0000;
            let joined = high | (self.words[(at + 1) % WORDS] & 0x7fff_ffff);
            let twist = if joined & 1 == 1 { 0x9908_b0df } else { 0 };
            self.words[at] = self.words[(at + MIDDLE) % WORDS] ^ (joined >> 1) ^ twist;
        }
        self.next = 0;
    }

    /// 32 bits.
    pub(crate) fn word(&mut self) -> u32 {
        if self.next >= WORDS {
            self.renew();
        }
        let mut word = self.words[self.next];
        self.next += 1;
        word ^= word >> 11;
        word ^= (word << 7) & 0x9d2c_5680;
        word ^= (word << 15) & 0xefc6_0000;
        word ^ (word >> 18)
    }

    /// From 0 to 1 in steps of 2**-53, without 1.
    pub(crate) fn random(&mut self) -> f64 {
        let (high, low) = (self.word() >> 5, self.word() >> 6);
        (f64::from(high) * 67_108_864.0 + f64::from(low)) * (1.0 / 9_007_199_254_740_992.0)
    }

    /// At most 64 bits; the same draws as for the big integer.
    pub(crate) fn small_bits(&mut self, bits: u32) -> u64 {
        match bits {
            0 => 0,
            1..=32 => u64::from(self.word() >> (32 - bits)),
            _ => {
                let low = u64::from(self.word());
                let high = self.word() >> 64_u32.saturating_sub(bits).min(31);
                u64::from(high) << 32 | low
            }
        }
    }

    /// `getrandbits`; callers limit the bits.
    pub(crate) fn bits(&mut self, bits: u64) -> BigInt {
        if bits <= 64 {
            return BigInt::from(self.small_bits(bits as u32));
        }
        let mut words = Vec::new();
        let mut left = bits;
        while left > 0 {
            let unused = 32_u64.saturating_sub(left) as u32;
            words.push(self.word() >> unused);
            left = left.saturating_sub(32);
        }
        BigInt::from_biguint(Sign::Plus, BigUint::new(words))
    }

    /// What `getstate` has in the middle: the words and the place of the next one.
    pub(crate) fn state(&self) -> Vec<u32> {
        let mut state = self.words.to_vec();
        state.push(self.next as u32);
        state
    }

    /// From the numbers of `state`; `None` if they are not so many, or the place is beyond the end.
    pub(crate) fn from_state(state: &[u32]) -> Option<Self> {
        let (&next, words) = state.split_last()?;
        let next = usize::try_from(next).ok().filter(|&next| next <= WORDS)?;
        Some(Self {
            words: words.try_into().ok()?,
            next,
        })
    }
}

/// Where the mixing of the key stands.
struct Place {
    at: usize,
}

impl Default for Place {
    fn default() -> Self {
        Self { at: 1 }
    }
}

impl Place {
    fn mix(&mut self, words: &mut [u32; WORDS], factor: u32, add: impl Fn(u32) -> u32) {
        let before = words[self.at - 1];
        words[self.at] = add(words[self.at] ^ (before ^ (before >> 30)).wrapping_mul(factor));
        self.at += 1;
        if self.at == WORDS {
            words[0] = words[WORDS - 1];
            self.at = 1;
        }
    }
}

/// The integer that CPython's second version of `seed` makes of bytes: themselves and their SHA-512.
pub(crate) fn seed_bytes(bytes: &[u8]) -> BigInt {
    let mut all = bytes.to_vec();
    all.extend_from_slice(&Sha512::digest(bytes));
    BigInt::from_bytes_be(Sign::Plus, &all)
}
