"""A recorder of measurements; the issue brings the panic of a thread with its backtrace."""

from languages.repository import Repository, files_of, minified

_FILES = r"""
=== Cargo.toml
[package]
name = "recorder"
version = "0.3.0"

=== src/lib.rs
//! Records what sensors measure.

pub mod alarm;
pub mod export;
pub mod greenhouse;
pub mod sensor;
pub mod series;

pub use series::Series;

=== src/series/mod.rs
mod gaps;
mod ring;
mod stats;

pub use gaps::find_gaps;
pub use ring::Ring;
pub use stats::Summary;

/// Samples of one sensor in the order of time.
pub struct Series {
    pub name: String,
    ring: Ring<f64>,
}

impl Series {
    pub fn new(name: &str, capacity: usize) -> Self {
        Series { name: name.to_string(), ring: Ring::with_capacity(capacity) }
    }

    pub fn record(&mut self, value: f64) {
        self.ring.push(value);
    }

    pub fn recent(&self, count: usize) -> Vec<f64> {
        self.ring.tail(count)
    }

    pub fn summary(&self) -> Summary {
        Summary::of(&self.ring.tail(self.ring.len()))
    }
}

=== src/series/ring.rs
/// A buffer of fixed capacity that overwrites its oldest slot.
pub struct Ring<T> {
    slots: Vec<T>,
    head: usize,
    capacity: usize,
}

impl<T: Clone> Ring<T> {
    pub fn with_capacity(capacity: usize) -> Self {
        Ring { slots: Vec::with_capacity(capacity), head: 0, capacity }
    }

    pub fn len(&self) -> usize {
        self.slots.len()
    }

    pub fn push(&mut self, value: T) {
        if self.slots.len() < self.capacity {
            self.slots.push(value);
        } else {
            self.slots[self.head] = value;
            self.head = (self.head + 1) % self.capacity;
        }
    }

    pub fn tail(&self, count: usize) -> Vec<T> {
        let start = self.slots.len() - count;
        (start..self.slots.len())
            .map(|at| self.slots[(self.head + at) % self.slots.len()].clone())
            .collect()
    }

    pub fn clear(&mut self) {
        self.slots.clear();
        self.head = 0;
    }
}

=== src/series/stats.rs
/// Mean and spread.
pub struct Summary {
    pub mean: f64,
    pub deviation: f64,
}

impl Summary {
    pub fn of(values: &[f64]) -> Self {
        let n = values.len().max(1) as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
        Summary { mean, deviation: variance.sqrt() }
    }
}

=== src/series/gaps.rs
/// Pairs of neighbours that are further apart than a step.
pub fn find_gaps(times: &[u64], step: u64) -> Vec<(u64, u64)> {
    times.windows(2).filter(|pair| pair[1] - pair[0] > step).map(|pair| (pair[0], pair[1])).collect()
}

=== src/sensor/mod.rs
mod driver;
mod poll;

pub use driver::Driver;
pub use poll::poll_all;

/// Something that measures.
pub trait Sensor {
    fn name(&self) -> &str;
    fn read(&mut self) -> Result<f64, String>;
}

=== src/sensor/driver.rs
use super::Sensor;

/// Talks to a sensor on the I2C bus.
pub struct Driver {
    name: String,
    address: u8,
    scale: f64,
}

impl Driver {
    pub fn new(name: &str, address: u8) -> Self {
        Driver { name: name.into(), address, scale: 0.01 }
    }
}

impl Sensor for Driver {
    fn name(&self) -> &str {
        &self.name
    }

    fn read(&mut self) -> Result<f64, String> {
        if self.address > 0x77 {
            return Err(format!("no device at {:#x}", self.address));
        }
        Ok(f64::from(self.address) * self.scale)
    }
}

=== src/sensor/poll.rs
use super::Sensor;
use crate::Series;

pub fn poll_all(sensors: &mut [Box<dyn Sensor>], series: &mut [Series]) -> usize {
    let mut failed = 0;
    for (sensor, target) in sensors.iter_mut().zip(series) {
        match sensor.read() {
            Ok(value) => target.record(value),
            Err(_) => failed += 1,
        }
    }
    failed
}

=== src/greenhouse/mod.rs
//! A greenhouse with a screen.

mod chart;
mod dashboard;

pub use chart::chart;
pub use dashboard::Dashboard;

=== src/greenhouse/chart.rs
//! The last ten minutes that a series recorded; later the program scales it.

use crate::Series;

/// A line of signs.
pub fn chart(series: &Series, minutes: usize) -> String {
    let values = series.recent(minutes * 6);
    let most = values.iter().cloned().fold(1.0, f64::max);
    values.iter().map(|v| if v / most > 0.5 { '#' } else { '.' }).collect()
}

=== src/greenhouse/dashboard.rs
use super::chart;
use crate::Series;

/// What the screen in the greenhouse shows.
pub struct Dashboard {
    pub temperature: Series,
    pub humidity: Series,
}

impl Dashboard {
    /// Two charts of the ten minutes that were recorded last.
    pub fn draw(&self) -> String {
        format!("temperature {}\nhumidity {}", chart(&self.temperature, 10), chart(&self.humidity, 10))
    }

    /// Whether somebody opened the greenhouse: it got cold.
    pub fn opened(&self, minutes: usize) -> bool {
        self.temperature.recent(minutes).iter().all(|value| *value < 18.0)
    }
}

=== src/greenhouse/watering.rs
use crate::Series;

/// Minutes for which the greenhouse is watered: ten when its humidity was low in the program, later none.
pub fn watering_minutes(humidity: &Series) -> usize {
    let summary = humidity.summary();
    if summary.mean < 40.0 { 10 } else { 0 }
}

=== src/alarm/mod.rs
pub mod rule;

pub use rule::Rule;

=== src/alarm/rule.rs
use crate::Series;

/// Rings when a value leaves its limits.
pub struct Rule {
    pub low: f64,
    pub high: f64,
}

impl Rule {
    pub fn broken(&self, series: &Series) -> bool {
        let mean = series.summary().mean;
        mean < self.low || mean > self.high
    }
}

=== src/export/mod.rs
pub mod csv;

=== src/export/csv.rs
use crate::Series;
use std::fmt::Write;

pub fn to_csv(series: &[Series]) -> String {
    let mut text = String::from("name,mean,deviation\n");
    for one in series {
        let summary = one.summary();
        let _ = writeln!(text, "{},{},{}", one.name, summary.mean, summary.deviation);
    }
    text
}

=== tests/ring.rs
#[test]
fn dashboard_of_the_greenhouse_is_drawn_right_after_the_program_started() {
    let ring: Ring<f64> = Ring::with_capacity(10);
    assert!(ring.tail(60).is_empty());
}

=== vendor/ring/src/lib.rs
/// attempt to subtract with overflow when the dashboard of the greenhouse is opened in the first minutes
pub fn tail(dashboard: usize, minutes: usize) -> usize { dashboard - minutes }
"""

