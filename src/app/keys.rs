//! The key map: one table a mode, from which keys are read and help, bottom line, palette and README are made.
//!
//! Keys are written as `j`, `<down>`, `<c-p>` (Ctrl), `<a-left>` (Alt), `<s-tab>` (Shift).

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{Action, Amount, MouseUse, Way};
use crate::text::Charset;

/// What keys mean depends on this.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// The timeline has the focus.
    Timeline,
    /// The event pane has it.
    Event,
    /// The hooks pane has it.
    Hooks,
    /// The decision pane has it.
    Decision,
    /// A text to read lies on top: help, a rule.
    Reader,
    /// The list of bookmarks.
    Bookmarks,
    /// A text field: find, filter, a note.
    Ask,
    /// The palette.
    Palette,
    /// The matcher lab.
    Lab,
    /// The picker.
    Picker,
    /// The hooks of the session.
    HookTable,
    /// The stop loops.
    Loops,
}

impl Mode {
    /// Every mode, in the order in which help lists them.
    pub const ALL: [Mode; 12] = [
        Mode::Timeline,
        Mode::Event,
        Mode::Hooks,
        Mode::Decision,
        Mode::Reader,
        Mode::Bookmarks,
        Mode::Ask,
        Mode::Palette,
        Mode::Lab,
        Mode::Picker,
        Mode::HookTable,
        Mode::Loops,
    ];

    /// For people.
    pub fn title(self) -> &'static str {
        match self {
            Mode::Timeline => "Timeline",
            Mode::Event => "Event",
            Mode::Hooks => "Hooks",
            Mode::Decision => "Decision",
            Mode::Reader => "A text to read",
            Mode::Bookmarks => "Bookmarks",
            Mode::Ask => "A text field",
            Mode::Palette => "Palette",
            Mode::Lab => "Matcher lab",
            Mode::Picker => "Picker",
            Mode::HookTable => "Hooks of the session",
            Mode::Loops => "Stop loops",
        }
    }

    /// Whether letters are text there.
    pub fn takes_text(self) -> bool {
        matches!(self, Mode::Ask | Mode::Palette | Mode::Lab)
    }

    /// Whether its text field takes the place of the bottom line.
    pub fn types_below(self) -> bool {
        matches!(self, Mode::Ask | Mode::Palette)
    }

    fn sections(self) -> &'static [&'static [Binding]] {
        match self {
            Mode::Timeline => &[MOVE, TIMELINE, DEBUGGER, ALWAYS],
            Mode::Event => &[MOVE, EVENT, DEBUGGER, ALWAYS],
            Mode::Hooks => &[MOVE, HOOKS, DEBUGGER, ALWAYS],
            Mode::Decision => &[MOVE, DECISION, DEBUGGER, ALWAYS],
            Mode::Reader => &[MOVE, READER, ALWAYS],
            Mode::Bookmarks => &[MOVE, BOOKMARKS, ALWAYS],
            Mode::Ask => &[ASK, FIELD],
            Mode::Palette => &[PALETTE, FIELD],
            Mode::Lab => &[LAB, FIELD],
            Mode::Picker => &[PICKER, MOVE, ALWAYS],
            Mode::HookTable => &[HOOK_TABLE, MOVE, ALWAYS],
            Mode::Loops => &[LOOPS, MOVE, ALWAYS],
        }
    }
}

/// What some keys do.
#[derive(Debug)]
pub struct Binding {
    /// Any of these.
    pub keys: &'static [&'static str],
    /// What they mean.
    pub action: Action,
    /// A word for the bottom line; empty where it has no place there. Bindings with the same word share one.
    pub label: &'static str,
    /// One sentence for help and palette.
    pub help: &'static str,
}

const fn bind(keys: &'static [&'static str], action: Action, label: &'static str, help: &'static str) -> Binding {
    Binding { keys, action, label, help }
}

use Action as A;
use Amount::{End, HalfPage, Line, Page};
use Way::{Back, Forward};

