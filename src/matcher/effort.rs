//! How long a backtracking search may take, judged from the pattern alone.
//!
//! Counts, as a power of two, in how many ways a pattern can be laid over a text of n characters. An upper
//! bound: what is under the limit is quick; what is over it may be quick all the same.

/// Searches with fewer ways than 2 to this are made in place: some hundredths of a second at worst.
const LIMIT_BITS: f64 = 22.0;

/// Groups within groups; the engine takes no more than this.
const DEEPEST: usize = 260;

/// What a pattern may cost.
#[derive(Debug, Clone)]
pub(super) struct Effort {
    pattern: Vec<char>,
    back_reference: bool,
    /// Whether there is anything but one way through it: most patterns need no counting.
    varies: bool,
}

impl Effort {
    pub(super) fn of(pattern: &str) -> Effort {
        let pattern: Vec<char> = pattern.chars().collect();
        let mut reading = Reading::new(&pattern, 16.0);
        let ways = reading.alternatives(0);
        let varies = ways.bits > 0.0 || ways.work > 0.0;
        Effort { back_reference: reading.back_reference, varies, pattern }
    }

    /// Whether a search in a text of that many characters may take long.
    pub(super) fn is_risky(&self, chars: usize) -> bool {
        if self.back_reference || !self.varies {
            return self.back_reference;
        }
        let chars = chars.max(1) as f64;
        let ways = Reading::new(&self.pattern, chars).alternatives(0);
        let starts = (chars + 1.0).log2();
        ways.bits + ways.work + starts > LIMIT_BITS
    }
}

/// Ways of one part of a pattern.
#[derive(Clone, Copy)]
struct Ways {
    bits: f64,
    /// Steps that one way takes beyond its length in the text, as a power of two: `(?:){1000000}`.
    work: f64,
    /// The character it must begin with, where that is plain.
    first: Option<char>,
}

impl Ways {
    const ONE: Ways = Ways { bits: 0.0, work: 0.0, first: None };
}

struct Reading<'a> {
    pattern: &'a [char],
    at: usize,
    /// Length of the text.
    chars: f64,
    back_reference: bool,
}

impl<'a> Reading<'a> {
    fn new(pattern: &'a [char], chars: f64) -> Reading<'a> {
        Reading { pattern, at: 0, chars, back_reference: false }
    }

    fn peek(&self) -> Option<char> {
        self.pattern.get(self.at).copied()
    }

    fn take(&mut self, c: char) -> bool {
        let here = self.peek() == Some(c);
        self.at += usize::from(here);
        here
    }

    /// Branches that begin with different characters exclude each other; others add up.
    fn alternatives(&mut self, depth: usize) -> Ways {
        let mut firsts = Vec::new();
        let mut all = Ways::ONE;
        loop {
            let branch = self.sequence(depth);
            firsts.push(branch.first);
            all.bits = all.bits.max(branch.bits);
            all.work = all.work.max(branch.work);
            if !self.take('|') {
                break;
            }
        }
        if firsts.len() == 1 {
            return Ways { first: firsts[0], ..all };
        }
        let count = firsts.len();
        let exclusive = firsts.iter().all(Option::is_some) && {
            firsts.sort_unstable();
            firsts.dedup();
            firsts.len() == count
        };
        let choice = if exclusive { 0.0 } else { (count as f64).log2() };
        Ways { bits: all.bits + choice, ..all }
    }

    fn sequence(&mut self, depth: usize) -> Ways {
        let mut whole: Option<Ways> = None;
        while self.peek().is_some_and(|c| c != '|' && c != ')') {
            let part = self.repeated(depth);
            match &mut whole {
                None => whole = Some(part),
                Some(whole) => {
                    whole.bits += part.bits;
                    whole.work = whole.work.max(part.work);
                }
            }
        }
        whole.unwrap_or(Ways::ONE)
    }

    fn repeated(&mut self, depth: usize) -> Ways {
        let inner = self.atom(depth);
        let Some((least, most)) = self.quantifier() else { return inner };
        let times = most.min(self.chars.max(least));
        let choice = (times - least + 1.0).log2();
        let nested = if inner.bits > 0.0 && times > 0.0 { inner.bits * times } else { 0.0 };
        let work = inner.work + least.max(1.0).log2();
        Ways { bits: nested + choice, work, first: inner.first.filter(|_| least >= 1.0) }
    }

    fn quantifier(&mut self) -> Option<(f64, f64)> {
        let range = match self.peek()? {
            '*' => (0.0, f64::INFINITY),
            '+' => (1.0, f64::INFINITY),
            '?' => (0.0, 1.0),
            '{' => return self.braces(),
            _ => return None,
        };
        self.at += 1;
        self.take('?');
        Some(range)
    }

    /// `{n}`, `{n,}`, `{n,m}`; any other brace is a plain character.
    fn braces(&mut self) -> Option<(f64, f64)> {
        let start = self.at;
        self.at += 1;
        let least = self.number();
        let most = if self.take(',') { self.number().unwrap_or(f64::INFINITY) } else { least.unwrap_or(0.0) };
        match least {
            Some(least) if self.take('}') => {
                self.take('?');
                Some((least, most.max(least)))
            }
            _ => {
                self.at = start;
                None
            }
        }
    }

    fn number(&mut self) -> Option<f64> {
        let mut number = None;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            number = Some(number.unwrap_or(0.0) * 10.0 + f64::from(digit));
            self.at += 1;
        }
        number
    }

    fn atom(&mut self, depth: usize) -> Ways {
        let Some(c) = self.peek() else { return Ways::ONE };
        self.at += 1;
        match c {
            '(' => {
                if depth >= DEEPEST {
                    self.at = self.pattern.len();
                    return Ways { bits: f64::INFINITY, ..Ways::ONE };
                }
                let consumes = self.group_head();
                let ways = self.alternatives(depth + 1);
                self.take(')');
                Ways { first: ways.first.filter(|_| consumes), ..ways }
            }
            '[' => {
                while let Some(c) = self.peek() {
                    self.at += if c == '\\' { 2 } else { 1 };
                    if c == ']' {
                        break;
                    }
                }
                Ways::ONE
            }
            '\\' => {
                let escaped = self.peek();
                self.at += 1;
                // `\1` may be an octal escape; taking it for a reference errs on the safe side.
                self.back_reference |= matches!(escaped, Some('1'..='9' | 'k'));
                Ways::ONE
            }
            '.' | '^' | '$' => Ways::ONE,
            plain => Ways { first: Some(plain), ..Ways::ONE },
        }
    }

    /// What follows `(`: `?:`, `?=`, `?!`, `?<=`, `?<!`, `?<name>`, `?i-m:`. Tells whether the group consumes text.
    fn group_head(&mut self) -> bool {
        if !self.take('?') {
            return true;
        }
        match self.peek() {
            Some('=' | '!') => {
                self.at += 1;
                false
            }
            Some('<') if matches!(self.pattern.get(self.at + 1), Some('=' | '!')) => {
                self.at += 2;
                false
            }
            Some('<') => {
                while self.peek().is_some_and(|c| c != '>') {
                    self.at += 1;
                }
                self.take('>')
            }
            _ => {
                while self.peek().is_some_and(|c| c != ':' && c != ')') {
                    self.at += 1;
                }
                self.take(':')
            }
        }
    }
}
