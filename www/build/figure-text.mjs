// Words and numbers of a published figure, for every page that shows one. Not here: tables, and where figures come from.

export function escapeHtml(text) {
  return String(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** The text of an id, escaped, its `{name}` places filled. */
export function speaker(table) {
  return (id, args = {}) => {
    if (!Object.hasOwn(table, id)) throw new Error(`prerender: no text has the id "${id}"`);
    return escapeHtml(table[id].replace(/\{(\w+)\}/g, (place, name) => args[name] ?? place));
  };
}

export const shown = (number) => new Intl.NumberFormat('en', { maximumFractionDigits: 3 }).format(number);

/** The unit that a parameter's id ends in, behind a space that does not break. */
function unitOf(id) {
  const unit = { Us: 'µs', Ms: 'ms' }[id.slice(-2)];
  return unit ? `\u00a0${unit}` : '';
}

/** What was printed, with its range or bound. */
export function figureValue({ value, range, relation }) {
  if (value !== undefined) return `${relation === 'at-least' ? '≥ ' : ''}${shown(value)}`;
  return (range ?? []).map(shown).join(' – ');
}

export const markOf = ({ provenance }) => (provenance === 'derived' ? '◇' : '◆');

/** What a figure says in words: who ran, under which conditions, and what was counted. Nothing of it is escaped. */
export function figureWords(figure, table) {
  const { lab, strategy, runtime, variant, params } = figure;
  const named = (ids, fallback) => ids.map((id) => table[id]).find((text) => text !== undefined) ?? fallback;
  const nameOf = (id, value) => named([`${lab}.${id}.${value}`, `${id}.${value}`], value);
  const who = [table[`strategy.${strategy}`], table[`runtime.${runtime}`], variant && nameOf('variant', variant)];
  const conditions = Object.entries(params).map(([id, value]) => {
    const said = typeof value === 'number' ? `${shown(value)}${unitOf(id)}` : nameOf(id, value);
    return `${named([`${lab}.parameter.${id}`, `parameter.${id}`], id)}:\u00a0${said}`;
  });
  return {
    who: who.filter(Boolean).join(', '),
    conditions: conditions.join('; '),
    quantity: named([`ui.quantity.${figure.quantity}`], figure.quantity),
  };
}
