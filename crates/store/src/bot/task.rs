//! Tasks: messages that wait for an answer, become a question of a conversation, and end in deliveries.
//!
//! The conversation of a task is chosen when it begins, not when it arrives: two messages in a row are two questions, and
//! the second follows the answer to the first. A person has a conversation for each chat, so that nothing said to the
//! bot alone ever shows in a group.
use super::BotStore;
use super::delivery::{NewDelivery, insert};
use super::person::{Person, number_of};
use crate::answer::{Finished, end};
use crate::bounds::{self, MOST_CONTENT, MOST_NAME};
use crate::conversation::{self, Conversation};
use crate::error::{Error, Result};
use crate::id::{ConversationId, MessageId, PersonId};
use crate::message::{Message, State};
use crate::question::{self, Question};
use crate::store::now;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ValueRef};
use rusqlite::{OptionalExtension, Row, Transaction, params};
use serde_json::{Value, json};

const DAY_MS: i64 = 24 * 3_600_000;
/// Tokens of a day that are counted; far from what SQLite can add without rounding.
const MOST_TOKENS: i64 = i64::MAX / 2;

/// A message that asks for an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct NewTask {
    /// Who asks.
    pub person: PersonId,
    /// Where.
    pub chat: i64,
    /// In which thread of it; 0 for none.
    pub thread: i64,
    /// The number of the message.
    pub message: i64,
    /// When it was edited; 0 if it was not.
    pub revision: i64,
    /// What it has in common with the other messages of its album.
    pub album: Option<String>,
    /// What it says.
    pub text: String,
    /// What is attached, in the bot's own words.
    pub files: Vec<Value>,
}

/// A task that has not ended, without its text.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// Its name.
    pub number: i64,
    /// Who asked.
    pub person: PersonId,
    /// Where.
    pub chat: i64,
    /// In which thread of it; 0 for none.
    pub thread: i64,
    /// The number of the message.
    pub message: i64,
    /// Whether it is an album, of which more may come.
    pub album: bool,
    /// Whether it was begun.
    pub running: bool,
    /// When it arrived, in Unix milliseconds.
    pub created: i64,
    /// The delivery that tells the person where they are in the queue.
    pub notice: Option<i64>,
    /// Whether somebody still waits for it.
    pub wanted: Wanted,
}

/// Whether somebody still waits for a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Yes.
    Yes,
    /// The person has stopped it: they get what there is.
    Stopped,
    /// Nobody: the message was edited, or the person is no longer answered.
    Replaced,
}

impl FromSql for Wanted {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value.as_str()? {
            "yes" => Ok(Self::Yes),
            "stopped" => Ok(Self::Stopped),
            "replaced" => Ok(Self::Replaced),
            _ => Err(FromSqlError::InvalidType),
        }
    }
}

/// A task as it is answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Begun {
    /// Who asked, with their settings.
    pub person: Person,
    /// What the model is told before the first question.
    pub system: Option<String>,
    /// The answer, which is still to be written.
    pub answer: MessageId,
    /// The conversation from its beginning to the answer. The `request` of each answer has the `files` of its question.
    pub path: Vec<Message>,
}

impl BotStore {
    /// Tasks that have not ended, oldest first.
    pub fn open_tasks(&self) -> Result<Vec<Task>> {
        self.store.read(|transaction| {
            let sql = "SELECT t.number, p.id, t.chat, t.thread, t.message, t.album IS NOT NULL, t.state = 'running',
                              t.created, t.notice, t.wanted
                       FROM tasks t JOIN people p ON p.number = t.person
                       WHERE p.bot = ?1 AND t.state IN ('waiting', 'running') ORDER BY t.number";
            let tasks = transaction
                .prepare(sql)?
                .query_map([self.number], Task::from_row)?
                .collect::<rusqlite::Result<_>>()?;
            Ok(tasks)
        })
    }

