// The page of all figures: a table a lab, with what was published and what is modelled filled in, and places for what the
// page measures and for what a learner reports. It also holds the box in which the lessons are set against each other.
// Not here: any number. They come from figures.json, which is made by the same code that the tests hold to the lessons.

import { escapeHtml, figureValue, figureWords, markOf, shown } from './figure-text.mjs';

const COLUMNS = ['figure', 'published', 'modelled', 'measured', 'reported'];
/** Columns that a script fills. */
const LATER = ['measured', 'reported'];
/** What the page's script needs of a figure. */
const OF_SCRIPT = [
  'id',
  'lab',
  'strategy',
  'runtime',
  'variant',
  'params',
  'reading',
  'measured',
  'low',
  'high',
  'compares',
  'baseline',
];
/** The texts that the page's script says. */
const LIVE = 'ui.figures.live.';

/** A number as it is shown: whole ones whole, others with three digits that count. */
function digits(number) {
  if (Number.isInteger(number)) return shown(number);
  return new Intl.NumberFormat('en', { maximumSignificantDigits: 3 }).format(number);
}

const signed = (share) =>
  new Intl.NumberFormat('en', { maximumFractionDigits: 1, signDisplay: 'exceptZero' }).format(share * 100);

const number = (provenance, text) => `<span class="number" data-provenance="${provenance}">${text}</span>`;

/** How many times as fast a figure is as the same work one part after another; nothing where that is no other figure. */
function ratio(figure, byId, of, provenance, say) {
  const [base, own] = [byId.get(figure.baseline), figure].map((one) => (one ? of(one) : undefined));
  if (base === undefined || own === undefined) return '';
  const filled = say('ui.figures.page.ratio').replace('{ratio}', number(provenance, digits(base / own)));
  return `<small>${filled}</small>`;
}

function publishedCell(figure, byId, say) {
  const value = `${markOf(figure)} ${escapeHtml(figureValue(figure))}`;
  return number(figure.provenance, value) + ratio(figure, byId, ({ value }) => value, 'derived', say);
}

function modelledCell(figure, byId, say) {
  const { id, modelled, tolerance, exception } = figure;
  const difference = signed(figure.difference);
  let verdict;
  if (exception) {
    const reason = say(`ui.figures.page.exception.${id}`);
    verdict = say('ui.figures.page.exception', { difference }).replace('{reason}', () => reason);
  } else if (tolerance === 0) verdict = say('ui.figures.page.same');
  else verdict = say('ui.figures.page.within', { tolerance: shown(tolerance * 100), difference });
  return `${number('modelled', digits(modelled))}<small${exception ? ' class="exception"' : ''}>${verdict}</small>${ratio(
    figure,
    byId,
    (one) => one.modelled,
    'modelled',
    say,
  )}`;
}

function laterCell(figure, column, say) {
  const reason = column === 'measured' && figure.absent ? say(`ui.figures.page.absent.${figure.absent}`) : undefined;
  if (reason === undefined) return `<span class="none">${say('ui.figures.page.nothing')}</span>`;
  return `<span class="none">${say('ui.figures.page.absent').replace('{reason}', () => reason)}</span>`;
}

function figureRow(figure, byId, say, table) {
  const { who, conditions, quantity } = figureWords(figure, table);
  const cells = {
    published: publishedCell(figure, byId, say),
    modelled: modelledCell(figure, byId, say),
    measured: laterCell(figure, 'measured', say),
    reported: laterCell(figure, 'reported', say),
  };
  // Where it is narrow a row is a block, and the cells say themselves which column they are. What screen readers hear of
  // a table would be lost with that, so the roles are written out.
  const cell = ([column, content]) =>
    `<td role="cell" data-column="${column}"><span class="label" aria-hidden="true">${say(`ui.figures.page.column.${column}`)}</span><div class="said">${content}</div></td>`;
  const taken = [say('ui.figures.page.of', { lesson: figure.lesson }), escapeHtml(conditions)]
    .filter(Boolean)
    .join('. ');
  const note = figure.note ? `<small>${escapeHtml(figure.note)}</small>\n` : '';
  return `<tr role="row" id="${figure.id}" data-figure="${figure.id}">
<th scope="row" role="rowheader"><a href="index.html#${escapeHtml(figure.link)}">${escapeHtml(who)}: ${escapeHtml(quantity)}</a>
<small>${taken}</small>
${note}<small class="name">${escapeHtml(figure.id)}</small></th>
${Object.entries(cells).map(cell).join('\n')}</tr>`;
}

