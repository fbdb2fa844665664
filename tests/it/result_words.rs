//! Whether a result is in words throughout.

use concurrency_playground::labs::english;
use concurrency_playground::wire::LabResult;

/// A text without an entry shows as its id in brackets, an argument without a value as a name in braces.
pub fn check_words(result: &LabResult) {
    let json = serde_json::to_string(result).expect("a result is plain JSON");
    let words = english();
    for id in words.table().into_keys().chain(["finding", "why."]) {
        assert!(!json.contains(&format!("[{id}")), "{}: no text for {id}", result.lab);
    }
    let texts = result.claims.iter().flat_map(|claim| [&claim.text, &claim.why]);
    let rows = result.rows.iter().flat_map(|row| {
        row.notes
            .iter()
            .chain([&row.label])
            .chain(&row.culprit)
            .chain(&row.reason)
            .chain(&row.cure)
    });
    let warnings = result.environment.warnings.iter().map(|warning| &warning.text);
    for text in texts.chain(rows).chain(warnings).chain([&result.finding.text]) {
        assert!(
            !text.is_empty() && !text.contains(['{', '}', '[']),
            "{}: {text}",
            result.lab
        );
    }
}