    /// Saves the task's question and its empty answer, or finds them after a restart; `None` if it has ended.
    pub fn begin(&self, task: i64) -> Result<Option<Begun>> {
        self.store.write(|transaction| {
            let Some(row) = open_row(transaction, task)? else {
                return Ok(None);
            };
            let answer = match row.answer {
                Some(answer) => answer,
                None => begin(transaction, task, &row)?,
            };
            let path = question::path(transaction, answer)?;
            let last = path.last().ok_or(Error::NotFound("message"))?;
            let owner = row.person.owner();
            let (_, conversation) = conversation::find(transaction, &owner, &last.conversation)?;
            Ok(Some(Begun {
                system: conversation.system,
                answer: last.id.clone(),
                person: row.person,
                path,
            }))
        })
    }

    /// Whether somebody still waits for this task.
    pub fn wanted(&self, task: i64) -> Result<Wanted> {
        self.store.read(|transaction| {
            let sql = "SELECT wanted FROM tasks WHERE number = ?1 AND state != 'done'";
            let wanted = transaction.query_row(sql, [task], |row| row.get(0));
            Ok(wanted.optional()?.unwrap_or(Wanted::Replaced))
        })
    }

    /// Owes the person a message that says where they are in the queue; its number, once for each task.
    pub fn notify(&self, task: i64, notice: &NewDelivery) -> Result<Option<i64>> {
        self.store.write(|transaction| {
            let sql =
                "SELECT 1 FROM tasks WHERE number = ?1 AND state != 'done' AND notice IS NULL";
            if !transaction.prepare(sql)?.exists([task])? {
                return Ok(None);
            }
            let number = insert(transaction, self.number, notice)?;
            let sql = "UPDATE tasks SET notice = ?2 WHERE number = ?1";
            transaction.execute(sql, (task, number))?;
            Ok(Some(number))
        })
    }

    /// Ends a task: its answer, what it cost and the messages that deliver it; `false` if it had ended.
    ///
    /// Nothing is delivered of a task that was replaced. A notice that nobody has been sent is taken back.
    pub fn finish(
        &self,
        task: i64,
        finished: &Finished,
        tokens: u64,
        deliveries: &[NewDelivery],
    ) -> Result<bool> {
        self.store.write(|transaction| {
            let Some(row) = open_row(transaction, task)? else {
                return Ok(false);
            };
            let replaced = row.wanted == Wanted::Replaced;
            if let Some(answer) = row.answer {
                end_answer(transaction, &row, answer, finished, replaced)?;
            }
            transaction.execute("UPDATE tasks SET state = 'done', text = NULL WHERE number = ?1", [task])?;
            spend(transaction, row.person_number, 0, tokens)?;
            if replaced {
                return Ok(true);
            }
            transaction.execute(
                "UPDATE deliveries SET state = 'failed', body = NULL
                 WHERE state = 'queued' AND tries = 0 AND number = (SELECT notice FROM tasks WHERE number = ?1)",
                [task],
            )?;
            for delivery in deliveries {
                insert(transaction, self.number, delivery)?;
            }
            Ok(true)
        })
    }

    /// Answers and tokens that a person has had today.
    pub fn spent(&self, person: &PersonId) -> Result<(u64, u64)> {
        self.store.read(|transaction| {
            let sql = "SELECT s.answers, s.tokens FROM people_spending s JOIN people p ON p.number = s.person
                       WHERE p.id = ?1 AND s.day = ?2";
            let spent = transaction.query_row(sql, (person, now() / DAY_MS), |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))
            });
            let (answers, tokens) = spent.optional()?.unwrap_or_default();
            Ok((answers.unsigned_abs(), tokens.unsigned_abs()))
        })
    }

    /// The conversation that a person has in a chat.
    pub fn conversation(
        &self,
        person: &PersonId,
        chat: i64,
        thread: i64,
    ) -> Result<Option<ConversationId>> {
        self.store.read(|transaction| {
            let sql = "SELECT c.id FROM chats h JOIN people p ON p.number = h.person
                       JOIN conversations c ON c.number = h.conversation
                       WHERE p.id = ?1 AND h.chat = ?2 AND h.thread = ?3";
            let id = transaction.query_row(sql, (person, chat, thread), |row| row.get(0));
            Ok(id.optional()?)
        })
    }
}