const MOVE: &[Binding] = &[
    bind(&["j", "<down>"], A::Move(Forward, Line), "move", "Move down (10j: ten lines)"),
    bind(&["k", "<up>"], A::Move(Back, Line), "move", "Move up"),
    bind(&["<c-d>"], A::Move(Forward, HalfPage), "", "Move down half a page"),
    bind(&["<c-u>"], A::Move(Back, HalfPage), "", "Move up half a page"),
    bind(&["<pagedown>", "<c-f>"], A::Move(Forward, Page), "", "Move down a page"),
    bind(&["<pageup>", "<c-b>"], A::Move(Back, Page), "", "Move up a page"),
    bind(&["g", "<home>"], A::Move(Back, End), "", "To the first line"),
    bind(&["G", "<end>"], A::Move(Forward, End), "", "To the last line (57G: to event 57)"),
];

const TIMELINE: &[Binding] = &[
    bind(&["<enter>"], A::Open, "open", "Open the event: its panes fill the screen"),
    bind(&["<space>"], A::Fold, "", "Fold or unfold the subagent"),
    bind(&["z"], A::FoldAll, "", "Fold or unfold all subagents"),
    bind(&["o"], A::Branch, "", "Branches that a rewind left: one alone, the next one, all again (2o: the second)"),
    bind(&["y"], A::Copy, "", "Copy the event's hook input as JSON"),
];

const EVENT: &[Binding] = &[
    bind(&["<enter>"], A::Open, "zoom", "Give the pane the whole screen, or take it back"),
    bind(&["<space>"], A::Fold, "fold", "Fold or unfold the value"),
    bind(&["z"], A::FoldAll, "", "Fold or unfold everything"),
    bind(&["y"], A::Copy, "copy", "Copy the value"),
    bind(&["p"], A::CopyPath, "path", "Copy the path of the value"),
];

const HOOKS: &[Binding] = &[
    bind(&["<enter>", "<space>"], A::Open, "stages", "Show or hide the handler's five stages and its output"),
    bind(&["z"], A::FoldAll, "", "Show or hide the stages of all handlers"),
    bind(&["y"], A::Copy, "copy", "Copy the line"),
];

const DECISION: &[Binding] = &[
    bind(&["<enter>"], A::Open, "rule", "Open the rule: its text, client version and source"),
    bind(&["e"], A::FilterByDecider, "same hook", "Filter to every event that the deciding hook decided"),
    bind(&["y"], A::Copy, "copy", "Copy the line"),
];

const DEBUGGER: &[Binding] = &[
    bind(&["]"], A::ToMatched(Forward), "matched", "Next event with a matched hook"),
    bind(&["["], A::ToMatched(Back), "matched", "Previous event with a matched hook"),
    bind(&["<tab>"], A::Pane(Forward), "pane", "Next pane"),
    bind(&["<s-tab>"], A::Pane(Back), "", "Previous pane"),
    bind(&["J"], A::StepEvent(Forward), "", "Next event, whatever has the focus"),
    bind(&["K"], A::StepEvent(Back), "", "Previous event, whatever has the focus"),
    bind(&["&"], A::AskFilter, "filter", "Filter the events"),
    bind(&["m"], A::Lab, "lab", "Matcher lab: try a pattern on the names of this session"),
    bind(&["H"], A::HookTable, "hooks", "Hooks of the session: how often each matched, ran, failed, or why never"),
    bind(&["L"], A::Loops, "loops", "Stop loops of the session: what kept the agent going"),
    bind(&["/"], A::Find, "find", "Find a text: in the events, or in the focused pane"),
    bind(&["n"], A::FindAgain(Forward), "", "Next hit"),
    bind(&["N"], A::FindAgain(Back), "", "Previous hit"),
    bind(&["}"], A::ToDecided(Forward), "decided", "Next event with a decision, a failure or a lost refusal"),
    bind(&["{"], A::ToDecided(Back), "decided", "Previous event with a decision, a failure or a lost refusal"),
    bind(&["t"], A::Conversation, "talk", "Conversation lines on or off"),
    bind(&["B"], A::Bookmark, "", "Bookmark the event, with a note"),
    bind(&["'"], A::Bookmarks, "", "List of bookmarks"),
    bind(&["q"], A::Back, "quit", "Quit; first back from a zoomed pane"),
    bind(&["<c-o>", "<a-left>"], A::Jump(Back), "", "Back to where you were before the last leap"),
    bind(&["<a-right>", "<c-i>"], A::Jump(Forward), "", "Forth again (Ctrl-I where the terminal tells it from Tab)"),
];

