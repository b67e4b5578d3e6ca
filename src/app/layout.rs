//! Where everything stands on a screen of a given size: computed here, so that scrolling and the mouse agree with
//! the drawing.

use super::{Focus, Zoom};

/// A rectangle of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Area {
    /// First column.
    pub x: u16,
    /// First row.
    pub y: u16,
    /// Columns.
    pub width: u16,
    /// Rows.
    pub height: u16,
}

impl Area {
    /// A rectangle.
    pub fn new(x: u16, y: u16, width: u16, height: u16) -> Area {
        Area { x, y, width, height }
    }

    /// Whether nothing fits in.
    pub fn is_empty(self) -> bool {
        self.width == 0 || self.height == 0
    }

    /// Whether a cell is in it.
    pub fn holds(self, x: u16, y: u16) -> bool {
        x >= self.x && y >= self.y && x - self.x < self.width && y - self.y < self.height
    }

    /// Its first row, and the rest.
    pub fn split_top(self, rows: u16) -> (Area, Area) {
        let rows = rows.min(self.height);
        (Area { height: rows, ..self }, Area { y: self.y + rows, height: self.height - rows, ..self })
    }

    /// All but its last rows, and those.
    pub fn split_bottom(self, rows: u16) -> (Area, Area) {
        let rows = rows.min(self.height);
        self.split_top(self.height - rows)
    }
}

/// How a screen is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Too small for anything.
    TooSmall,
    /// Timeline above, one pane below.
    Stacked,
    /// Timeline left, all panes right.
    Beside,
}

/// How high the panes beneath the timeline are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    /// The timeline has this share, in percent: the person said so.
    Timeline(u16),
    /// The panes have as many rows as they fill, within bounds.
    Panes(u16),
}

/// One pane: its title line and what is beneath.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pane {
    /// The line that names it.
    pub title: Area,
    /// The rest.
    pub body: Area,
}

/// Where everything stands. Empty areas are not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Regions {
    /// How the screen is divided.
    pub shape: Shape,
    /// The whole screen.
    pub whole: Area,
    /// Session and filter.
    pub header: Area,
    /// What a demo shows.
    pub intro: Area,
    /// Title line of the timeline.
    pub timeline_title: Area,
    /// Names of the columns.
    pub columns: Area,
    /// Rows of the timeline.
    pub timeline: Area,
    /// Where denials, blocks and failures are.
    pub strip: Area,
    /// The line between timeline and panes.
    pub divider: Area,
    /// Event, hooks, decision. Those not shown are empty.
    pub event: Pane,
    /// As `event`.
    pub hooks: Pane,
    /// As `event`.
    pub decision: Pane,
    /// Names of the panes, where only one is shown.
    pub tabs: Area,
    /// Warnings, and in the stacked shape the verdict.
    pub status: Area,
    /// What keys do now.
    pub bottom: Area,
}

/// Narrower than this, panes stand beneath the timeline.
pub const BESIDE_FROM: u16 = 100;
/// Panes beneath the timeline have at least this many rows, if they may.
const FEWEST: u16 = 4;
/// They have at most this share of the height, in percent, unless the person wants more.
const MOST: u16 = 60;
/// Smaller than this nothing is drawn.
pub const SMALLEST: (u16, u16) = (20, 5);

