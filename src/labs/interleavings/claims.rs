//! What is claimed of schedules, proved by counting them. Not here: the words for it.

use crate::labs::ModelClaim;

pub const CLAIMS: &[ModelClaim] = &[];
