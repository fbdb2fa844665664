// Fills the pages at build time, so that the prose reads without JavaScript and is there for print, feeds and search.
// Words come from the text tables: `{{id}}` in a page is the text of that id, and an id without a text fails the build.

import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Marked } from 'marked';

/** From this heading on, a lesson speaks of what a run has shown: it stands below the lab, the rest above it. */
const AFTER_THE_RUN = /^#{2,3}\s+What you see\b/m;

/** The same file that the labs are compiled with. */
const FIGURES = '../src/labs/lesson-figures.json';

async function readJson(file) {
  return JSON.parse(await readFile(file, 'utf8'));
}

function escapeHtml(text) {
  return String(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** The text of an id, escaped, its `{name}` places filled. */
function speaker(table) {
  return (id, args = {}) => {
    if (!Object.hasOwn(table, id)) throw new Error(`prerender: no text has the id "${id}"`);
    return escapeHtml(table[id].replace(/\{(\w+)\}/g, (place, name) => args[name] ?? place));
  };
}

/** Deeper lines hang no further in; the style sheet has a rule for each depth of four. */
const MOST_DEPTH = 12;

const prose = new Marked({
  renderer: {
    /** A lesson's headings stand under its lab's, which is the second level. */
    heading({ tokens, depth }) {
      const level = Math.max(3, depth);
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`;
    },
    /**
     * Long lines wrap: what scrolls sideways looks cut off, and says so nowhere. Each line is an element whose class
     * tells its depth, so that its rest stands further in than its beginning and Python's blocks stay to be seen.
     */
    code({ text, lang }) {
      const lines = text.split('\n').map((line) => {
        const depth = Math.min(MOST_DEPTH, line.search(/\S|$/));
        return `<span class="line depth-${depth}">${escapeHtml(line)}\n</span>`;
      });
      return `<pre><code${lang ? ` class="language-${escapeHtml(lang)}"` : ''}>${lines.join('')}</code></pre>\n`;
    },
    table(token) {
      const row = (cells, tag) =>
        `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`;
      const body = token.rows.map((cells) => row(cells, 'td')).join('');
      return `<div class="scroll" tabindex="0"><table><thead>${row(token.header, 'th scope="col"').replaceAll('</th scope="col">', '</th>')}</thead><tbody>${body}</tbody></table></div>\n`;
    },
  },
});

function lessonParts(markdown) {
  const at = markdown.search(AFTER_THE_RUN);
  const before = at < 0 ? '' : markdown.slice(0, at);
  const after = at < 0 ? markdown : markdown.slice(at);
  // The lab's own heading is the title; a lesson that repeats it would say it twice.
  return [before.replace(/^#\s.*$/m, ''), after].map((part) => prose.parse(part));
}

const shown = (number) => new Intl.NumberFormat('en', { maximumFractionDigits: 3 }).format(number);

/** The unit that a parameter's id ends in, behind a space that does not break. */
function unitOf(id) {
  const unit = { Us: 'µs', Ms: 'ms' }[id.slice(-2)];
  return unit ? `\u00a0${unit}` : '';
}

function figureValue({ value, range, relation }) {
  if (value !== undefined) return `${relation === 'at-least' ? '≥ ' : ''}${shown(value)}`;
  return (range ?? []).map(shown).join(' – ');
}

function figureRow(figure, words, table) {
  const { lab, strategy, runtime, variant } = figure;
  const named = (ids, fallback) => ids.map((id) => table[id]).find((text) => text !== undefined) ?? fallback;
  const nameOf = (id, value) => named([`${lab}.${id}.${value}`, `${id}.${value}`], value);
  const who = [table[`strategy.${strategy}`], table[`runtime.${runtime}`], variant && nameOf('variant', variant)];
  const conditions = Object.entries(figure.params).map(
    ([id, value]) =>
      `${named([`${lab}.parameter.${id}`, `parameter.${id}`], id)}:\u00a0${typeof value === 'number' ? `${shown(value)}${unitOf(id)}` : nameOf(id, value)}`,
  );
  const quantity = named([`ui.quantity.${figure.quantity}`], figure.quantity);
  const mark = figure.provenance === 'derived' ? '◇' : '◆';
  const source = words('ui.figures.source', {
    lesson: figure.lesson,
    provenance: table[`ui.provenance.${figure.provenance}`],
  });
  return `<tr><td data-provenance="${figure.provenance}">${mark} ${escapeHtml(figureValue(figure))}</td>
<td>${escapeHtml(quantity)}</td>
<td>${escapeHtml(who.filter(Boolean).join(', '))}${figure.note ? `<br><small>${escapeHtml(figure.note)}</small>` : ''}</td>
<td>${escapeHtml(conditions.join('; '))}</td><td>${source}</td></tr>`;
}

function figuresTable(figures, words, table) {
  if (figures.length === 0) return `<p>${words('ui.figures.none')}</p>`;
  const heads = ['figure', 'quantity', 'for', 'conditions', 'lesson'].map(
    (id) => `<th scope="col">${words(`ui.figures.${id}`)}</th>`,
  );
  return `<h3>${words('ui.figures.heading')}</h3><p>${words('ui.figures.how')}</p>
<div class="scroll" tabindex="0"><table><thead><tr>${heads.join('')}</tr></thead>
<tbody>${figures.map((figure) => figureRow(figure, words, table)).join('\n')}</tbody></table></div>`;
}

/** What stands inside the element until it is ready: everything that can be read without running anything. */
function fallback(lab, figures, words, table) {
  // A sentence that only the model proves has its words there.
  const half = ({ modes }) => (modes.includes('measured') ? '' : 'model.');
  const claims = lab.claims.map((claim) => `<li>${words(`${lab.id}.${half(claim)}claim.${claim.id}`)}</li>`).join('\n');
  return `<p class="script">${words('ui.fallback.script')}</p>
<h3>${words('ui.fallback.claims')}</h3><ul>${claims}</ul>
<div class="published">${figuresTable(figures, words, table)}</div>`;
}

function labSection(lab, { lessons, figures, words, table }) {
  const [before, after] = lessonParts(lessons[lab.id] ?? '');
  const id = escapeHtml(lab.id);
  return `<section class="lab" id="${id}" aria-labelledby="${id}-title">
<header>
<p class="place">${words('ui.page.belongs', { sections: lab.sections.join('; ') })} · ${words('ui.page.minutes', { minutes: lab.minutes })}</p>
<h2 id="${id}-title">${words(`${lab.id}.title`)}</h2>
<p class="summary">${words(`${lab.id}.summary`)}</p>
</header>
<div class="prose before">${before}</div>
<concurrency-lab lab="${id}" mode="measured">
${fallback(
  lab,
  figures.filter((figure) => figure.lab === lab.id),
  words,
  table,
)}
</concurrency-lab>
<div class="prose after">${after}</div>
</section>`;
}

/** Writes every page of `from` into `to`, with the labs, lessons and words that `pkg` holds, and the lessons' figures. */
export async function prerender({ from, pkg, to }) {
  const files = ['labs.json', 'lessons.en.json', 'text.en.json'].map((name) => join(pkg, name));
  const [labs, lessons, table, published] = await Promise.all([...files, join(from, FIGURES)].map(readJson));
  const words = speaker(table);
  const sections = labs.map((lab) => labSection(lab, { lessons, figures: published.figures, words, table })).join('\n');
  const links = labs.map(({ id }) => `<li><a href="#${escapeHtml(id)}">${words(`${id}.title`)}</a></li>`).join('\n');
  for (const name of await readdir(from)) {
    if (name.endsWith('.html')) {
      const page = await readFile(join(from, name), 'utf8');
      const filled = page
        .replace(/\{\{([\w.-]+)\}\}/g, (_, id) => words(id))
        .replace('<!--nav-->', () => `<ol>${links}</ol>`)
        .replace('<!--labs-->', () => sections);
      await writeFile(join(to, name), filled);
    } else if (name === '_headers') {
      await copyFile(join(from, name), join(to, name));
    }
  }
}