const READER: &[Binding] = &[
    bind(&["q"], A::Back, "close", "Close what lies on top"),
    bind(&["/"], A::Find, "find", "Find a text"),
    bind(&["n"], A::FindAgain(Forward), "", "Next hit"),
    bind(&["N"], A::FindAgain(Back), "", "Previous hit"),
    bind(&["y"], A::Copy, "copy", "Copy the line"),
];

const BOOKMARKS: &[Binding] = &[
    bind(&["q"], A::Back, "close", "Close the list"),
    bind(&["<enter>"], A::Open, "go", "Go to the bookmarked event"),
    bind(&["d", "<del>"], A::Fold, "remove", "Remove the bookmark"),
];

const ALWAYS: &[Binding] = &[
    bind(&["?", "<f1>"], A::Help, "help", "Help for the screen at hand"),
    bind(&[":", "<c-p>"], A::Palette, "all", "Everything that can be done; :57 and :@10:41 go to an event"),
    bind(&["<esc>"], A::Clear, "", "Clear one level: a count, what lies on top, a zoom, the filter, the find"),
    bind(&["<c-c>"], A::Quit, "", "Quit"),
    bind(&["<c-z>"], A::Suspend, "", "Suspend; fg in the shell comes back"),
    bind(&[], A::Mouse(MouseUse::Off), "", "mouse off: leave the mouse to the terminal's own selection"),
    bind(&[], A::Mouse(MouseUse::On), "", "mouse on: click, wheel and drag here"),
];

const FIELD: &[Binding] = &[
    bind(&["<esc>"], A::Clear, "back", "Leave the field"),
    bind(&["<up>"], A::Choose(Back), "", "Previous in the list"),
    bind(&["<down>"], A::Choose(Forward), "choose", "Next in the list"),
    bind(&["<f1>"], A::Help, "help", "Help for the screen at hand"),
    bind(&["<c-c>"], A::Quit, "", "Quit"),
    bind(&["<c-z>"], A::Suspend, "", "Suspend; fg in the shell comes back"),
];

const ASK: &[Binding] = &[
    bind(&["<enter>"], A::Accept, "take", "Take what was typed"),
    bind(&["<tab>"], A::Complete, "complete", "Complete the word"),
    bind(&["<c-p>"], A::Palette, "", "Everything that can be done"),
];

const PICKER: &[Binding] = &[
    bind(&["<enter>"], A::Open, "open", "Open the chosen demo or session"),
    bind(&["/"], A::Find, "filter", "Filter the sessions by project, title or id"),
    bind(&["1"], A::Question(0), "", "Open the demo of the first question"),
    bind(&["2"], A::Question(1), "", "Open the demo of the second question"),
    bind(&["3"], A::Question(2), "", "Open the demo of the third question"),
    bind(&["l", "<right>"], A::Sideways(Forward), "", "Next of the further demos"),
    bind(&["h", "<left>"], A::Sideways(Back), "", "Previous of the further demos"),
    bind(&["r"], A::Rescan, "rescan", "Look for sessions again"),
    bind(&["q"], A::Back, "quit", "Quit"),
];

const HOOK_TABLE: &[Binding] = &[
    bind(&["<enter>"], A::Open, "filter", "Filter the timeline to the events of this hook, tool or event"),
    bind(&["t"], A::TurnView, "grid", "Grid of tools and hooks, of events and hooks, and back to the list"),
    bind(&["s"], A::TurnSort, "sort", "Another order of the list"),
    bind(&["m"], A::Lab, "matcher", "Matcher lab with the matcher of this hook"),
    bind(&["y"], A::Copy, "copy", "Copy file and line of the hook"),
    bind(&["l", "<right>"], A::Sideways(Forward), "", "Further hooks of the grid"),
    bind(&["h", "<left>"], A::Sideways(Back), "", "Back to the first hooks of the grid"),
    bind(&["q", "H"], A::Back, "close", "Back to the debugger"),
];

