//! The page: gives the lab elements their engine, says what this browser can do, and reads and writes links. A link
//! sets values and runs nothing.

import type { ParameterDescription } from '#glue';
import { type ConcurrencyLab, defineLab } from './elements/concurrency-lab.ts';
import { openingValues } from './elements/lab-state.ts';
import { prepareIsolation } from './isolation.ts';
import { type LinkState, parseLink, writeLink } from './link.ts';
import { capabilities, defaultEngine, labs, run } from './playground.ts';
import { failureWords, words, wordsOf } from './words.ts';

const THEMES = ['auto', 'light', 'dark'] as const;
const COPIED_MS = 4_000;

defineLab({ labs, run, look: (request, at, choice) => defaultEngine().look(request, at, choice) });
addThemeChoice();
for (const lab of document.querySelectorAll<ConcurrencyLab>('main concurrency-lab')) addCopyButton(lab);
markCurrentLab();
addEventListener('hashchange', () => void openLink());
void openLink();
void prepareIsolation(new URL('.', import.meta.url)).then(({ reloading }) => {
  // The page is about to be loaded again; what it would find now, it would find out twice.
  if (!reloading) void showCapabilities();
});

/** The strip on top: whether threads can run here, and if not, why. */
async function showCapabilities(): Promise<void> {
  const strip = document.getElementById('capabilities-strip');
  if (!strip) return;
  try {
    const { sharedMemory, coresClaimed } = await capabilities();
    strip.dataset.threads = sharedMemory;
    strip.textContent = wordsOf(`ui.page.threads.${sharedMemory}`, { cores: coresClaimed || '?' });
  } catch (thrown) {
    strip.textContent = words('ui.page.broken', { detail: failureWords(thrown) });
  }
}

/** Opens what the address says after its `#`: a place on this page, or a link with a lab and its values. */
async function openLink(): Promise<void> {
  const hash = location.hash.slice(1);
  for (const old of document.querySelectorAll('.notice')) old.remove();
  // A place has no value; the browser goes there by itself.
  if (hash === '' || !hash.includes('=')) return;
  const link = parseLink(hash);
  if ('refusal' in link) {
    notice('bad', words('ui.page.link.bad'), link.refusal.message);
    return;
  }
  const { state, notices } = link;
  const problem = state.lab === undefined ? undefined : problemOf(state);
  if (problem) {
    notice('bad', words('ui.page.link.bad'), problem);
    return;
  }
  const lab = document.querySelector<ConcurrencyLab>(`concurrency-lab[lab="${CSS.escape(state.lab ?? '')}"]`);
  // A run keeps its mode and its controls to the end: a link is set as a whole, or not at all.
  if (lab && isBusy(lab)) {
    offerLater();
    return;
  }
  if (notices.length > 0) notice('', words('ui.page.link.notice'), ...notices);
  if (state.theme) setTheme(state.theme);
  if (lab) await restore(lab, state);
}

function isBusy({ state }: ConcurrencyLab): boolean {
  return state === 'warming' || state === 'running';
}

/** Says that nothing was set, with a button that opens the link once the run is over: its address is there already. */
function offerLater(): void {
  const box = notice('bad', words('ui.page.link.busy'));
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = words('ui.page.link.open');
  button.addEventListener('click', () => void openLink());
  box.append(button);
}

/** Why a well-formed link fits no lab of this site. Values are judged by the session, when something runs. */
function problemOf({ lab: id, mode, params, schedule }: LinkState): string | undefined {
  const lab = labs.find((one) => one.id === id);
  if (!lab) return words('ui.unknown-lab.text', { lab: id ?? '', known: labs.map((one) => one.id).join(', ') });
  if (mode && !lab.modes.includes(mode)) {
    const offered = lab.modes.map((one) => wordsOf(`ui.mode.${one}`)).join(', ');
    return words('ui.page.link.mode', { lab: lab.id, mode, offered });
  }
  if (schedule !== undefined && (!lab.steps || !lab.modes.includes('model') || mode === 'measured')) {
    return words('ui.page.link.schedule', { lab: lab.id });
  }
  const known: readonly ParameterDescription[] = lab.parameters;
  const stranger = params.find(({ name }) => !known.some((parameter) => parameter.id === name));
  return stranger ? words('ui.page.link.parameter', { lab: lab.id, parameter: stranger.name.slice(0, 60) }) : undefined;
}

