//! Draws numbers as inline SVG.
//!
//! Across, everything is given in per cent of the width, so a drawing fills its column and its letters keep their size on
//! a phone and on a wide screen. Colours come from the page's style; the two kinds of points differ in shape as well.

use super::html::escape;
use crate::calibrate::Bin;

/// A system in a drawing: the first and the second differ in colour and shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Series {
    First,
    Second,
}

impl Series {
    fn class(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Second => "second",
        }
    }
}

/// A value with its interval.
#[derive(Clone, Debug)]
pub(crate) struct Whisker {
    pub(crate) kind: Series,
    pub(crate) value: f64,
    pub(crate) interval: Option<(f64, f64)>,
}

/// A labelled group of whiskers.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) label: String,
    /// Set at the right end of the label's line.
    pub(crate) figures: String,
    pub(crate) whiskers: Vec<Whisker>,
}

/// The axis across.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// Where lines are drawn, and what stands under them.
    pub(crate) ticks: Vec<(f64, String)>,
}

impl Axis {
    /// Shares from 0 to 1.
    pub(crate) fn shares() -> Self {
        let tick = |n: u32| (f64::from(n) / 100.0, format!("{n} %"));
        Self {
            low: 0.0,
            high: 1.0,
            ticks: [0, 25, 50, 75, 100].map(tick).into(),
        }
    }

    /// Points of a judge, at most 10.
    pub(crate) fn points() -> Self {
        let tick = |n: u32| (f64::from(n), n.to_string());
        Self {
            low: 0.0,
            high: 10.0,
            ticks: [0, 2, 4, 6, 8, 10].map(tick).into(),
        }
    }

    /// Lengths in characters, as logarithms to the base 2.
    pub(crate) fn lengths(least: usize, most: usize) -> Self {
        let low = (least.max(1) as f64).log2().floor();
        let high = (most.max(2) as f64).log2().ceil().max(low + 1.0);
        let step = ((high - low) / 5.0).ceil().max(1.0) as usize;
        let ticks = (low as u32..=high as u32)
            .step_by(step)
            .map(|power| (f64::from(power), (1_u64 << power.min(40)).to_string()));
        Self {
            low,
            high,
            ticks: ticks.collect(),
        }
    }

    /// In per cent of the width, inside margins that leave room for a point and half a number.
    fn at(&self, value: f64) -> f64 {
        let share = (value - self.low) / (self.high - self.low);
        3.0 + 94.0 * share.clamp(0.0, 1.0)
    }

    fn draw(&self, svg: &mut String, top: usize, bottom: usize) {
        for (value, label) in &self.ticks {
            let x = self.at(*value);
            *svg += &format!(
                "<line class=\"grid\" x1=\"{x:.2}%\" x2=\"{x:.2}%\" y1=\"{top}\" y2=\"{bottom}\"/>\
                     <text class=\"tick\" x=\"{x:.2}%\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                bottom + 16,
                escape(label)
            );
        }
    }
}

const LABEL: usize = 22;
const ROW: usize = 16;
const GAP: usize = 12;

/// Groups below each other.
pub(crate) fn whiskers(name: &str, groups: &[Group], axis: &Axis) -> String {
    let height = |group: &Group| LABEL + ROW * group.whiskers.len() + GAP;
    let bottom: usize = groups.iter().map(height).sum();
    let mut svg = open(name, bottom + 24);
    axis.draw(&mut svg, 0, bottom);
    let mut y = 0;
    for group in groups {
        svg += &format!(
            "<text x=\"0\" y=\"{0}\">{1}</text><text x=\"100%\" y=\"{0}\" text-anchor=\"end\" \
                 class=\"value\">{2}</text>\n",
            y + 15,
            escape(&short(&group.label)),
            escape(&group.figures),
        );
        for (i, one) in group.whiskers.iter().enumerate() {
            whisker(&mut svg, one, axis, y + LABEL + ROW * i + ROW / 2);
        }
        y += height(group);
    }
    svg + "</svg>\n"
}

/// A label leaves room for the figures beside it on a phone; the table has the whole name.
fn short(label: &str) -> String {
    const MOST: usize = 26;
    let letters: Vec<char> = label.chars().collect();
    if letters.len() <= MOST {
        return label.to_owned();
    }
    let (front, back) = (
        &letters[..MOST / 2],
        &letters[letters.len() - (MOST / 2 - 1)..],
    );
    front.iter().chain(['…'].iter()).chain(back).collect()
}

fn whisker(svg: &mut String, one: &Whisker, axis: &Axis, y: usize) {
    let class = one.kind.class();
    if let Some((low, high)) = one.interval {
        let (low, high) = (axis.at(low), axis.at(high));
        *svg += &format!(
            "<line class=\"{class}\" x1=\"{low:.2}%\" x2=\"{high:.2}%\" y1=\"{y}\" y2=\"{y}\"/>"
        );
        for x in [low, high] {
            *svg += &format!(
                "<line class=\"{class}\" x1=\"{x:.2}%\" x2=\"{x:.2}%\" y1=\"{}\" y2=\"{}\"/>",
                y - 4,
                y + 4
            );
        }
    }
    point(svg, one.kind, axis.at(one.value), y as f64, 5.0);
    svg.push('\n');
}

