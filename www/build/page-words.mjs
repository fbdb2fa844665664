// Which words the page itself says. The session says all others, and is handed the whole table when it starts; sent with
// the page they would be a fifth of what loads before anybody runs anything.

/** Words that the page says whatever the labs are. */
const OF_PAGE = ['ui', 'link', 'engine', 'machine-page', 'strategy', 'runtime', 'parameter'];

/** Words of the page of figures: said when the site is built, or handed to that page's script by the page itself. */
const OF_FIGURES = /^ui\.figures\.(page|live)\./;

/** The part of the table that the page needs: its own words, and the names of all parameters and of their choices. */
export function pageWords(table, labs) {
  const choices = new Set(labs.flatMap(({ parameters }) => parameters.filter(isChoice).map(({ id }) => id)));
  const names = new Set(['parameter', 'variant', ...choices]);
  const labIds = new Set(labs.map(({ id }) => id));
  const isOfPage = (id) => {
    if (OF_FIGURES.test(id)) return false;
    const [first, second] = id.split('.');
    return labIds.has(first) ? names.has(second) : OF_PAGE.includes(first) || choices.has(first);
  };
  return Object.fromEntries(Object.entries(table).filter(([id]) => isOfPage(id)));
}

function isChoice({ takes }) {
  return takes.type === 'choice';
}