const LOOPS: &[Binding] = &[
    bind(&["<enter>"], A::Open, "go", "Go to the event of this round"),
    bind(&["<tab>", "]"], A::Pane(Forward), "loop", "Next loop"),
    bind(&["<s-tab>", "["], A::Pane(Back), "", "Previous loop"),
    bind(&["y"], A::Copy, "copy", "Copy the reason of this round"),
    bind(&["q", "L"], A::Back, "close", "Back to the debugger"),
];

const LAB: &[Binding] = &[
    bind(&["<enter>"], A::Accept, "copy", "Copy the matcher as a JSON text, for a settings file"),
    bind(&["<tab>"], A::Pane(Forward), "event", "Hold the pattern against the names of the next event"),
    bind(&["<s-tab>"], A::Pane(Back), "", "Hold the pattern against the names of the event before"),
    bind(&["<c-k>"], A::Keep, "keep", "Keep the chosen name as must match, then as must not match, then no more"),
    bind(&["<c-g>"], A::Open, "", "Go to the next event with the chosen name"),
    bind(&["<pagedown>"], A::Move(Forward, Page), "", "Down a page in the list of names"),
    bind(&["<pageup>"], A::Move(Back, Page), "", "Up a page in the list of names"),
    bind(&["<c-p>"], A::Palette, "", "Everything that can be done"),
];

const PALETTE: &[Binding] =
    &[bind(&["<enter>"], A::Accept, "do it", "Do what is chosen"), bind(&["<c-p>"], A::Clear, "", "Close the palette")];

/// What keys do in a mode.
pub fn bindings(mode: Mode) -> impl Iterator<Item = &'static Binding> {
    mode.sections().iter().copied().flatten()
}

/// Those of them that the mode has beside what is the same in others.
pub fn own_bindings(mode: Mode) -> &'static [Binding] {
    let moves = |section: &&&[Binding]| matches!(section.first().map(|first| &first.action), Some(A::Move(..)));
    mode.sections().iter().find(|section| !moves(section)).copied().unwrap_or_default()
}

/// What a key does in a mode.
pub fn lookup(mode: Mode, key: &KeyEvent) -> Option<&'static Binding> {
    let name = key_name_of(key)?;
    bindings(mode).find(|binding| binding.keys.contains(&name.as_str()))
}

/// The key for an action in a mode.
pub fn key_for(mode: Mode, action: &Action) -> Option<&'static str> {
    bindings(mode).find(|binding| binding.action == *action).and_then(|binding| binding.keys.first().copied())
}

/// A key as the tables write it; none for keys that no table can name.
pub fn key_name_of(key: &KeyEvent) -> Option<String> {
    let modifiers = key.modifiers;
    let plain = match key.code {
        KeyCode::Char(' ') => "space".to_owned(),
        KeyCode::Char(c) if modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => {
            c.to_lowercase().to_string()
        }
        KeyCode::Char(c) => return Some(c.to_string()),
        KeyCode::Tab => "tab".to_owned(),
        KeyCode::BackTab => return Some("<s-tab>".to_owned()),
        KeyCode::Enter => "enter".to_owned(),
        KeyCode::Esc => "esc".to_owned(),
        KeyCode::Up => "up".to_owned(),
        KeyCode::Down => "down".to_owned(),
        KeyCode::Left => "left".to_owned(),
        KeyCode::Right => "right".to_owned(),
        KeyCode::PageUp => "pageup".to_owned(),
        KeyCode::PageDown => "pagedown".to_owned(),
        KeyCode::Home => "home".to_owned(),
        KeyCode::End => "end".to_owned(),
        KeyCode::Backspace => "backspace".to_owned(),
        KeyCode::Delete => "del".to_owned(),
        KeyCode::F(number) => format!("f{number}"),
        _ => return None,
    };
    let prefix = if modifiers.contains(KeyModifiers::CONTROL) {
        "c-"
    } else if modifiers.contains(KeyModifiers::ALT) {
        "a-"
    } else {
        ""
    };
    Some(format!("<{prefix}{plain}>"))
}