impl Task {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            number: row.get(0)?,
            person: row.get(1)?,
            chat: row.get(2)?,
            thread: row.get(3)?,
            message: row.get(4)?,
            album: row.get(5)?,
            running: row.get(6)?,
            created: row.get(7)?,
            notice: row.get(8)?,
            wanted: row.get(9)?,
        })
    }
}

/// What beginning and ending a task need to know of it.
struct OpenRow {
    person: Person,
    person_number: i64,
    chat: i64,
    thread: i64,
    wanted: Wanted,
    branch: Option<i64>,
    answer: Option<i64>,
    files: String,
    text: String,
}

fn open_row(transaction: &Transaction<'_>, task: i64) -> Result<Option<OpenRow>> {
    let row = transaction.query_row(
        "SELECT person, chat, thread, wanted, branch, answer, files, ifnull(text, '')
         FROM tasks WHERE number = ?1 AND state != 'done'",
        [task],
        |row| {
            let person_number = row.get(0)?;
            Ok(OpenRow {
                person: Person::numbered(transaction, person_number)?,
                person_number,
                chat: row.get(1)?,
                thread: row.get(2)?,
                wanted: row.get(3)?,
                branch: row.get(4)?,
                answer: row.get(5)?,
                files: row.get(6)?,
                text: row.get(7)?,
            })
        },
    );
    Ok(row.optional()?)
}

/// Makes the question and its empty answer; the answer's number.
fn begin(transaction: &Transaction<'_>, task: i64, row: &OpenRow) -> Result<i64> {
    let conversation = conversation_of(transaction, row)?;
    let parent = parent_of(transaction, row, &conversation)?;
    let files: Value =
        serde_json::from_str(&row.files).map_err(|error| Error::Damaged(error.to_string()))?;
    let question = Question {
        parent,
        content: row.text.clone(),
        model: row.person.model.clone(),
        request: Some(json!({ "files": files })),
    };
    let owner = row.person.owner();
    let (_, answer) = question::ask(transaction, &owner, &conversation, &question)?;
    transaction.execute(
        "UPDATE tasks SET state = 'running', answer = ?2, text = NULL WHERE number = ?1",
        (task, answer),
    )?;
    Ok(answer)
}

/// The conversation of the chat, which is made if there is none.
fn conversation_of(transaction: &Transaction<'_>, row: &OpenRow) -> Result<ConversationId> {
    let sql = "SELECT c.id FROM chats h JOIN conversations c ON c.number = h.conversation
               WHERE h.person = ?1 AND h.chat = ?2 AND h.thread = ?3";
    let place = (row.person_number, row.chat, row.thread);
    let found = transaction.query_row(sql, place, |row| row.get(0));
    if let Some(id) = found.optional()? {
        return Ok(id);
    }
    let conversation = Conversation {
        id: ConversationId::random()?,
        title: String::new(),
        folder: None,
        system: row.person.system.clone(),
        created: now(),
        updated: now(),
    };
    let number = conversation::insert(transaction, &row.person.owner(), &conversation)?;
    transaction.execute(
        "INSERT INTO chats (person, chat, thread, conversation) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET conversation = excluded.conversation, answer = NULL",
        (row.person_number, row.chat, row.thread, number),
    )?;
    Ok(conversation.id)
}