impl Regions {
    /// Divides a screen. `dividers` are the share of the timeline in percent where panes stand beside it, and how
    /// high they are beneath; `pane` the pane that is shown where only one can be; `intro` the rows that a demo's
    /// words take.
    pub fn new(size: (u16, u16), focus: Focus, pane: Focus, zoom: Zoom, dividers: (u16, Share), intro: u16) -> Regions {
        let whole = Area::new(0, 0, size.0, size.1);
        let mut regions = Regions {
            shape: Shape::TooSmall,
            whole,
            header: Area::default(),
            intro: Area::default(),
            timeline_title: Area::default(),
            columns: Area::default(),
            timeline: Area::default(),
            strip: Area::default(),
            divider: Area::default(),
            event: Pane::default(),
            hooks: Pane::default(),
            decision: Pane::default(),
            tabs: Area::default(),
            status: Area::default(),
            bottom: Area::default(),
        };
        if size.0 < SMALLEST.0 || size.1 < SMALLEST.1 {
            return regions;
        }
        let (header, rest) = whole.split_top(1);
        let (intro, rest) = rest.split_top(intro);
        regions.intro = intro;
        let (rest, bottom) = rest.split_bottom(1);
        let (body, status) = if rest.height >= 4 { rest.split_bottom(1) } else { (rest, Area::default()) };
        (regions.header, regions.bottom, regions.status) = (header, bottom, status);
        regions.shape = if size.0 >= BESIDE_FROM && body.height >= 10 { Shape::Beside } else { Shape::Stacked };
        match (zoom, regions.shape) {
            (Zoom::Pane, _) => regions.only(if focus == Focus::Timeline { pane } else { focus }, body),
            (Zoom::Split, Shape::Beside) => regions.beside(body, dividers.0),
            (Zoom::Split, _) => regions.stacked(body, pane, dividers.1),
        }
        regions
    }

    fn pane_mut(&mut self, pane: Focus) -> &mut Pane {
        match pane {
            Focus::Event => &mut self.event,
            Focus::Decision => &mut self.decision,
            Focus::Hooks | Focus::Timeline => &mut self.hooks,
        }
    }

    /// Where a pane is.
    pub fn pane(&self, pane: Focus) -> Pane {
        match pane {
            Focus::Event => self.event,
            Focus::Hooks => self.hooks,
            Focus::Decision => self.decision,
            Focus::Timeline => Pane { title: self.timeline_title, body: self.timeline },
        }
    }

    fn only(&mut self, pane: Focus, body: Area) {
        let (tabs, body) = body.split_top(1);
        self.tabs = tabs;
        *self.pane_mut(pane) = Pane { title: Area::default(), body: aired(body) };
    }

    fn stacked(&mut self, body: Area, pane: Focus, share: Share) {
        let (strip, body) = if body.height >= 12 { body.split_top(1) } else { (Area::default(), body) };
        self.strip = strip;
        if body.height < 5 {
            self.timeline = body;
            return;
        }
        let percent = |part: u16| {
            let rows = (u32::from(body.height) * u32::from(part) + 50) / 100;
            u16::try_from(rows).unwrap_or(body.height)
        };
        let rows = match share {
            Share::Timeline(part) => percent(part),
            // One row more for the tabs.
            Share::Panes(rows) => body.height - rows.max(FEWEST).saturating_add(1).min(percent(MOST)),
        };
        let rows = rows.clamp(2, body.height - 2);
        let (timeline, rest) = body.split_top(rows);
        self.timeline = timeline;
        let (tabs, rest) = rest.split_top(1);
        self.tabs = tabs;
        *self.pane_mut(pane) = Pane { title: Area::default(), body: aired(rest) };
    }

    fn beside(&mut self, body: Area, divider: u16) {
        let share = u32::from(body.width) * u32::from(divider) / 100;
        let left = u16::try_from(share).unwrap_or(body.width).clamp(40, body.width.saturating_sub(40).max(40));
        let timeline = Area { width: left, ..body };
        self.divider = Area { x: left, width: 1, ..body };
        let right = Area { x: left + 1, width: body.width.saturating_sub(left + 1), ..body };
        let (title, rest) = timeline.split_top(1);
        let (columns, rest) = rest.split_top(1);
        let (rows, strip) = rest.split_bottom(1);
        (self.timeline_title, self.columns, self.timeline, self.strip) = (title, columns, rows, strip);
        let decision = (right.height * 3 / 10).max(3);
        let hooks = (right.height * 4 / 10).max(3);
        let (rest, area) = right.split_bottom(decision);
        self.decision = titled(area);
        let (area, hooks) = rest.split_bottom(hooks);
        self.hooks = titled(hooks);
        self.event = titled(area);
    }
}

fn titled(area: Area) -> Pane {
    let (title, body) = area.split_top(1);
    Pane { title, body: aired(body) }
}

/// A blank column at the left, where there is room for one.
fn aired(area: Area) -> Area {
    if area.width >= 50 { Area { x: area.x + 1, width: area.width - 1, ..area } } else { area }
}