/// Keys typed one after the other, in the notation of the tables.
pub fn typed(text: &str) -> Vec<KeyEvent> {
    let mut keys = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let named = rest
            .strip_prefix('<')
            .and_then(|inner| inner.split_once('>'))
            .and_then(|(name, after)| named_key(name).map(|key| (key, after)));
        let (key, after) =
            named.unwrap_or_else(|| (KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE), &rest[c.len_utf8()..]));
        keys.push(key);
        rest = after;
    }
    keys
}

fn named_key(name: &str) -> Option<KeyEvent> {
    let (modifiers, plain) = match name.split_once('-') {
        Some(("c", plain)) => (KeyModifiers::CONTROL, plain),
        Some(("a", plain)) => (KeyModifiers::ALT, plain),
        Some(("s", "tab")) => return Some(KeyEvent::new(KeyCode::BackTab, KeyModifiers::SHIFT)),
        _ => (KeyModifiers::NONE, name),
    };
    let code = match plain {
        "space" => KeyCode::Char(' '),
        "tab" => KeyCode::Tab,
        "enter" => KeyCode::Enter,
        "esc" => KeyCode::Esc,
        "up" => KeyCode::Up,
        "down" => KeyCode::Down,
        "left" => KeyCode::Left,
        "right" => KeyCode::Right,
        "pageup" => KeyCode::PageUp,
        "pagedown" => KeyCode::PageDown,
        "home" => KeyCode::Home,
        "end" => KeyCode::End,
        "backspace" => KeyCode::Backspace,
        "del" => KeyCode::Delete,
        "f1" => KeyCode::F(1),
        _ => {
            let mut chars = plain.chars();
            let (c, None) = (chars.next()?, chars.next()) else { return None };
            if modifiers.is_empty() {
                return None;
            }
            KeyCode::Char(c)
        }
    };
    Some(KeyEvent::new(code, modifiers))
}

/// A key of the tables as people write it.
pub fn key_name(key: &str, charset: Charset) -> String {
    let Some(inner) = key.strip_prefix('<').and_then(|key| key.strip_suffix('>')) else { return key.to_owned() };
    let (prefix, plain) = match inner.split_once('-') {
        Some(("c", plain)) => ("Ctrl-", plain),
        Some(("a", plain)) => ("Alt-", plain),
        Some(("s", plain)) => ("Shift-", plain),
        _ => ("", inner),
    };
    let plain = match (plain, charset) {
        ("up", Charset::Unicode) => "↑".to_owned(),
        ("down", Charset::Unicode) => "↓".to_owned(),
        ("left", Charset::Unicode) => "←".to_owned(),
        ("right", Charset::Unicode) => "→".to_owned(),
        ("pageup", _) => "PageUp".to_owned(),
        ("pagedown", _) => "PageDown".to_owned(),
        (plain, _) => {
            let mut chars = plain.chars();
            chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
        }
    };
    format!("{prefix}{plain}")
}

