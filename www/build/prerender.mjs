// Fills the pages at build time, so that the prose reads without JavaScript and is there for print, feeds and search.
// Words come from the text tables: `{{id}}` in a page is the text of that id, and an id without a text fails the build.

import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Marked } from 'marked';
import { escapeHtml, figureValue, figureWords, markOf, speaker } from './figure-text.mjs';
import { figuresPage } from './figures-page.mjs';

/** From this heading on, a lesson speaks of what a run has shown: it stands below the lab, the rest above it. */
const AFTER_THE_RUN = /^#{2,3}\s+What you see\b/m;

/** The same file that the labs are compiled with. */
const FIGURES = '../src/labs/lesson-figures.json';

async function readJson(file) {
  return JSON.parse(await readFile(file, 'utf8'));
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

function figureRow(figure, words, table) {
  const { who, conditions, quantity } = figureWords(figure, table);
  const source = words('ui.figures.source', {
    lesson: figure.lesson,
    provenance: table[`ui.provenance.${figure.provenance}`],
  });
  return `<tr><td data-provenance="${figure.provenance}">${markOf(figure)} ${escapeHtml(figureValue(figure))}</td>
<td>${escapeHtml(quantity)}</td>
<td>${escapeHtml(who)}${figure.note ? `<br><small>${escapeHtml(figure.note)}</small>` : ''}</td>
<td>${escapeHtml(conditions)}</td><td>${source}</td></tr>`;
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
  const files = ['labs.json', 'lessons.en.json', 'text.en.json', 'figures.json'].map((name) => join(pkg, name));
  const [labs, lessons, table, compared, published] = await Promise.all([...files, join(from, FIGURES)].map(readJson));
  const words = speaker(table);
  const sections = labs.map((lab) => labSection(lab, { lessons, figures: published.figures, words, table })).join('\n');
  const links = labs.map(({ id }) => `<li><a href="#${escapeHtml(id)}">${words(`${id}.title`)}</a></li>`).join('\n');
  const parts = {
    nav: `<ol>${links}</ol>`,
    labs: sections,
    ...figuresPage(compared, { labs, words, table }),
  };
  for (const name of await readdir(from)) {
    if (name.endsWith('.html')) {
      const page = await readFile(join(from, name), 'utf8');
      const filled = page
        .replace(/\{\{([\w.-]+)\}\}/g, (_, id) => words(id))
        .replace(/<!--([\w-]+)-->/g, (comment, part) => parts[part] ?? comment);
      await writeFile(join(to, name), filled);
    } else if (name === '_headers') {
      await copyFile(join(from, name), join(to, name));
    }
  }
}
