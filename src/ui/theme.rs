//! What meanings look like, with sixteen colours or none. Nothing needs a colour to be understood.

use ratatui::style::{Color, Modifier, Style};

use crate::app::{Colours, Tone};

/// The looks in force.
#[derive(Debug, Clone, Copy)]
pub struct Theme {
    colours: Colours,
}

impl Theme {
    /// For these colours.
    pub fn new(colours: Colours) -> Theme {
        Theme { colours }
    }

    /// How a meaning looks.
    pub fn of(self, tone: Tone) -> Style {
        let plain = Style::new();
        let (colour, modifier) = match tone {
            Tone::Plain => return plain,
            Tone::Dim => (None, Modifier::DIM),
            Tone::Strong | Tone::Title => (None, Modifier::BOLD),
            Tone::Stop => (Some(Color::Red), Modifier::BOLD),
            Tone::Warn => (Some(Color::Yellow), Modifier::empty()),
            Tone::Good => (Some(Color::Green), Modifier::empty()),
            Tone::Key => (Some(Color::Cyan), Modifier::BOLD),
            Tone::Link => (Some(Color::Cyan), Modifier::UNDERLINED),
        };
        let style = plain.add_modifier(modifier);
        match (self.colours, colour) {
            (Colours::Colour, Some(colour)) => style.fg(colour),
            _ => style,
        }
    }

    /// How the line under the cursor looks where the keys go.
    pub fn selected(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    /// How it looks elsewhere.
    pub fn marked(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// How a hit of the search looks.
    pub fn hit(self) -> Style {
        Style::new().add_modifier(Modifier::UNDERLINED | Modifier::BOLD)
    }
}