async function restore(lab: ConcurrencyLab, { mode, seed, show, params, schedule, at }: LinkState): Promise<void> {
  if (mode) lab.mode = mode;
  // A schedule is of the model, also where the link does not say so.
  else if (schedule !== undefined) lab.mode = 'model';
  if (show) lab.show = show.join(' ');
  if (seed !== undefined) lab.seed = String(seed);
  // The element reads its description in its first update; values set before it would be lost.
  await lab.updateComplete;
  // What the link leaves out is as the page sets it at first, whatever was set since.
  const described = labs.find(({ id }) => id === lab.lab);
  const given = Object.fromEntries(params.map(({ name, value }) => [name, value]));
  lab.params = { ...(described ? openingValues(described) : {}), ...given };
  // The same schedule may be one of another program now: it is opened anew.
  lab.schedule = undefined;
  lab.at = undefined;
  await lab.updateComplete;
  lab.schedule = schedule;
  lab.at = at;
  const said = notice('', words(schedule === undefined ? 'ui.page.link.opened' : 'ui.page.link.stepped'));
  lab.before(said);
  said.scrollIntoView({ block: 'center' });
}

function notice(kind: '' | 'bad', heading: string, ...texts: readonly string[]): HTMLElement {
  const box = document.createElement('div');
  box.className = `notice ${kind}`;
  box.setAttribute('role', kind === 'bad' ? 'alert' : 'status');
  const lines = [heading, ...texts].map((text, index) => {
    const line = document.createElement(index === 0 && texts.length > 0 ? 'h2' : 'p');
    if (index === 0) line.className = 'title';
    line.textContent = text;
    return line;
  });
  box.append(...lines);
  document.getElementById('notices')?.append(box);
  return box;
}

function addCopyButton(lab: ConcurrencyLab): void {
  const button = document.createElement('button');
  button.type = 'button';
  button.slot = 'buttons';
  button.textContent = words('ui.page.link.copy');
  const said = document.createElement('span');
  said.slot = 'buttons';
  said.className = 'said';
  said.setAttribute('role', 'status');
  button.addEventListener('click', async () => {
    said.textContent = words((await copy(linkTo(lab))) ? 'ui.page.link.copied' : 'ui.page.link.shown');
    setTimeout(() => said.replaceChildren(), COPIED_MS);
  });
  lab.append(button, said);
}

function linkTo(lab: ConcurrencyLab): string {
  const mode = lab.mode === 'model' ? 'model' : 'measured';
  const described = labs.find(({ id }) => id === lab.lab);
  // What the other mode alone takes would be refused where the link runs by itself.
  const ofOtherMode = (id: string) => (described?.parameters.find((one) => one.id === id)?.mode ?? mode) !== mode;
  const { stepped } = lab;
  const opening = described ? openingValues(described) : {};
  // Nothing is said of a value that is empty wherever the link is opened.
  const params = Object.entries(stepped?.params ?? lab.params)
    .filter(([name, value]) => (value !== '' || (opening[name] ?? '') !== '') && !ofOtherMode(name))
    .map(([name, value]) => ({ name, value }));
  const seed = Number(lab.chosenSeed);
  const state: LinkState = {
    lab: lab.lab,
    mode,
    params,
    ...(Number.isInteger(seed) && seed >= 0 ? { seed } : {}),
    ...(stepped ? { schedule: stepped.schedule, at: stepped.at } : {}),
  };
  return writeLink(state);
}

/** Whether the link is in the clipboard; where that is forbidden, it stands in the address bar. */
async function copy(hash: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(new URL(hash, location.href).href);
    return true;
  } catch {
    history.replaceState(history.state, '', hash);
    return false;
  }
}

function setTheme(theme: (typeof THEMES)[number]): void {
  if (theme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  for (const lab of document.querySelectorAll<ConcurrencyLab>('concurrency-lab')) {
    lab.theme = theme === 'auto' ? undefined : theme;
  }
  const choice = document.querySelector<HTMLSelectElement>('#page-tools select');
  if (choice) choice.value = theme;
}

function addThemeChoice(): void {
  const label = document.createElement('label');
  const choice = document.createElement('select');
  choice.append(...THEMES.map((theme) => new Option(words(`ui.page.theme.${theme}`), theme)));
  choice.addEventListener('change', () => {
    const theme = THEMES.find((one) => one === choice.value);
    if (theme) setTheme(theme);
  });
  label.append(words('ui.page.theme'), choice);
  document.getElementById('page-tools')?.append(label);
}

/** Marks the lab in view in the list of labs. */
function markCurrentLab(): void {
  const links = new Map(
    [...document.querySelectorAll<HTMLAnchorElement>('nav a')].map((link) => [link.hash.slice(1), link]),
  );
  const watch = new IntersectionObserver(
    (entries) => {
      const seen = entries.find((entry) => entry.isIntersecting);
      if (!seen) return;
      for (const [id, link] of links) {
        if (id === seen.target.id) link.setAttribute('aria-current', 'true');
        else link.removeAttribute('aria-current');
      }
    },
    // A line a third down the window: exactly one lab crosses it.
    { rootMargin: '-33% 0px -66% 0px' },
  );
  for (const section of document.querySelectorAll('main .lab')) watch.observe(section);
}