function labTable(lab, figures, byId, say, table) {
  const title = `figures-${lab.id}-title`;
  const heads = COLUMNS.map(
    (column) =>
      `<th scope="col" role="columnheader"${LATER.includes(column) ? ' class="later"' : ''}>${say(`ui.figures.page.column.${column}`)}</th>`,
  );
  const measuring = `<div class="measuring" hidden><button type="button" aria-describedby="${title}">${say('ui.figures.live.measure')}</button>
<span class="doing" role="status"></span><progress aria-label="${say('ui.progress')}" hidden></progress></div>`;
  return `<section class="lab-figures" id="figures-${lab.id}" aria-labelledby="${title}" data-lab="${lab.id}" data-state="idle">
<h2 id="${title}">${say(`${lab.id}.title`)}</h2>
${figures.some(({ measured }) => measured) ? measuring : ''}
<table role="table"><caption>${say('ui.figures.page.caption', { lab: table[`${lab.id}.title`] })}</caption>
<thead role="rowgroup"><tr role="row">${heads.join('')}</tr></thead>
<tbody role="rowgroup">
${figures.map((figure) => figureRow(figure, byId, say, table)).join('\n')}
</tbody></table>
</section>`;
}

/** The points on which the lessons say different things, each with the numbers in its text. */
function disagreements(byId, say) {
  const get = (id) => {
    const figure = byId.get(id);
    if (!figure) throw new Error(`figures page: no figure is called ${id}`);
    return figure;
  };
  const of = (id) => {
    const figure = get(id);
    return `<a class="number" href="#${id}" data-provenance="${figure.provenance}">${escapeHtml(figureValue(figure))}</a>`;
  };
  const times = (one, other) => number('derived', digits(get(one).value / get(other).value));
  const points = {
    experimental: { ftA: of('A-cpu-ft-serial'), ftC: of('C-cpu-ft-serial') },
    threads: {
      serialA: of('A-cpu-serial'),
      threadsA: of('A-cpu-threads'),
      serialC: of('C-cpu-serial'),
      threadsC: of('C-cpu-threads'),
      shortB: of('B-cpu-3m-threads'),
      longB: of('B-cpu-20m-threads'),
    },
    cost: {
      ftA: of('A-cpu-ft-serial'),
      lockedA: of('A-cpu-upstream-serial'),
      worst: times('A-cpu-ft-serial', 'A-cpu-upstream-serial'),
      ftC: of('C-cpu-ft-serial'),
      lockedC: of('C-cpu-serial'),
      suite: of('A-ft-cost-suite'),
    },
    interval: {
      often: of('B-race-1us'),
      calls: number(get('A-count-gil-call').provenance, shown(get('A-count-gil-call').value)),
    },
  };
  const told = (id, numbers) =>
    say(id).replace(/\{(\w+)\}/g, (place, name) => {
      if (numbers[name] === undefined) throw new Error(`figures page: nothing fills ${place} of ${id}`);
      return numbers[name];
    });
  const items = Object.entries(points).map(
    ([point, numbers]) => `<li class="point"><p class="right">${say(`ui.figures.page.disagree.${point}.right`)}</p>
<p>${told(`ui.figures.page.disagree.${point}.then`, numbers)}</p></li>`,
  );
  return `<ol class="points">${items.join('\n')}</ol>`;
}

/** What the page's script reads, as text in a template: it shows nothing, and needs no script to be allowed. */
function dataOf(figures, table) {
  const words = Object.fromEntries(Object.entries(table).filter(([id]) => id.startsWith(LIVE)));
  const picked = figures.map((figure) =>
    Object.fromEntries(OF_SCRIPT.filter((key) => figure[key] !== undefined).map((key) => [key, figure[key]])),
  );
  return `<template id="figures-data">${escapeHtml(JSON.stringify({ figures: picked, words }))}</template>`;
}

/** The parts of the page, by the names that its template calls them. */
export function figuresPage({ lessons, figures }, { labs, words: say, table }) {
  const byId = new Map(figures.map((figure) => [figure.id, figure]));
  const ofLab = (lab) => figures.filter((figure) => figure.lab === lab.id);
  const withFigures = labs.filter((lab) => ofLab(lab).length > 0);
  const link = (lab) => `<li><a href="#figures-${lab.id}">${say(`${lab.id}.title`)}</a></li>`;
  const machines = Object.entries(lessons).map(
    ([lesson, { title, machine }]) => `<li>${say('ui.figures.page.lesson', { lesson, title, machine })}</li>`,
  );
  return {
    'figures-lead': say('ui.figures.page.lead', { count: figures.length }),
    'figures-nav': `<ol>${withFigures.map(link).join('\n')}</ol>`,
    'figures-lessons': `<ul>${machines.join('\n')}</ul>`,
    'figures-tables': withFigures.map((lab) => labTable(lab, ofLab(lab), byId, say, table)).join('\n'),
    'figures-disagree': disagreements(byId, say),
    'figures-data': dataOf(figures, table),
  };
}
