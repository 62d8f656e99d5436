//! How fast an answer was made.
use reckon::{Timing, Usage};
use std::time::Duration;

/// Tokens a second, read and written; 0 where nothing was measured.
pub(crate) fn speeds(usage: Usage, timing: Timing) -> (f64, f64) {
    let per_second = |n: usize, time: Duration| {
        if time.is_zero() {
            0.0
        } else {
            n as f64 / time.as_secs_f64()
        }
    };
    let read = usage.prompt.saturating_sub(usage.reused);
    (
        per_second(read, timing.prefill),
        per_second(usage.completion, timing.decode),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_time_is_no_speed() {
        assert_eq!(
            speeds(
                Usage {
                    prompt: 3,
                    reused: 0,
                    completion: 4,
                    ..Usage::default()
                },
                Timing::default()
            ),
            (0.0, 0.0)
        );
    }
}
