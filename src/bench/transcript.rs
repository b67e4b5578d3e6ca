//! Lines of a Claude Code transcript as client version 2.1.332 writes them, with made-up content.
//!
//! The order of keys and the book-keeping between the lines are the client's: a reader that is fast here is
//! fast there.

use std::fmt::Display;
use std::io::{self, BufWriter, Write};

use jiff::Timestamp;

use super::random::{Random, Texts, Uuid};

/// 2026-11-30T18:04:13.813Z, in milliseconds.
const BEGINNING: i64 = 1_796_061_853_813;
const CWD: &str = "/home/dev/shop";

/// A transcript being written.
pub(super) struct Transcript<'a> {
    pub(super) random: Random,
    pub(super) texts: Texts,
    out: BufWriter<Counted<'a>>,
    session: Uuid,
    prompt: Uuid,
    parent: Option<Uuid>,
    message: u64,
    call: u64,
    block: u32,
    clock: i64,
    /// The keys that end every line of the chain.
    tail: String,
}

/// A tool call that was written and waits for its result.
#[derive(Clone, Copy)]
pub(super) struct Asked {
    pub(super) tool: Tool,
    pub(super) id: u64,
    line: Uuid,
}

/// Tools that are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tool {
    Bash,
    Read,
    Edit,
    Write,
    Echo,
}

impl Tool {
    pub(super) const ALL: &'static [Tool] =
        &[Tool::Bash, Tool::Bash, Tool::Bash, Tool::Read, Tool::Read, Tool::Edit, Tool::Write, Tool::Echo];

    fn name(self) -> &'static str {
        match self {
            Tool::Bash => "Bash",
            Tool::Read => "Read",
            Tool::Edit => "Edit",
            Tool::Write => "Write",
            Tool::Echo => "mcp__demo__echo",
        }
    }
}

/// How a hook's answer shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trace {
    Success,
    Context,
    NonBlockingError,
    SystemMessage,
    TimedOut,
}

const USAGE: &str = r#""stop_sequence":null,"usage":{"input_tokens":100,"cache_creation_input_tokens":0,"cache_read_input_tokens":51200,"output_tokens":240,"output_tokens_details":{"thinking_tokens":0},"server_tool_use":{"web_search_requests":0,"web_fetch_requests":0},"service_tier":"standard","cache_creation":{"ephemeral_1h_input_tokens":0,"ephemeral_5m_input_tokens":0},"inference_geo":"","iterations":[],"speed":"standard","fallback_credit":null},"stop_details":null}"#;