/// Keys and word of each thing the bottom line can show in a mode, most useful first. The last two always stay.
pub fn bottom_line(mode: Mode, charset: Charset) -> Vec<(String, &'static str)> {
    let mut items: Vec<(String, &'static str)> = Vec::new();
    for binding in bindings(mode).filter(|binding| !binding.label.is_empty()) {
        let Some(key) = binding.keys.first() else { continue };
        let key = key_name(key, charset);
        match items.iter_mut().find(|(_, label)| *label == binding.label) {
            Some((keys, _)) => {
                keys.push('/');
                keys.push_str(&key);
            }
            None => items.push((key, binding.label)),
        }
    }
    // `?` and `:` (or F1 and what leads back, in a field) always stay: they go last.
    let stays = |label: &str| matches!(label, "help" | "all" | "back");
    items.sort_by_key(|(_, label)| (stays(label), rank(mode, label)));
    items
}

/// In the debugger the bottom line names what else there is to see before what everybody tries anyway.
fn rank(mode: Mode, label: &str) -> usize {
    const ORDER: [&str; 5] = ["matched", "decided", "lab", "hooks", "loops"];
    if !matches!(mode, Mode::Timeline | Mode::Event | Mode::Hooks | Mode::Decision) {
        return 0;
    }
    match label {
        "move" => ORDER.len() + 3,
        "pane" => ORDER.len() + 2,
        "filter" | "find" | "talk" | "quit" => ORDER.len() + 1,
        "copy" | "path" => ORDER.len() + 1,
        _ => ORDER.iter().position(|known| *known == label).map_or(0, |at| at + 1),
    }
}

/// The key table of the README: keys and what they do, by mode, in Markdown.
pub fn readme_table() -> String {
    let mut out = String::from("| where | keys | what they do |\n|---|---|---|\n");
    let mut sections: Vec<(&str, &[Binding])> =
        vec![("everywhere", MOVE), ("everywhere", ALWAYS), ("debugger", DEBUGGER)];
    sections.extend([
        ("timeline", TIMELINE),
        ("event", EVENT),
        ("hooks", HOOKS),
        ("decision", DECISION),
        ("help, rules", READER),
        ("bookmarks", BOOKMARKS),
        ("text fields", ASK),
        ("text fields", FIELD),
        ("palette", PALETTE),
        ("matcher lab", LAB),
        ("picker", PICKER),
        ("hooks of the session", HOOK_TABLE),
        ("stop loops", LOOPS),
    ]);
    for (place, section) in sections {
        for binding in section {
            let keys: Vec<String> =
                binding.keys.iter().map(|key| format!("`{}`", key_name(key, Charset::Unicode))).collect();
            let keys = if keys.is_empty() { "`:`".to_owned() } else { keys.join(" ") };
            out.push_str(&format!("| {place} | {} | {} |\n", keys.replace('|', "\\|"), binding.help));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn no_key_is_bound_twice_in_a_mode() {
        for mode in Mode::ALL {
            let mut seen: HashMap<&str, &str> = HashMap::new();
            for binding in bindings(mode) {
                for key in binding.keys {
                    if let Some(other) = seen.insert(key, binding.help) {
                        panic!("{mode:?}: {key} means {other:?} and {:?}", binding.help);
                    }
                }
            }
        }
    }

    #[test]
    fn every_action_has_a_sentence_of_help() {
        for mode in Mode::ALL {
            for binding in bindings(mode) {
                assert!(binding.help.len() > 3, "{mode:?}: {:?} has no help", binding.action);
                assert!(binding.label.len() < 12, "{:?} is too long for the bottom line", binding.label);
            }
        }
    }

    #[test]
    fn every_key_can_be_typed_and_is_read_back() {
        for mode in Mode::ALL {
            for binding in bindings(mode) {
                for key in binding.keys {
                    let typed = typed(key);
                    assert_eq!(typed.len(), 1, "{key}");
                    assert_eq!(key_name_of(&typed[0]).as_deref(), Some(*key));
                    assert_eq!(lookup(mode, &typed[0]).map(|it| &it.action), Some(&binding.action));
                }
            }
        }
    }

    #[test]
    fn letters_are_text_in_text_fields() {
        for mode in Mode::ALL.into_iter().filter(|mode| mode.takes_text()) {
            for key in bindings(mode).flat_map(|binding| binding.keys) {
                assert!(key.starts_with('<') && *key != "<space>", "{mode:?} takes {key} from the text");
            }
        }
    }

    #[test]
    fn help_and_palette_stay_on_the_bottom_line() {
        for mode in Mode::ALL.into_iter().filter(|mode| !mode.takes_text()) {
            let items = bottom_line(mode, Charset::Ascii);
            let last: Vec<&str> = items.iter().rev().take(2).map(|(_, label)| *label).collect();
            assert_eq!(last, ["all", "help"], "{mode:?}");
        }
    }
}
