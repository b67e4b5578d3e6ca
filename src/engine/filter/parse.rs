//! Text into an expression, with the column of what can't be read.

use super::field::Kind;
use super::{Expr, Field, FilterError, Moment, Op, Operand, Term};

/// How deep brackets and `not` may be nested: more is a mistake, or an attack on the stack.
const DEEPEST: usize = 64;

pub(super) fn parse(text: &str) -> Result<Expr, FilterError> {
    let chars: Vec<char> = text.chars().collect();
    let mut reader = Reader { chars: &chars, at: 0, depth: 0 };
    reader.blanks();
    if reader.at == chars.len() {
        return Ok(Expr::All);
    }
    let expr = reader.or()?;
    match reader.peek() {
        None => Ok(expr),
        Some(_) => Err(reader.fault("a `)` without its `(`", None)),
    }
}

struct Reader<'a> {
    chars: &'a [char],
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn fault(&self, message: impl Into<String>, help: Option<String>) -> FilterError {
        self.fault_at(self.at, message, help)
    }

    fn fault_at(&self, at: usize, message: impl Into<String>, help: Option<String>) -> FilterError {
        FilterError { message: message.into(), column: at + 1, help }
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    /// The word here, if it is one of the operators: a word by itself, not a field.
    fn operator(&self, word: &str) -> bool {
        let len = word.chars().count();
        let here = self.chars.get(self.at..self.at + len);
        let same = here.is_some_and(|here| here.iter().collect::<String>().eq_ignore_ascii_case(word));
        same && self.chars.get(self.at + len).is_none_or(|c| c.is_whitespace() || matches!(c, '(' | ')'))
    }

    fn skip(&mut self, chars: usize) {
        self.at += chars;
        self.blanks();
    }

    fn or(&mut self) -> Result<Expr, FilterError> {
        let mut parts = vec![self.and()?];
        while self.operator("or") {
            self.skip(2);
            parts.push(self.and()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expr::Or(parts) })
    }

    fn and(&mut self) -> Result<Expr, FilterError> {
        let mut parts = vec![self.not()?];
        loop {
            if self.operator("and") {
                self.skip(3);
            } else if self.peek().is_none() || self.peek() == Some(')') || self.operator("or") {
                break;
            }
            parts.push(self.not()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expr::And(parts) })
    }

    fn not(&mut self) -> Result<Expr, FilterError> {
        if self.depth == DEEPEST {
            return Err(self.fault("nested too deep", None));
        }
        self.depth += 1;
        let expr = self.unnested()?;
        self.depth -= 1;
        Ok(expr)
    }

    fn unnested(&mut self) -> Result<Expr, FilterError> {
        if self.operator("not") {
            self.skip(3);
            return Ok(Expr::Not(Box::new(self.not()?)));
        }
        if self.peek() == Some('(') {
            let open = self.at;
            self.skip(1);
            let expr = self.or()?;
            if self.peek() != Some(')') {
                return Err(self.fault_at(open, "a `(` without its `)`", None));
            }
            self.skip(1);
            return Ok(expr);
        }
        if self.peek().is_none() || self.peek() == Some(')') || self.operator("and") || self.operator("or") {
            let help = "write field:value, a word to search for, or a filter in brackets".to_owned();
            return Err(self.fault("something is missing here", Some(help)));
        }
        let term = self.term()?;
        self.blanks();
        Ok(Expr::Term(term))
    }

    fn term(&mut self) -> Result<Term, FilterError> {
        let start = self.at;
        if self.peek() == Some('"') {
            let word = self.quoted()?;
            return Ok(Term { field: Field::Text, op: Op::Is, values: vec![Operand::Word(word)] });
        }
        let name: String =
            self.chars[start..].iter().take_while(|c| c.is_alphanumeric() || "_-".contains(**c)).collect();
        self.at = start + name.chars().count();
        if self.peek() != Some(':') {
            if let Some(field) = Field::named(&name).filter(|field| field.is_flag())
                && self.peek().is_none_or(|c| c.is_whitespace() || c == ')')
            {
                return Ok(Term { field, op: Op::Is, values: vec![Operand::Word("yes".to_owned())] });
            }
            self.at = start;
            let word = self.word();
            if word.is_empty() {
                return Err(self.fault("this can't be read", None));
            }
            return Ok(Term { field: Field::Text, op: Op::Is, values: vec![Operand::Word(word)] });
        }
        let Some(field) = Field::named(&name) else {
            let near = nearest(&name, Field::all().map(Field::word));
            let help = near.map_or_else(
                || format!("fields are {}", Field::all().map(Field::word).collect::<Vec<_>>().join(", ")),
                |near| format!("did you mean {near}: ?"),
            );
            return Err(self.fault_at(start, format!("there is no field {name:?}"), Some(help)));
        };
        self.at += 1;
        self.condition(field)
    }

    fn condition(&mut self, field: Field) -> Result<Term, FilterError> {
        let op_at = self.at;
        let op = match (self.peek(), self.chars.get(self.at + 1)) {
            (Some('>'), Some('=')) => Op::GreaterEqual,
            (Some('<'), Some('=')) => Op::LessEqual,
            (Some('>'), _) => Op::Greater,
            (Some('<'), _) => Op::Less,
            _ => Op::Is,
        };
        self.at += match op {
            Op::GreaterEqual | Op::LessEqual => 2,
            Op::Greater | Op::Less => 1,
            Op::Is => usize::from(self.peek() == Some('=')),
        };
        let kind = field.kind();
        let ordered = matches!(kind, Kind::Number | Kind::Duration | Kind::Moment);
        if op != Op::Is && !ordered {
            return Err(self.fault_at(
                op_at,
                format!("{} has no order: > and < mean nothing here", field.word()),
                None,
            ));
        }
        let at = self.at;
        let (raw, bare) = match self.peek() {
            Some('"') => (self.quoted()?, false),
            _ => (self.word(), true),
        };
        if bare && raw.chars().all(|c| c == ',') {
            let help = match kind {
                Kind::Word(words) => Some(format!("one of {}", words().join(", "))),
                Kind::Number => Some("a number, as in matched:>0".to_owned()),
                Kind::Duration => Some("a duration, as in took:>500ms".to_owned()),
                Kind::Moment => Some("a time, as in time:>10:41".to_owned()),
                _ => None,
            };
            return Err(self.fault_at(at, format!("{}: needs a value", field.word()), help));
        }
        // A list of names is any of them; free text keeps its commas.
        let lists = bare && matches!(kind, Kind::Name | Kind::Word(_));
        let parts: Vec<&str> =
            if lists { raw.split(',').filter(|part| !part.is_empty()).collect() } else { vec![raw.as_str()] };
        let values = parts.into_iter().map(|part| self.operand(field, kind, part, at)).collect::<Result<_, _>>()?;
        Ok(Term { field, op, values })
    }

    fn operand(&self, field: Field, kind: Kind, raw: &str, at: usize) -> Result<Operand, FilterError> {
        let fault = |message: String, help: Option<String>| self.fault_at(at, message, help);
        match kind {
            Kind::Name | Kind::Text => Ok(Operand::Word(raw.to_owned())),
            Kind::Flag => match raw {
                "yes" | "true" => Ok(Operand::Word("yes".to_owned())),
                "no" | "false" => Ok(Operand::Word("no".to_owned())),
                _ => Err(fault(format!("{} is yes or no, not {raw:?}", field.word()), None)),
            },
            Kind::Word(words) => {
                let words = words();
                let low = raw.to_lowercase();
                if words.contains(&low.as_str()) {
                    return Ok(Operand::Word(low));
                }
                let help = nearest(raw, words.iter().copied())
                    .map_or_else(|| format!("one of {}", words.join(", ")), |near| format!("did you mean {near}?"));
                Err(fault(format!("{} is never {raw:?}", field.word()), Some(help)))
            }
            Kind::Number => raw
                .parse::<f64>()
                .ok()
                .filter(|number| number.is_finite())
                .map(Operand::Number)
                .ok_or_else(|| fault(format!("{raw:?} is no number"), Some("as in matched:>0".to_owned()))),
            Kind::Duration => duration(raw)
                .map(Operand::Number)
                .ok_or_else(|| fault(format!("{raw:?} is no duration"), Some("as in 500ms, 2s or 1m".to_owned()))),
            Kind::Moment => moment(raw).map(Operand::Moment).ok_or_else(|| {
                let help = "as in 10:41, 10:41:05, 2026-11-30 or 2026-11-30T10:41:05Z".to_owned();
                fault(format!("{raw:?} is no time"), Some(help))
            }),
        }
    }

    /// Up to white space or a bracket.
    fn word(&mut self) -> String {
        let start = self.at;
        while self.peek().is_some_and(|c| !c.is_whitespace() && !matches!(c, '(' | ')')) {
            self.at += 1;
        }
        self.chars[start..self.at].iter().collect()
    }

    fn quoted(&mut self) -> Result<String, FilterError> {
        let open = self.at;
        self.at += 1;
        let mut word = String::new();
        while let Some(c) = self.peek() {
            self.at += 1;
            match c {
                '"' => return Ok(word),
                '\\' if matches!(self.peek(), Some('"' | '\\')) => {
                    word.extend(self.peek());
                    self.at += 1;
                }
                c => word.push(c),
            }
        }
        Err(self.fault_at(open, "a quote that is not closed", None))
    }
}