/// The answer that the question follows: the last one of the chat, or what the question follows that it replaces.
fn parent_of(
    transaction: &Transaction<'_>,
    row: &OpenRow,
    conversation: &ConversationId,
) -> Result<Option<MessageId>> {
    // A branch of a conversation that was reset since is an ordinary question of the new one.
    let branch = "SELECT above.id FROM messages a JOIN conversations c ON c.number = a.conversation AND c.id = ?2
                  JOIN messages q ON q.number = a.parent LEFT JOIN messages above ON above.number = q.parent
                  WHERE a.number = ?1";
    let replaced = transaction.query_row(branch, (row.branch, conversation), |row| row.get(0));
    if let Some(parent) = replaced.optional()? {
        return Ok(parent);
    }
    let last = "SELECT m.id FROM chats h JOIN messages m ON m.number = h.answer
                WHERE h.person = ?1 AND h.chat = ?2 AND h.thread = ?3";
    let place = (row.person_number, row.chat, row.thread);
    let last = transaction.query_row(last, place, |row| row.get(0));
    Ok(last.optional()?)
}

fn end_answer(
    transaction: &Transaction<'_>,
    row: &OpenRow,
    answer: i64,
    finished: &Finished,
    replaced: bool,
) -> Result<()> {
    if finished.state.is_unfinished() {
        return Err(Error::WrongState(
            "an answer cannot end as one that is still to come",
        ));
    }
    let sql = "SELECT conversation FROM messages WHERE number = ?1";
    let conversation: i64 = transaction.query_row(sql, [answer], |row| row.get(0))?;
    end(transaction, answer, conversation, finished)?;
    // The next question does not follow an answer without words: a model would take it for its own manner.
    if replaced || finished.state == State::Failed || finished.content.trim().is_empty() {
        return Ok(());
    }
    transaction.execute(
        "UPDATE chats SET answer = ?4 WHERE person = ?1 AND chat = ?2 AND thread = ?3 AND conversation = ?5",
        (row.person_number, row.chat, row.thread, answer, conversation),
    )?;
    Ok(())
}

/// Adds a task, or another message of an album to the one that waits.
pub(super) fn ask(transaction: &Transaction<'_>, bot: i64, new: &NewTask) -> Result<()> {
    let person = number_of(transaction, bot, &new.person)?;
    let known = "SELECT 1 FROM tasks WHERE person = ?1 AND chat = ?2 AND message = ?3";
    // An edit may have come before the message itself.
    if transaction
        .prepare(known)?
        .exists((person, new.chat, new.message))?
    {
        return Ok(());
    }
    if new.album.is_some() && join(transaction, person, new)? {
        return Ok(());
    }
    add(transaction, person, new, None, None)
}

fn add(
    transaction: &Transaction<'_>,
    person: i64,
    new: &NewTask,
    branch: Option<i64>,
    notice: Option<i64>,
) -> Result<()> {
    bounds::bytes("the question", &new.text, MOST_CONTENT)?;
    let album = bounds::optional_line("the album", new.album.as_deref(), MOST_NAME)?;
    let files = bounds::json("the files", Some(&Value::Array(new.files.clone())))?;
    transaction.execute(
        "INSERT INTO tasks (person, chat, thread, message, revision, last, album, state, created, branch, notice, files, text)
         VALUES (?1, ?2, ?3, ?4, ?5, ?4, ?6, 'waiting', ?7, ?8, ?9, ?10, ?11)",
        params![
            person, new.chat, new.thread, new.message, new.revision, album, now(), branch, notice, files, new.text
        ],
    )?;
    spend(transaction, person, 1, 0)
}

