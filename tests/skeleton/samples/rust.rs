use std::fmt;

pub const LIMIT: usize = 10;

#[derive(Debug)]
pub struct Basket<'a> { items: Vec<&'a str> }

/// Things that run.
pub trait Runner {
    fn run(&self) -> u32;
    fn twice(&self) -> u32 { self.run() * 2 + other() }
}

impl<'a> Runner for Basket<'a> {
    #[inline]
    fn run(&self) -> u32 {
        fn helper(x: u32) -> u32 { x + compute(x) }
        struct Local { a: u32 }
        helper(1)
    }
}

macro_rules! square {
    ($x:expr) => {{
        let y = $x;
        y * y
    }};
}

static TABLE: Lazy<u32> = Lazy::new(|| { compute_table() });
async fn wait<T: Send>(x: T) -> Result<T, Error> where T: Clone { other(x).await }
