//! The hours of a worker.
use reckon_batch::Hours;

fn at(hour: u32, minute: u32) -> u32 {
    60 * hour + minute
}

#[test]
fn hours_that_cross_midnight() {
    let hours = Hours::parse("22-7").unwrap();
    for (minute, inside, next) in [
        (at(21, 59), false, 1),
        (at(22, 0), true, 0),
        (at(0, 0), true, 0),
        (at(6, 59), true, 0),
        (at(7, 0), false, 15 * 60),
        (at(12, 30), false, 9 * 60 + 30),
    ] {
        assert_eq!(hours.contains(minute), inside, "{minute}");
        assert_eq!(hours.next(minute), next, "{minute}");
    }
    assert_eq!(hours.to_string(), "22:00-7:00");
}

#[test]
fn hours_within_a_day_and_a_whole_day() {
    let hours: Hours = "9:30 - 17".parse().unwrap();
    assert!(!hours.contains(at(9, 29)) && hours.contains(at(9, 30)) && !hours.contains(at(17, 0)));
    assert_eq!(hours.next(at(17, 0)), 16 * 60 + 30);
    for whole in ["0-24", "0-0", "7-7"] {
        let hours = Hours::parse(whole).unwrap();
        assert!((0..1440).all(|minute| hours.contains(minute)), "{whole}");
    }
}

#[test]
fn next_is_the_first_minute_inside() {
    for text in ["22-7", "9-17", "23:59-0:01", "0-1"] {
        let hours = Hours::parse(text).unwrap();
        for minute in 0..1440 {
            let searched = (0..1440)
                .find(|wait| hours.contains(minute + wait))
                .unwrap();
            assert_eq!(hours.next(minute), searched, "{text} at {minute}");
        }
    }
}

#[test]
fn what_is_no_time_is_refused() {
    for text in [
        "", "22", "22-", "-7", "25-7", "22-7-9", "24:01-3", "7:60-9", "a-b", "22:5:1-3", "+1-3",
        "٣-٤",
    ] {
        assert!(Hours::parse(text).is_err(), "{text}");
    }
}
