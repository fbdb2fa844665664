//! The job of four sections, one after the other, each done by whoever it was given to.
//!
//! Not here: how a section is done (`work`).

use std::rc::Rc;

use super::work::{Client, Seen, Work};
use crate::machine::front::Here;
use crate::machine::{Outcome, Value};

/// Does the sections on a main program without a loop: one that needs a loop gets a thread with one.
pub async fn run(here: Here, sections: Vec<Work>, seen: Rc<Seen>) -> Outcome {
    let mut clients = Vec::new();
    for work in sections {
        let client = Client::new(here.clone(), work).await?;
        client.make_pool().await?;
        clients.push((client, work));
    }
    seen.start.set(here.now().await);
    let mut right = 0;
    for (client, work) in clients {
        if work.is_on_loop() {
            let inside = client.clone();
            let thread = here
                .start_loop_thread(|_| async move {
                    inside.go().await?;
                    Ok(Value::None)
                })
                .await?;
            here.join_thread(thread, None).await?;
        } else {
            client.go().await?;
        }
        right += client.right().await;
    }
    seen.right.set(Some(right));
    Ok(Value::None)
}
