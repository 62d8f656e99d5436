//! The domain of a finite-domain variable: an interval, and which values of it are left while it is short.
//!
//! Truths are 0 and 1, elements of a sort their numbers. A bound of [`INFINITY`] or beyond means that there is none:
//! no propagation draws a conclusion from it. Domains only ever lose values that no solution has.

/// Numbers are searched below this; so sums of a few stay far from the end of `i128`.
pub(super) const INFINITY: i64 = 1 << 60;

/// A set of integers between `lo` and `hi`; empty if `lo > hi`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Domain {
    pub(super) lo: i64,
    pub(super) hi: i64,
    /// Bit `n` is the value `lo + n`, if the interval has at most 64 values; bits 0 and `hi - lo` are set then.
    mask: u64,
}

impl Domain {
    pub(super) const ALL: Self = Self {
        lo: -INFINITY,
        hi: INFINITY,
        mask: 0,
    };
    pub(super) const EMPTY: Self = Self {
        lo: 0,
        hi: -1,
        mask: 0,
    };

    pub(super) fn new(lo: i64, hi: i64) -> Self {
        Self { lo, hi, mask: !0 }.tidied()
    }

    pub(super) fn of(value: i64) -> Self {
        Self::new(value, value)
    }

    /// Ends that may be far out; a bound that cannot be represented is no bound.
    pub(super) fn between(lo: i128, hi: i128) -> Self {
        let far = i128::from(INFINITY);
        if lo >= far || hi <= -far {
            return Self::ALL;
        }
        Self::new(lo.max(-far) as i64, hi.min(far) as i64)
    }

    /// Those of the first 64 values from `lo` on that satisfy `keep`.
    pub(super) fn filtered(self, mut keep: impl FnMut(i64) -> bool) -> Self {
        let mut mask = 0;
        for value in self.values() {
            if keep(value) {
                mask |= 1 << (value - self.lo);
            }
        }
        Self { mask, ..self }.tidied()
    }

    /// Moves the ends to values that are there.
    fn tidied(mut self) -> Self {
        if self.lo > self.hi {
            return Self::EMPTY;
        }
        let width = (self.hi - self.lo) as u64;
        if width >= 64 {
            self.mask = 0;
            return self;
        }
        self.mask &= !0 >> (63 - width);
        if self.mask == 0 {
            return Self::EMPTY;
        }
        let first = self.mask.trailing_zeros();
        self.mask >>= first;
        self.lo += i64::from(first);
        self.hi = self.lo + i64::from(63 - self.mask.leading_zeros());
        self
    }

    pub(super) fn is_short(self) -> bool {
        self.hi - self.lo < 64
    }

    pub(super) fn is_empty(self) -> bool {
        self.lo > self.hi
    }

    /// Are both ends known?
    pub(super) fn is_bounded(self) -> bool {
        self.lo > -INFINITY && self.hi < INFINITY
    }

    pub(super) fn fixed(self) -> Option<i64> {
        (self.lo == self.hi).then_some(self.lo)
    }

    pub(super) fn size(self) -> u64 {
        if self.is_short() {
            u64::from(self.mask.count_ones())
        } else {
            (self.hi - self.lo) as u64 + 1
        }
    }

    /// The values of a short domain.
    pub(super) fn values(self) -> impl Iterator<Item = i64> {
        let mask = if self.is_short() { self.mask } else { 0 };
        (0..64)
            .filter(move |n| mask >> n & 1 == 1)
            .map(move |n| self.lo + n)
    }

    /// The mask as if it began at `lo`, which is not below `self.lo`.
    fn mask_from(self, lo: i64) -> u64 {
        match u32::try_from(lo - self.lo) {
            _ if !self.is_short() => !0,
            Ok(shift) => self.mask.checked_shr(shift).unwrap_or(0),
            Err(_) => 0,
        }
    }

    pub(super) fn intersect(self, other: Self) -> Self {
        let (lo, hi) = (self.lo.max(other.lo), self.hi.min(other.hi));
        if lo > hi {
            return Self::EMPTY;
        }
        let mask = self.mask_from(lo) & other.mask_from(lo);
        Self { lo, hi, mask }.tidied()
    }

    /// The smallest domain with the values of both.
    pub(super) fn union(self, other: Self) -> Self {
        if self.is_empty() || other.is_empty() {
            return if self.is_empty() { other } else { self };
        }
        let (lo, hi) = (self.lo.min(other.lo), self.hi.max(other.hi));
        if hi - lo >= 64 {
            return Self { lo, hi, mask: 0 };
        }
        let mask = self.mask << (self.lo - lo) | other.mask << (other.lo - lo);
        Self { lo, hi, mask }.tidied()
    }

    /// The values that `other` does not have; all of them where that is no domain.
    pub(super) fn minus(self, other: Self) -> Self {
        let common = self.intersect(other);
        if common.is_empty() {
            return self;
        }
        if self.is_short() {
            let gone = if common.is_short() {
                common.mask << (common.lo - self.lo)
            } else {
                0
            };
            let mask = self.mask & !gone;
            return Self { mask, ..self }.tidied();
        }
        // Of a long interval only an end can be cut off, and only where `other` has no gaps.
        let whole = !other.is_short() || other.size() as i64 == other.hi - other.lo + 1;
        match (whole, other.lo <= self.lo, other.hi >= self.hi) {
            (true, true, true) => Self::EMPTY,
            (true, true, false) => Self::new(other.hi + 1, self.hi),
            (true, false, true) => Self::new(self.lo, other.lo - 1),
            _ => self,
        }
    }

    /// Is [`Self::union`] exact?
    pub(super) fn joins(self, other: Self) -> bool {
        let all = self.union(other);
        all.is_short()
            || (!self.is_short()
                && !other.is_short()
                && self.hi.min(other.hi) >= self.lo.max(other.lo) - 1)
    }

    /// `value + by` for all values.
    pub(super) fn shifted(self, by: i64) -> Self {
        if !self.is_bounded() {
            let end = |end: i64| match end.abs() < INFINITY {
                true => i128::from(end) + i128::from(by),
                false => i128::from(end),
            };
            return Self::between(end(self.lo), end(self.hi));
        }
        let (lo, hi) = (self.lo + by, self.hi + by);
        if lo <= -INFINITY || hi >= INFINITY {
            return Self::ALL;
        }
        Self { lo, hi, ..self }
    }

    /// `-value` for all values.
    pub(super) fn negated(self) -> Self {
        let mask = match self.is_short() && !self.is_empty() {
            true => self.mask.reverse_bits() >> (63 - (self.hi - self.lo)),
            false => 0,
        };
        Self {
            lo: -self.hi,
            hi: -self.lo,
            mask,
        }
    }
}