/// Adds a message to the album that waits, if there is one.
fn join(transaction: &Transaction<'_>, person: i64, new: &NewTask) -> Result<bool> {
    let sql = "SELECT number, files, ifnull(text, '') FROM tasks
               WHERE person = ?1 AND chat = ?2 AND album = ?3 AND state = 'waiting' AND wanted = 'yes'";
    let found = transaction.query_row(sql, params![person, new.chat, new.album], |row| {
        Ok((
            row.get::<_, i64>(0)?,
            row.get::<_, String>(1)?,
            row.get::<_, String>(2)?,
        ))
    });
    let Some((number, files, mut text)) = found.optional()? else {
        return Ok(false);
    };
    let mut files: Vec<Value> =
        serde_json::from_str(&files).map_err(|error| Error::Damaged(error.to_string()))?;
    files.extend(new.files.iter().cloned());
    if !text.is_empty() && !new.text.is_empty() {
        text.push('\n');
    }
    text.push_str(&new.text);
    bounds::bytes("the question", &text, MOST_CONTENT)?;
    let files = bounds::json("the files", Some(&Value::Array(files)))?;
    transaction.execute(
        "UPDATE tasks SET files = ?2, text = ?3, last = max(last, ?4) WHERE number = ?1",
        params![number, files, text, new.message],
    )?;
    Ok(true)
}

/// Does what an edited message asks for; the rules are those of [`super::Act::Edit`].
pub(super) fn edit(
    transaction: &Transaction<'_>,
    bot: i64,
    new: &NewTask,
    fresh: bool,
) -> Result<()> {
    let person = number_of(transaction, bot, &new.person)?;
    let sql = "SELECT max(last) FROM tasks WHERE person = ?1 AND chat = ?2 AND thread = ?3";
    let last: Option<i64> =
        transaction.query_row(sql, (person, new.chat, new.thread), |row| row.get(0))?;
    let sql = "SELECT number, state, revision, notice, answer FROM tasks WHERE person = ?1 AND chat = ?2 AND message = ?3
               ORDER BY revision DESC LIMIT 1";
    let found = transaction.query_row(sql, (person, new.chat, new.message), |row| {
        Ok((
            row.get::<_, i64>(0)?,
            row.get::<_, String>(1)?,
            row.get::<_, i64>(2)?,
            row.get::<_, Option<i64>>(3)?,
            row.get::<_, Option<i64>>(4)?,
        ))
    });
    let Some((number, state, revision, notice, answer)) = found.optional()? else {
        let newest = last.is_none_or(|last| last < new.message);
        return match fresh && newest {
            true => add(transaction, person, new, None, None),
            false => Ok(()),
        };
    };
    if revision >= new.revision {
        return Ok(());
    }
    if state == "waiting" {
        bounds::bytes("the question", &new.text, MOST_CONTENT)?;
        let sql = "UPDATE tasks SET text = ?2, revision = ?3 WHERE number = ?1";
        transaction.execute(sql, (number, &new.text, new.revision))?;
        return Ok(());
    }
    if last.is_some_and(|last| last > new.message) || same_words(transaction, answer, &new.text)? {
        return Ok(());
    }
    let notice = notice.filter(|_| state == "running");
    if state == "running" {
        let sql = "UPDATE tasks SET wanted = 'replaced', notice = NULL WHERE number = ?1";
        transaction.execute(sql, [number])?;
    }
    add(transaction, person, new, answer, notice)
}

/// Whether the question of this answer already says so: messengers also call a new preview of a link an edit.
fn same_words(transaction: &Transaction<'_>, answer: Option<i64>, text: &str) -> Result<bool> {
    let sql = "SELECT 1 FROM messages a JOIN messages q ON q.number = a.parent
               WHERE a.number = ?1 AND q.content = ?2";
    Ok(transaction.prepare(sql)?.exists((answer, text))?)
}

fn spend(transaction: &Transaction<'_>, person: i64, answers: i64, tokens: u64) -> Result<()> {
    let tokens = i64::try_from(tokens)
        .unwrap_or(MOST_TOKENS)
        .min(MOST_TOKENS);
    transaction.execute(
        "INSERT INTO people_spending (person, day, answers, tokens) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (person, day) DO UPDATE SET answers = answers + excluded.answers,
         tokens = min(tokens + excluded.tokens, ?5)",
        (person, now() / DAY_MS, answers, tokens, MOST_TOKENS),
    )?;
    Ok(())
}