/// The closest of some words, if it is close enough to have been meant.
pub(super) fn nearest<'a>(word: &str, among: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let low = word.to_lowercase();
    let measured = among.map(|other| (strsim::damerau_levenshtein(&low, &other.to_lowercase()), other));
    let (distance, nearest) = measured.min_by_key(|(distance, _)| *distance)?;
    (distance <= 1 + low.chars().count() / 4).then_some(nearest)
}

fn duration(raw: &str) -> Option<f64> {
    let split = raw.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(raw.len());
    let number: f64 = raw[..split].parse().ok()?;
    let unit = match &raw[split..] {
        "" | "ms" => 1.0,
        "s" => 1_000.0,
        "m" | "min" => 60_000.0,
        "h" => 3_600_000.0,
        _ => return None,
    };
    Some(number * unit)
}

const SECOND: i64 = 1_000;
const DAY: i64 = 86_400 * SECOND;

fn moment(raw: &str) -> Option<Moment> {
    if let Ok(exact) = raw.parse::<jiff::Timestamp>() {
        return Some(Moment::Absolute(exact.as_millisecond(), if raw.contains('.') { 1 } else { SECOND }));
    }
    if let Ok(date) = raw.parse::<jiff::civil::Date>() {
        return Some(Moment::Absolute(midnight(date)?, DAY));
    }
    if let Some((date, clock)) = raw.split_once(['T', 't']) {
        let day = midnight(date.parse().ok()?)?;
        let (of_day, length) = clock_time(clock.trim_end_matches(['Z', 'z']))?;
        return Some(Moment::Absolute(day + of_day, length));
    }
    clock_time(raw).map(|(of_day, length)| Moment::OfDay(of_day, length))
}

/// The start of a day in UTC.
fn midnight(date: jiff::civil::Date) -> Option<i64> {
    let start = date.to_datetime(jiff::civil::Time::midnight());
    Some(jiff::tz::Offset::UTC.to_timestamp(start).ok()?.as_millisecond())
}

/// `10:41`, `10:41:05`: milliseconds since midnight, and how long the named stretch is.
fn clock_time(raw: &str) -> Option<(i64, i64)> {
    let parts: Vec<i64> =
        raw.split(':').map(|part| part.parse().ok().filter(|n| (0..60).contains(n))).collect::<Option<_>>()?;
    match *parts.as_slice() {
        [hour, minute] if hour < 24 => Some(((hour * 60 + minute) * 60 * SECOND, 60 * SECOND)),
        [hour, minute, second] if hour < 24 => Some((((hour * 60 + minute) * 60 + second) * SECOND, SECOND)),
        _ => None,
    }
}
