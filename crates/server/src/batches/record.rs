//! A batch as its owner knows it: which file, which call, when, and how it ended.
//!
//! While it is under way the queue says how far it is; the record says so once it has ended and the queue has forgotten
//! it. The names of the two result files are chosen with the batch: writing them twice, after a crash, makes no second pair.
use crate::openai::now;
use reckon_batch::{BatchState, Progress};
use reckon_store::{KeyId, Owner};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// A batch, described.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct BatchRecord {
    pub(crate) id: String,
    /// `local`, or the id of the key that made it.
    pub(crate) owner: String,
    /// The call that each row is for.
    pub(crate) endpoint: String,
    pub(crate) input: String,
    /// Where the answers go.
    pub(crate) output: String,
    /// Where the rows without an answer go.
    pub(crate) failures: String,
    pub(crate) metadata: Option<Map<String, Value>>,
    pub(crate) created_at: u64,
    pub(crate) in_progress_at: Option<u64>,
    pub(crate) cancelling_at: Option<u64>,
    /// None while it is under way.
    pub(crate) end: Option<BatchEnd>,
}

/// How a batch ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct BatchEnd {
    pub(crate) status: EndStatus,
    pub(crate) at: u64,
    pub(crate) completed: u64,
    pub(crate) failed: u64,
    pub(crate) total: u64,
    /// Lines of the input that are no rows, and why.
    pub(crate) errors: Vec<(Option<u64>, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EndStatus {
    Completed,
    /// It could not begin.
    Failed,
    Cancelled,
}

impl BatchEnd {
    /// It could not begin.
    pub(crate) fn failed(errors: Vec<(Option<u64>, String)>) -> Self {
        Self {
            status: EndStatus::Failed,
            at: now(),
            completed: 0,
            failed: 0,
            total: 0,
            errors,
        }
    }
}

impl BatchRecord {
    /// What the queue calls it: everything that leads back to this record.
    pub(crate) fn name(&self) -> String {
        format!("{}/{}", self.owner, self.id)
    }

    /// Whose it is.
    pub(crate) fn owner(&self) -> Owner {
        self.key().as_ref().map_or_else(Owner::local, Owner::from)
    }

    /// The key that made it.
    pub(crate) fn key(&self) -> Option<KeyId> {
        self.owner.parse().ok()
    }

    /// As OpenAI's clients know it; `progress` is what the queue says.
    pub(crate) fn view(&self, progress: Option<&Progress>) -> Value {
        let end = self.end.as_ref();
        let status = match (end, progress.map(|progress| progress.state)) {
            (Some(end), _) => json!(end.status),
            (None, Some(BatchState::Open)) => json!("in_progress"),
            (None, Some(BatchState::Cancelled)) => json!("cancelling"),
            (None, Some(BatchState::Reading) | None) => json!("validating"),
        };
        let at = |wanted: EndStatus| end.filter(|end| end.status == wanted).map(|end| end.at);
        let (completed, failed, total) = match (end, progress) {
            (Some(end), _) => (end.completed, end.failed, end.total),
            (None, Some(progress)) => (progress.done, progress.failed, progress.total()),
            (None, None) => (0, 0, 0),
        };
        let errors = end.filter(|end| !end.errors.is_empty()).map(|end| {
            let one = |(line, message): &(Option<u64>, String)| {
                json!({ "code": "invalid_row", "line": line, "message": message, "param": null })
            };
            json!({ "object": "list", "data": end.errors.iter().map(one).collect::<Vec<_>>() })
        });
        json!({
            "id": self.id,
            "object": "batch",
            "endpoint": self.endpoint,
            "errors": errors,
            "input_file_id": self.input,
            "completion_window": "24h",
            "status": status,
            "output_file_id": (completed > 0 && end.is_some()).then_some(&self.output),
            "error_file_id": (failed > 0 && end.is_some()).then_some(&self.failures),
            "created_at": self.created_at,
            "in_progress_at": self.in_progress_at,
            "expires_at": null,
            "finalizing_at": at(EndStatus::Completed),
            "completed_at": at(EndStatus::Completed),
            "failed_at": at(EndStatus::Failed),
            "expired_at": null,
            "cancelling_at": self.cancelling_at,
            "cancelled_at": at(EndStatus::Cancelled),
            "request_counts": { "total": total, "completed": completed, "failed": failed },
            "metadata": self.metadata,
            "reckon": progress.map(|progress| json!({
                "rows_per_minute": progress.rows_per_minute,
                "eta_seconds": progress.eta.map(|eta| eta.as_secs()),
            })),
        })
    }
}
