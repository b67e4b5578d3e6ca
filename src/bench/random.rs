//! Made-up numbers, ids and text, the same for the same seed.

use std::fmt;
use std::ops::RangeInclusive;

/// Marsaglia's xorshift64*: small, fast, and the same everywhere.
#[derive(Debug, Clone)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        // Zero would stay zero; neighbouring seeds shall not give neighbouring sequences.
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d);
        if random.0 == 0 {
            random.0 = 1;
        }
        random.next();
        random
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number of the range, both ends included.
    pub(super) fn within(&mut self, range: RangeInclusive<u64>) -> u64 {
        range.start() + self.next() % (range.end() - range.start() + 1)
    }

    /// True so many times in a hundred.
    pub(super) fn percent(&mut self, percent: u64) -> bool {
        self.next() % 100 < percent
    }

    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> Option<T> {
        let at = self.next() % (from.len().max(1) as u64);
        from.get(usize::try_from(at).ok()?).copied()
    }

    pub(super) fn uuid(&mut self) -> Uuid {
        Uuid((u128::from(self.next()) << 64) | u128::from(self.next()))
    }
}

/// A random id in the usual notation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Uuid(u128);

impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        let mut text = [b'-'; 36];
        let mut at = 0;
        for digit in 0..32 {
            if matches!(at, 8 | 13 | 18 | 23) {
                at += 1;
            }
            text[at] = HEX[(self.0 >> (124 - 4 * digit)) as usize & 15];
            at += 1;
        }
        // Version 4, variant 1.
        text[14] = b'4';
        text[19] = HEX[8 + (self.0 as usize & 3)];
        f.write_str(std::str::from_utf8(&text).unwrap_or_default())
    }
}

/// Text as tools print it, JSON-escaped, of which pieces of any length are taken.
#[derive(Debug)]
pub(super) struct Texts {
    pool: String,
    /// Places at which the text may be cut: the starts of its lines.
    starts: Vec<usize>,
}

const POOL: usize = 512 << 10;
const WORDS: &[&str] = &[
    "order",
    "invoice",
    "customer",
    "basket",
    "price",
    "total",
    "discount",
    "stock",
    "parcel",
    "address",
    "refund",
    "receipt",
    "currency",
    "shelf",
    "supplier",
    "warehouse",
    "label",
    "courier",
    "voucher",
    "tax",
];

impl Texts {
    pub(super) fn new(random: &mut Random) -> Texts {
        let mut texts = Texts { pool: String::with_capacity(POOL + 256), starts: Vec::new() };
        while texts.pool.len() < POOL {
            texts.starts.push(texts.pool.len());
            let mut word = || random.pick(WORDS).unwrap_or_default();
            let (a, b, c) = (word(), word(), word());
            let number = random.within(1..=9999);
            let line = match random.within(0..=9) {
                0 => format!("fn {a}_{b}({c}: &{c}::Record) -> Result<u64, {b}::Error> {{\\n"),
                1 => format!("\\tif {a}.{b} > {number} {{ return \\\"{c}\\\"; }}\\n"),
                2 => format!("    let {a} = {b}.get(\\\"{c}\\\").map(|it| it * {number})?; // {c} per {b}\\n"),
                3 => format!("src/{a}/{b}_{c}.rs:{number}:17: warning: unused variable: `{c}`\\n"),
                4 => format!("2026-11-30 18:04:14 INFO {a}.{b} handled {number} rows in {c}\\n"),
                5 => format!("test {a}::{b}::{c}_{number} ... \\u001b[32mok\\u001b[0m\\n"),
                6 => format!("C:\\\\{a}\\\\{b}\\\\{c}{number}.csv\\t{number}\\t{b}\\n"),
                7 => format!("- 「{a}」の{b}を確認しました ({c} {number}) ✓\\n"),
                8 => format!("{{\\\"{a}\\\": {number}, \\\"{b}\\\": [\\\"{c}\\\"]}}\\n"),
                _ => "\\n".to_owned(),
            };
            texts.pool.push_str(&line);
        }
        texts
    }

    /// Whole lines, `len` bytes or a few more, at most half the pool.
    pub(super) fn take(&self, random: &mut Random, len: u64) -> &str {
        let len = usize::try_from(len).unwrap_or(POOL).min(POOL / 2);
        let last = self.starts.partition_point(|start| start + len < self.pool.len());
        let start = random.pick(&self.starts[..last]).unwrap_or_default();
        let end = self.starts.get(self.starts.partition_point(|end| *end < start + len));
        &self.pool[start..end.copied().unwrap_or(self.pool.len())]
    }
}