impl<'a> Transcript<'a> {
    pub(super) fn new(seed: u64, out: &'a mut dyn Write) -> Transcript<'a> {
        let mut random = Random::new(seed);
        let texts = Texts::new(&mut random);
        let (session, prompt) = (random.uuid(), random.uuid());
        let tail = format!(
            r#""userType":"external","entrypoint":"cli","cwd":"{CWD}","sessionId":"{session}","version":"2.1.332","gitBranch":"main"}}"#
        );
        let out = BufWriter::with_capacity(1 << 20, Counted { out, bytes: 0 });
        let (parent, message, call, block, clock) = (None, 0, 0, 0, BEGINNING);
        Transcript { random, texts, out, session, prompt, parent, message, call, block, clock, tail }
    }

    /// Bytes written so far.
    pub(super) fn bytes(&self) -> u64 {
        self.out.get_ref().bytes + self.out.buffer().len() as u64
    }

    pub(super) fn finish(mut self) -> io::Result<u64> {
        self.out.flush()?;
        Ok(self.bytes())
    }

    /// What the client writes when a session starts, before and after the first prompt.
    pub(super) fn start(&mut self) -> io::Result<u64> {
        let session = self.session;
        let (at, text) = (self.time(20), self.texts.take(&mut self.random, 40));
        writeln!(
            self.out,
            r#"{{"type":"queue-operation","operation":"enqueue","timestamp":"{at:.3}","sessionId":"{session}","content":"{text}"}}"#
        )?;
        Ok(1)
    }

    /// What the client tells the model around the first prompt.
    pub(super) fn surroundings(&mut self) -> io::Result<u64> {
        let attachments = [
            format!(
                r#"{{"type":"environment","snapshot":{{"workingDirectory":"{CWD}","isWorktree":false,"isGitRepo":true,"additionalWorkingDirectories":[],"platform":"linux","shell":"bash","osVersion":"Linux 6.1.0"}}}}"#
            ),
            r#"{"type":"model","identity":{"modelId":"claude-sonnet-4-5","marketingName":"Sonnet 4.5","knowledgeCutoff":"January 2025"},"text":"made up"}"#.to_owned(),
            format!(r#"{{"type":"instructions","files":[{{"path":"{CWD}/CLAUDE.md","type":"Project","content":"Shop notes."}}]}}"#),
            r#"{"type":"date","date":"2026-11-30"}"#.to_owned(),
        ];
        for attachment in &attachments {
            self.attachment(attachment, Some(&"made up"))?;
        }
        self.bookkeeping(r#""type":"atis-latch","atis":"""#)?;
        Ok(attachments.len() as u64 + 1)
    }

    /// A prompt that a person typed.
    pub(super) fn prompt(&mut self, len: u64) -> io::Result<()> {
        self.prompt = self.random.uuid();
        self.open()?;
        let (prompt, sent) = (self.prompt, self.clock);
        let text = self.texts.take(&mut self.random, len);
        write!(self.out, r#""promptId":"{prompt}","type":"user","message":{{"role":"user","content":"{text}"}},"#)?;
        self.stamp()?;
        write!(
            self.out,
            r#""permissionMode":"default","promptSource":"typed","sentAtMs":{sent},"rowSource":"local","turnOrigin":"human","#
        )?;
        self.close()
    }

    /// Starts the next answer of the model.
    pub(super) fn message(&mut self) {
        self.message += 1;
        self.block = 0;
    }

    /// A text block.
    pub(super) fn text(&mut self, len: u64, stop_reason: &str) -> io::Result<()> {
        self.open()?;
        let text = self.texts.take(&mut self.random, len);
        write!(
            self.out,
            r#""message":{{"id":"msg_{:012}","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[{{"type":"text","text":"{text}"}}],"stop_reason":"{stop_reason}",{USAGE},"#,
            self.message
        )?;
        self.end_block()?;
        Ok(())
    }

    /// A call.
    pub(super) fn tool_use(&mut self, tool: Tool, len: u64) -> io::Result<Asked> {
        self.open()?;
        self.call += 1;
        let (id, name) = (self.call, tool.name());
        write!(
            self.out,
            r#""message":{{"id":"msg_{:012}","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[{{"type":"tool_use","id":"toolu_{id:012}","name":"{name}","input":{{"#,
            self.message
        )?;
        let text = self.texts.take(&mut self.random, len);
        match tool {
            Tool::Bash => write!(self.out, r#""command":"grep -rn {id} src && {text}","description":"Look {id} up""#),
            Tool::Read => write!(self.out, r#""file_path":"{CWD}/src/part_{id}.rs""#),
            Tool::Edit => write!(
                self.out,
                r#""replace_all":false,"file_path":"{CWD}/src/part_{id}.rs","old_string":"{text}","new_string":"{text}{id}""#
            ),
            Tool::Write => write!(self.out, r#""file_path":"{CWD}/src/new_{id}.rs","content":"{text}""#),
            Tool::Echo => write!(self.out, r#""text":"{text}""#),
        }?;
        write!(self.out, r#"}}}}],"stop_reason":"tool_use",{USAGE},"toolInputStreamMs":31,"#)?;
        let line = self.end_block()?;
        Ok(Asked { tool, id, line })
    }

    /// The result of a call that ran.
    pub(super) fn result(&mut self, asked: Asked, len: u64) -> io::Result<()> {
        let id = asked.id;
        self.answer(asked)?;
        let text = self.texts.take(&mut self.random, len);
        match asked.tool {
            Tool::Echo => write!(
                self.out,
                r#""tool_use_id":"toolu_{id:012}","type":"tool_result","content":[{{"type":"text","text":"{text}"}}]"#
            ),
            Tool::Edit | Tool::Write => write!(
                self.out,
                r#""tool_use_id":"toolu_{id:012}","type":"tool_result","content":"The file {CWD}/src/part_{id}.rs has been updated successfully.""#
            ),
            Tool::Bash | Tool::Read => write!(
                self.out,
                r#""tool_use_id":"toolu_{id:012}","type":"tool_result","content":"{text}","is_error":false"#
            ),
        }?;
        write!(self.out, "}}]}},")?;
        self.stamp()?;
        let text = self.texts.take(&mut self.random, len);
        match asked.tool {
            Tool::Bash => write!(
                self.out,
                r#""toolUseResult":{{"stdout":"{text}","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false}},"sandboxed":false,"#
            ),
            Tool::Read => write!(
                self.out,
                r#""toolUseResult":{{"type":"text","file":{{"filePath":"{CWD}/src/part_{id}.rs","content":"{text}","numLines":120,"startLine":1,"totalLines":120}}}},"#
            ),
            Tool::Edit => write!(
                self.out,
                r#""toolUseResult":{{"filePath":"{CWD}/src/part_{id}.rs","oldString":"a","newString":"b","originalFile":"{text}","structuredPatch":[{{"oldStart":1,"oldLines":3,"newStart":1,"newLines":3,"lines":[" alpha","-beta","+BETA"," gamma"]}}],"userModified":false,"replaceAll":false}},"#
            ),
            Tool::Write => write!(
                self.out,
                r#""toolUseResult":{{"type":"create","filePath":"{CWD}/src/new_{id}.rs","content":"{text}","structuredPatch":[],"originalFile":null,"userModified":false}},"#
            ),
            Tool::Echo => write!(
                self.out,
                r#""toolUseResult":[{{"type":"text","text":"{text}"}}],"mcpCallNotReadOnly":"no_hint","#
            ),
        }?;
        write!(
            self.out,
            r#""sourceToolAssistantUUID":"{}","permissionDecision":{{"decision":"accept","source":"user_permanent","reasonType":"rule","ruleSource":"userSettings"}},"#,
            asked.line
        )?;
        self.close()
    }

    /// The result of a call that ran and failed.
    pub(super) fn failed(&mut self, asked: Asked, len: u64) -> io::Result<()> {
        let text = self.texts.take(&mut self.random, len).to_owned();
        self.error(
            asked,
            &format_args!("Exit code 3\\n{text}"),
            r#""sandboxed":false,"#,
            r#"{"decision":"accept","source":"user_permanent","reasonType":"rule","ruleSource":"userSettings"}"#,
        )
    }

    /// The result of a call that a PreToolUse hook refused.
    pub(super) fn denied(&mut self, asked: Asked) -> io::Result<()> {
        self.error(
            asked,
            &format_args!(
                "PreToolUse:{} hook error: [.claude/hooks/guard.sh]: not while the till is open",
                asked.tool.name()
            ),
            r#""toolDenialKind":"permission-rule","#,
            r#"{"decision":"reject","source":"hook","reasonType":"hook","reasonCode":"hook:PreToolUse"}"#,
        )
    }

    fn error(&mut self, asked: Asked, text: &dyn Display, kind: &str, decision: &str) -> io::Result<()> {
        let id = asked.id;
        self.answer(asked)?;
        write!(
            self.out,
            r#""type":"tool_result","content":"{text}","is_error":true,"tool_use_id":"toolu_{id:012}"}}]}},"#
        )?;
        self.stamp()?;
        write!(
            self.out,
            r#""toolUseResult":"Error: {text}",{kind}"sourceToolAssistantUUID":"{}","permissionDecision":{decision},"#,
            asked.line
        )?;
        self.close()
    }

    /// The trace of one hook at a call.
    pub(super) fn hook(&mut self, event: &str, asked: Asked, trace: Trace, len: u64) -> io::Result<()> {
        let (tool, id) = (asked.tool.name(), asked.id);
        let took = self.random.within(4..=400);
        let text = self.texts.take(&mut self.random, len).to_owned();
        let about = format!(r#""hookName":"{event}:{tool}","toolUseID":"toolu_{id:012}","hookEvent":"{event}""#);
        let attachment = match trace {
            Trace::Success => format!(
                r#"{{"type":"hook_success",{about},"content":"{text}","stdout":"{text}","stderr":"","exitCode":0,"command":".claude/hooks/fmt.sh","durationMs":{took}}}"#
            ),
            Trace::Context => format!(r#"{{"type":"hook_additional_context","content":["{text}"],{about}}}"#),
            Trace::NonBlockingError => format!(
                r#"{{"type":"hook_non_blocking_error",{about},"stderr":"Failed with non-blocking status code: {text}","stdout":"","exitCode":1,"command":".claude/hooks/fmt.sh","durationMs":{took}}}"#
            ),
            Trace::SystemMessage => format!(r#"{{"type":"hook_system_message","content":"{text}",{about}}}"#),
            Trace::TimedOut => format!(
                r#"{{"type":"hook_cancelled",{about},"command":".claude/hooks/slow.sh","durationMs":1064,"timedOut":true,"timeoutMs":1000}}"#
            ),
        };
        let rendered =
            format!("<system-reminder>\\n{event}:{tool} hook additional context: {text}\\n</system-reminder>");
        self.attachment(&attachment, (trace == Trace::Context).then_some(&rendered as &dyn Display))
    }

    /// The note after a batch.
    pub(super) fn reminder(&mut self) -> io::Result<()> {
        let left = 15_000_000 - self.call % 15_000_000;
        let text = format!("<total_tokens>{left} tokens left</total_tokens>");
        let attachment = format!(r#"{{"type":"total_tokens_reminder","text":"{text}"}}"#);
        self.attachment(&attachment, Some(&format_args!("<system-reminder>\\n{text}\\n</system-reminder>")))
    }

    /// What the client notes of each request.
    pub(super) fn request(&mut self, len: u64) -> io::Result<u64> {
        let (session, id, hash, at) = (self.session, self.random.uuid(), self.random.next(), self.time(40));
        let text = self.texts.take(&mut self.random, len);
        writeln!(
            self.out,
            r#"{{"type":"api-request-blob","sessionId":"{session}","hash":"{hash:064x}","message":{{"role":"user","content":[{{"type":"text","text":"{text}"}}]}}}}"#
        )?;
        writeln!(
            self.out,
            r#"{{"type":"api-request","sessionId":"{session}","id":"{id}","timestamp":"{at:.3}","version":"2.1.332","querySource":"repl_main_thread","shapeHash":"{hash:064x}","params":{{"model":"claude-sonnet-4-5","max_tokens":32000,"thinking":{{"budget_tokens":31999,"type":"enabled","display":"updates"}}}},"thread":{{"type":"none"}},"echoWireToolInputs":false,"keep":0,"tail":["{hash:064x}"],"requestDigest":"{hash:064x}"}}"#
        )?;
        self.bookkeeping(r#""type":"tools-used","tools":["Bash","Read","Edit","Write","mcp__demo__echo"]"#)?;
        Ok(3)
    }

    /// A Stop hook let the turn end.
    pub(super) fn stopped(&mut self) -> io::Result<()> {
        self.stop_summary("[]", self.clock.cast_unsigned() % 300)
    }

    /// A Stop hook kept the turn going.
    pub(super) fn stop_blocked(&mut self) -> io::Result<u64> {
        self.open()?;
        write!(
            self.out,
            r#""promptId":"{}","type":"user","message":{{"role":"user","content":"Stop hook feedback:\n[.claude/hooks/ci.sh]: three tests are red\n"}},"isMeta":true,"rowSource":"hook","hookText":true,"hookTextLead":"made up","#,
            self.prompt
        )?;
        self.stamp()?;
        self.close()?;
        self.stop_summary(r#"["[.claude/hooks/ci.sh]: three tests are red\n"]"#, 51)?;
        Ok(2)
    }

    fn stop_summary(&mut self, errors: &str, took: u64) -> io::Result<()> {
        self.open()?;
        let quiet = errors == "[]";
        write!(
            self.out,
            r#""type":"system","subtype":"stop_hook_summary","hookCount":1,"hookInfos":[{{"command":".claude/hooks/ci.sh","durationMs":{took}}}],"hookErrors":{errors},"failedHookErrorIndexes":[],"hookAdditionalContext":[],"preventedContinuation":false,"stopReason":"","hasOutput":{},"level":"suggestion","#,
            !quiet
        )?;
        let (at, uuid, call) = (self.time(30), self.random.uuid(), self.random.uuid());
        write!(self.out, r#""timestamp":"{at:.3}","uuid":"{uuid}","toolUseID":"{call}","#)?;
        self.parent = Some(uuid);
        self.close()
    }

    /// The notes between turns.
    pub(super) fn last_prompt(&mut self) -> io::Result<()> {
        let leaf = self.parent.unwrap_or(self.session);
        self.bookkeeping(&format!(r#""type":"last-prompt","lastPrompt":"go on","leafUuid":"{leaf}""#))
    }

    fn bookkeeping(&mut self, keys: &str) -> io::Result<()> {
        writeln!(self.out, r#"{{{keys},"sessionId":"{}"}}"#, self.session)
    }

    fn attachment(&mut self, attachment: &str, rendered: Option<&dyn Display>) -> io::Result<()> {
        self.open()?;
        write!(self.out, r#""attachment":{attachment},"type":"attachment","#)?;
        self.stamp()?;
        if let Some(text) = rendered {
            write!(self.out, r#""rendered":[{{"content":"{text}"}}],"renderedRole":"system","#)?;
        }
        self.close()
    }

    fn open(&mut self) -> io::Result<()> {
        match self.parent {
            Some(parent) => write!(self.out, r#"{{"parentUuid":"{parent}","isSidechain":false,"#),
            None => write!(self.out, r#"{{"parentUuid":null,"isSidechain":false,"#),
        }
    }

    /// Opens the result of a call: it hangs on the line of the call.
    fn answer(&mut self, asked: Asked) -> io::Result<()> {
        self.parent = Some(asked.line);
        self.open()?;
        write!(self.out, r#""promptId":"{}","type":"user","message":{{"role":"user","content":[{{"#, self.prompt)
    }

    fn end_block(&mut self) -> io::Result<Uuid> {
        let (block, reference) = (self.block, self.random.uuid());
        self.block += 1;
        write!(
            self.out,
            r#""apiBlockIndex":{block},"requestId":"req_{:012}","requestRef":"{reference}","requestedModel":"claude-sonnet-4-5","promptCacheRequested":"5m","type":"assistant","#,
            self.message
        )?;
        let line = self.stamp()?;
        write!(self.out, r#""perTurnEffort":null,"madeBy":"model","#)?;
        self.close()?;
        Ok(line)
    }

    /// Id and time; what comes next hangs on this line.
    fn stamp(&mut self) -> io::Result<Uuid> {
        let (uuid, at) = (self.random.uuid(), self.time(90));
        write!(self.out, r#""uuid":"{uuid}","timestamp":"{at:.3}","#)?;
        self.parent = Some(uuid);
        Ok(uuid)
    }

    fn close(&mut self) -> io::Result<()> {
        self.out.write_all(self.tail.as_bytes())?;
        self.out.write_all(b"\n")
    }

    /// The next moment, up to twice `step` milliseconds later.
    fn time(&mut self, step: u64) -> Timestamp {
        self.clock += self.random.within(1..=2 * step).cast_signed();
        Timestamp::from_millisecond(self.clock).unwrap_or(Timestamp::UNIX_EPOCH)
    }
}

struct Counted<'a> {
    out: &'a mut dyn Write,
    bytes: u64,
}

impl Write for Counted<'_> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let count = self.out.write(buf)?;
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
