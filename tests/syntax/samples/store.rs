//! A store.

use std::{collections::HashMap, io::{self, Read as R}};
use crate::util::*;

/// Holds values.
///
/// Many.
#[derive(Debug, Clone)]
pub struct Store<T> {
    items: Vec<T>,
}

impl<T: Clone> Store<T> {
    /// Makes one.
    #[inline]
    pub const fn new() -> Self {
        Store { items: Vec::<T>::new() }
    }
}

impl<T> fmt::Display for Store<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", self.items.len())
    }
}

pub trait Shape: Base + Other<u8> {
    fn area(&self) -> f64;
    fn name(&self) -> String {
        "shape".to_string()
    }
}

pub enum Kind { A, B(u8) }
union Raw { a: u8 }
pub type Pair = (u8, u8);
pub struct Unit;

macro_rules! twice {
    ($e:expr) => { $e; $e };
}

mod inner {
    pub async unsafe fn run() {}
}

impl dyn Shape {
    fn extra(&self) {}
}

extern "C" {
    fn external(a: u8);
}