REPOSITORY = Repository(
    language="rust",
    files=files_of(_FILES)
    | {"web/chart.min.js": minified("greenhouse dashboard chart minutes started program opened")},
    issue="""Panic "attempt to subtract with overflow" while a series is not filled to its capacity

Our greenhouse is watered by what a series recorded in the last ten minutes. Right after the program was started:

```
thread 'main' panicked at src/series/ring.rs:27:21:
attempt to subtract with overflow
stack backtrace:
   0: rust_begin_unwind
             at /rustc/9fc6b431/library/std/src/panicking.rs:645:5
   1: core::panicking::panic_const::panic_const_sub_overflow
   2: recorder::series::ring::Ring<T>::tail
             at ./src/series/ring.rs:27:21
   3: recorder::series::Series::recent
             at ./src/series/mod.rs:25:9
   4: kiosk::main
             at ./src/main.rs:41:18
```

Ten minutes later it runs; I suppose that the ring has fewer slots than are asked for by then.
""",
    path="src/series/ring.rs",
    name="Ring::tail",
    first="pub fn tail(&self, count: usize) -> Vec<T> {",
    last="    }",
    decoys=("src/greenhouse/dashboard.rs", "src/greenhouse/chart.rs", "src/greenhouse/watering.rs"),
    never=("tests/ring.rs", "vendor/ring/src/lib.rs", "web/chart.min.js"),
)