/// A circle, or a diamond: a square stood on its corner around a point that is given in per cent.
fn point(svg: &mut String, kind: Series, x: f64, y: f64, size: f64) {
    let class = kind.class();
    match kind {
        Series::First => {
            *svg +=
                &format!("<circle class=\"{class}\" cx=\"{x:.2}%\" cy=\"{y:.1}\" r=\"{size}\"/>")
        }
        Series::Second => {
            *svg += &format!(
                "<svg x=\"{x:.2}%\" y=\"{y:.1}\" overflow=\"visible\"><path class=\"{class}\" \
                 d=\"M0 -{0}L{0} 0L0 {0}L-{0} 0Z\"/></svg>",
                size + 1.0
            )
        }
    }
}

/// Height of a drawing with an axis upwards, its numbers below left out.
const HEIGHT: f64 = 240.0;

/// Where a share of that axis is.
fn up(share: f64) -> f64 {
    8.0 + (HEIGHT - 16.0) * (1.0 - share.clamp(0.0, 1.0))
}

/// Points of scores over lengths, 0 to 10.
pub(crate) fn scatter(name: &str, points: &[(Series, usize, f64)]) -> String {
    let least = points.iter().map(|one| one.1).min().unwrap_or(1);
    let most = points.iter().map(|one| one.1).max().unwrap_or(1);
    let axis = Axis::lengths(least, most);
    let y = |score: f64| up(score / 10.0);
    let mut svg = open(name, HEIGHT as usize + 24);
    axis.draw(&mut svg, 0, HEIGHT as usize);
    for score in [0, 2, 4, 6, 8, 10] {
        let y = y(f64::from(score));
        svg += &format!(
            "<line class=\"grid\" x1=\"3%\" x2=\"97%\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
                 <text class=\"tick\" x=\"0\" y=\"{:.1}\">{score}</text>\n",
            y + 4.0
        );
    }
    svg.push_str("<g class=\"cloud\">\n");
    for (kind, length, score) in points {
        let x = axis.at(((*length).max(1) as f64).log2());
        point(&mut svg, *kind, x, y(*score), 4.0);
        svg.push('\n');
    }
    svg + "</g>\n</svg>\n"
}

/// Share of right answers over the share of votes, with intervals upwards, the diagonal, and the size of each bin below.
/// `spoken` says all of it. On a phone the drawing keeps its width and scrolls in its box, else sizes of bins would run
/// into each other. The numbers upwards stand in a margin that the page's style leaves on the left.
pub(crate) fn reliability(spoken: &str, bins: &[Bin]) -> String {
    let axis = Axis::shares();
    let bottom = HEIGHT as usize;
    let mut svg = format!(
        "<div class=\"box\" role=\"region\" tabindex=\"0\" aria-label=\"Reliability plot\">\n{}",
        open(spoken, bottom + 62).replacen("<svg ", "<svg class=\"wide\" ", 1)
    );
    axis.draw(&mut svg, 0, bottom);
    for (share, label) in &axis.ticks {
        let y = up(*share);
        svg += &format!(
            "<line class=\"grid\" x1=\"3%\" x2=\"97%\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
                 <text class=\"tick\" x=\"0\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>\n",
            y + 4.0
        );
    }
    svg += &format!(
        "<line class=\"diagonal\" x1=\"{:.2}%\" x2=\"{:.2}%\" y1=\"{:.1}\" y2=\"{:.1}\"/>\n",
        axis.at(0.0),
        axis.at(1.0),
        up(0.0),
        up(1.0)
    );
    for bin in bins {
        let Some((share, (low, high))) = bin.right.share().zip(bin.right.interval()) else {
            continue;
        };
        let x = axis.at(bin.agreed);
        let (low, high) = (up(low), up(high));
        svg += &format!(
            "<line class=\"second\" x1=\"{x:.2}%\" x2=\"{x:.2}%\" y1=\"{low:.1}\" y2=\"{high:.1}\"/>"
        );
        for y in [low, high] {
            // A cap of ten points around a place that is given in per cent.
            svg += &format!(
                "<svg x=\"{x:.2}%\" y=\"{y:.1}\" overflow=\"visible\">\
                     <line class=\"second\" x1=\"-5\" x2=\"5\"/></svg>"
            );
        }
        point(&mut svg, Series::Second, x, up(share), 5.0);
        svg += &format!(
            "<text class=\"tick size\" x=\"{x:.2}%\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
            bottom + 34,
            bin.right.of
        );
    }
    svg += &format!(
        "<text class=\"tick\" x=\"0\" y=\"{0}\" text-anchor=\"end\">n</text>\
             <text class=\"tick\" x=\"50%\" y=\"{1}\" text-anchor=\"middle\">share of votes that agreed</text>\n",
        bottom + 34,
        bottom + 54
    );
    svg + "</svg>\n</div>\n"
}

fn open(name: &str, height: usize) -> String {
    let name = escape(name);
    format!("<svg role=\"img\" aria-label=\"{name}\" width=\"100%\" height=\"{height}\">\n")
}

/// Which shape is which system.
pub(crate) fn legend(first: &str, second: &str) -> String {
    let mut svg = String::from("<p class=\"legend\">");
    for (kind, name) in [(Series::First, first), (Series::Second, second)] {
        svg.push_str("<span><svg width=\"14\" height=\"14\" aria-hidden=\"true\">");
        point(&mut svg, kind, 50.0, 7.0, 5.0);
        svg += &format!("</svg> {}</span> ", escape(name));
    }
    svg + "</p>\n"
}
