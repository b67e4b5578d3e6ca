//! A conversation that went back: what was left stays in sight, says so, and can be chosen.

use std::path::Path;
use std::sync::Arc;

use hookscope::app::{App, Input, Options};
use hookscope::cli::inspector::Inspector;
use hookscope::dialect::claude_code::DIALECT;
use hookscope::engine::{self, Inputs, StepOptions, Tracer};
use hookscope::load::group::SessionFiles;
use hookscope::load::open::{From, load};
use hookscope::model::{EventIx, Session};
use hookscope::settings::Request;
use hookscope::source::Store;
use serde_json::{Value, json};

use crate::screen::Bench;

/// Two prompts; then back behind the second one, and another one instead.
const REWOUND: &str = "tests/data/transcripts/rewound.jsonl";

struct Read {
    session: Session,
    tracer: Tracer,
    store: Arc<Store>,
}

fn read(path: &Path) -> Read {
    let files = SessionFiles { main: vec![path.to_owned()], ..SessionFiles::default() };
    let store = Arc::new(Store::new());
    let loaded = load(&From::Files(files), &Request::default(), &store).unwrap();
    let tracer = Tracer::new(&DIALECT, loaded.plan, engine::Options::default());
    Read { session: loaded.session, tracer, store }
}

/// The rewound session after these keys.
fn bench(size: (u16, u16), keys: &str) -> Bench {
    let Read { session, tracer, store } = read(Path::new(REWOUND));
    let mut bench = Bench { app: App::new(session, Options::default()), copied: Vec::new(), quit: false };
    bench.give(Input::Resize(size.0, size.1));
    bench.give(Input::Planned(Arc::new(Inspector::new(tracer, store))));
    bench.type_keys(keys);
    bench
}

fn rows(bench: &Bench) -> Vec<(u32, bool)> {
    let session = bench.app.session.read();
    (0..bench.app.timeline.len())
        .filter_map(|at| bench.app.timeline.event_at(at))
        .map(|ix| (ix.0 + 1, session.is_left(&session.events[ix.at()])))
        .collect()
}

#[test]
fn a_prompt_that_goes_back_starts_a_branch() {
    let session = read(Path::new(REWOUND)).session;
    let rewinds: Vec<(u32, u32)> =
        session.branches.rewinds().iter().map(|rewind| (rewind.at.line, rewind.back_to)).collect();
    assert_eq!(rewinds, [(5, 2)]);
}

#[test]
fn what_a_rewind_left_is_marked_and_says_where() {
    let all = rows(&bench((80, 24), ""));
    let left: Vec<u32> = all.iter().filter(|(_, left)| *left).map(|(seq, _)| *seq).collect();
    assert_eq!(left.len(), 2, "the second prompt and its stop: {all:?}");
    let Read { session, tracer, store } = read(Path::new(REWOUND));
    let options = StepOptions { inputs: Inputs::Omitted, mode: None };
    let step = tracer.step(&session, EventIx(left[0] - 1), store.as_ref(), options).unwrap();
    let back = session.left_at(EventIx(left[0] - 1)).unwrap();
    assert_eq!(session.names.text(session.events[back.at()].name), "UserPromptSubmit");
    assert_eq!(step.left_at, Some(back.0 + 1));
    assert_eq!(serde_json::to_value(&step).unwrap()["branch"], "left");
    let kept = tracer.step(&session, back, store.as_ref(), options).unwrap();
    assert_eq!(serde_json::to_value(&kept).unwrap().get("branch"), None);
}

#[test]
fn a_branch_can_be_chosen_and_all_of_them_again() {
    let all = rows(&bench((80, 24), "")).len();
    let kept = rows(&bench((80, 24), "o"));
    assert!(kept.iter().all(|(_, left)| !left), "{kept:?}");
    assert_eq!(kept.len(), all - 2);
    let first = rows(&bench((80, 24), "oo"));
    assert_eq!(first.iter().filter(|(_, left)| *left).count(), 2, "{first:?}");
    assert!(first.len() < all);
    assert_eq!(rows(&bench((80, 24), "1o")), first);
    assert_eq!(rows(&bench((80, 24), "ooo")).len(), all);
    assert_eq!(rows(&bench((80, 24), "o<esc>")).len(), all);
}

#[test]
fn branches_can_be_filtered() {
    assert!(rows(&bench((80, 24), "&branch:left<enter>")).iter().all(|(_, left)| *left));
    assert_eq!(rows(&bench((80, 24), "&branch:left<enter>")).len(), 2);
    assert!(rows(&bench((80, 24), "&branch:kept<enter>")).iter().all(|(_, left)| !left));
}

#[test]
fn a_fork_names_the_session_that_it_is_from() {
    let copied = |text: &str| {
        let mut line: Value = serde_json::from_str(text).unwrap();
        line["forkedFrom"] = json!({"sessionId": "0ld0ld0ld0ld", "messageUuid": "x"});
        line.to_string()
    };
    let text = std::fs::read_to_string(REWOUND).unwrap();
    let lines: Vec<String> =
        text.lines().enumerate().map(|(at, line)| if at < 2 { copied(line) } else { line.to_owned() }).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("forked.jsonl");
    std::fs::write(&path, lines.join("\n")).unwrap();
    let session = read(&path).session;
    assert_eq!(session.forked_from.as_deref(), Some("0ld0ld0ld0ld"));
    assert_eq!(read(Path::new(REWOUND)).session.forked_from, None);
}

#[test]
fn left_branches_on_the_screen() {
    insta::assert_snapshot!("left_80", bench((80, 24), "jjj").screen());
    insta::assert_snapshot!("left_120", bench((120, 40), "jjj").screen());
    insta::assert_snapshot!("left_40", bench((40, 10), "jjj").screen());
    insta::assert_snapshot!("one_branch_80", bench((80, 24), "o").screen());
}
