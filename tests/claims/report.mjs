// What came of all labs' claims, as lines to read and one verdict. Not here: running them.

/** Characters of a reason in the table; the JSON has all of it. */
const WIDTH = 150;
const MARKS = new Map([
  [true, 'true '],
  [false, 'FALSE'],
  ['not-applicable', 'n/a  '],
]);

/**
 * The report on what `lab: "all"` gave, or `run.html` shows. `ok` only where every lab ran, made at least one claim, and
 * none is false. A claim that is not applicable says why, and is no failure.
 */
export function report(all) {
  const { results, failed } = checked(all);
  const lines = [];
  const counts = { true: 0, false: 0, 'not-applicable': 0 };
  const troubles = failed.map(({ lab, code, message }) => `${lab} did not run: ${message} (${code})`);
  for (const { lab, claims } of results) {
    lines.push(lab);
    if (claims.length === 0) troubles.push(`${lab} makes no claim`);
    for (const { id, kind, holds, why, text } of claims) {
      const mark = MARKS.get(holds);
      if (mark === undefined) throw new Error(`the claim ${lab}.${id} holds: ${JSON.stringify(holds)}`);
      counts[holds] += 1;
      lines.push(`  ${mark}  ${id} (${kind})  ${cut(why)}`);
      if (holds === false) troubles.push(`${lab}.${id} is false: ${text} ${why}`);
    }
  }
  const labs = `${results.length} ${results.length === 1 ? 'lab' : 'labs'}`;
  lines.push(
    '',
    `${labs}: ${counts.true} claims true, ${counts.false} false, ${counts['not-applicable']} not applicable`,
  );
  return { lines, troubles, ok: troubles.length === 0 };
}

function checked(all) {
  if (!Array.isArray(all?.results) || !Array.isArray(all?.failed)) {
    throw new Error(`no report on labs: ${cut(JSON.stringify(all) ?? String(all))}`);
  }
  if (all.results.length + all.failed.length === 0) throw new Error('no lab was run');
  return all;
}

function cut(text) {
  return text.length > WIDTH ? `${text.slice(0, WIDTH - 1)}…` : text;
}
