"""Traits, implementations, modules and macros."""

from outlines.sample import Sample

_SOURCE = """\
//! Orders and what is owed.
use std::collections::{self, HashMap as Map, hash_map::*};
use crate::shop::{Item, Shop};
extern crate serde;

/// What can be sold.
///
/// More of it.
pub trait Sell: Clone + fmt::Debug {
    type Price;
    fn price(&self) -> Self::Price;
    fn name(&self) -> String { "none".to_string() }
}

#[derive(Debug, Clone)]
#[serde(rename = "order")]
pub struct Order<'a, T: Item> {
    items: Vec<&'a T>,
}

struct Unit;
pub enum State { Open, Closed(u8) }
union Bits { a: u32, b: f32 }
type Orders = Vec<Order<'static, Book>>;

impl<'a, T: Item> Order<'a, T> {
    /// Makes an empty one.
    #[inline]
    pub fn new() -> Self {
        fn helper() -> usize { 0 }
        Order { items: Vec::with_capacity(helper()) }
    }

    pub(crate) async fn find(&self, key: &str) -> Option<&T> {
        let found = self.items.iter().find(|item| item.is(key))?;
        println!("found {}", describe(found));
        parse::<u32>(key).unwrap_or_else(|_| panic!("bad"));
        Some(found)
    }
}

impl<T> Sell for Box<Order<'_, T>> where T: Item {
    type Price = u32;
    fn price(&self) -> u32 { self.shop.price::<u32>(1) }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn finds() { assert_eq!(r#"raw " text"#, Order::new().name()); }
}

macro_rules! order {
    ($a:expr) => { Order::of($a) };
}

extern "C" { fn native(a: i32) -> i32; }
"""

SAMPLE = Sample(
    "rust",
    _SOURCE,
    [
        ("class", "Sell", 6, 13),
        ("method", "Sell::price", 11, 11),
        ("method", "Sell::name", 12, 12),
        ("class", "Order", 15, 19),
        ("class", "Unit", 21, 21),
        ("class", "State", 22, 22),
        ("class", "Bits", 23, 23),
        ("class", "Orders", 24, 24),
        ("method", "Order::new", 27, 32),
        ("function", "Order::new::helper", 30, 30),
        ("method", "Order::find", 34, 39),
        ("method", "Box::price", 44, 44),
        ("class", "tests", 47, 52),
        ("function", "tests::finds", 50, 51),
        ("function", "order", 54, 56),
        ("function", "native", 58, 58),
    ],
    details={
        "Sell": "trait",
        "Sell::price": "declaration",
        "Sell::name": "method",
        "Order": "struct",
        "State": "enum",
        "Bits": "union",
        "Orders": "type",
        "tests": "module",
        "order": "macro",
        "native": "declaration",
    },
    bases={"Sell": ("Clone", "fmt::Debug")},
    signatures={"Order::find": "pub(crate) async fn find(&self, key: &str) -> Option<&T>"},
    docstrings={"Sell": "What can be sold.", "Order::new": "Makes an empty one."},
    references=[
        ("import", "std::collections", "collections", 2, ""),
        ("import", "std::collections::HashMap", "Map", 2, ""),
        ("import", "std::collections::hash_map::*", "*", 2, ""),
        ("import", "crate::shop::Item", "Item", 3, ""),
        ("import", "crate::shop::Shop", "Shop", 3, ""),
        ("import", "serde", "serde", 4, ""),
        ("call", "to_string", "", 12, "Sell::name"),
        ("call", "Vec::with_capacity", "", 31, "Order::new"),
        ("call", "helper", "", 31, "Order::new"),
        ("call", "self.items.iter", "", 35, "Order::find"),
        ("call", "find", "", 35, "Order::find"),
        ("call", "item.is", "", 35, "Order::find"),
        ("call", "println", "", 36, "Order::find"),
        ("call", "describe", "", 36, "Order::find"),
        ("call", "parse", "", 37, "Order::find"),
        ("call", "unwrap_or_else", "", 37, "Order::find"),
        ("call", "panic", "", 37, "Order::find"),
        ("call", "Some", "", 38, "Order::find"),
        ("call", "self.shop.price", "", 44, "Box::price"),
        ("import", "super::*", "*", 49, "tests"),
        ("call", "assert_eq", "", 51, "tests::finds"),
        ("call", "Order::new", "", 51, "tests::finds"),
        ("call", "name", "", 51, "tests::finds"),
        ("call", "Order::of", "", 55, "order"),
    ],
    zones=[
        ("string", 'raw " text'),
        ("comment", "/// Makes an empty one."),
        ("comment", "//! Orders and what is owed."),
    ],
    no_zones=("describe(found)",),
)
