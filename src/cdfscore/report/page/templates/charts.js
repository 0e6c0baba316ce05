// Charts: their data from the numbers of the page, and their drawing by Vega.

const DIFFERS = "significant", NOT_FOUND = "not significant";
const dark = window.matchMedia("(prefers-color-scheme: dark)");
let charts;

const palette = (place = document.documentElement) => {
  const style = getComputedStyle(place);
  const of = (name) => style.getPropertyValue(`--${name}`).trim();
  return { ink: of("ink"), grid: of("grid"), mark: of("mark"), off: of("off"), other: "#d55e00" };
};

const loadCharts = () => charts ??= library("charts-library");

// On paper a chart is light and as wide as the text, whatever it is on the screen.
const PAPER_WIDTH = 680, ROWS_OF_CHART = 30;

const draw = async (id, specOf, renderer = "svg", onPaper = false) => {
  await loadCharts();
  const place = typeof id === "string" ? document.getElementById(onPaper ? `${id}-paper` : id) : id;
  const room = onPaper ? PAPER_WIDTH : place.clientWidth, row = onPaper ? 9 : 14;
  const labelLimit = room * (room < 500 ? 0.42 : 0.33);
  const colors = { ...palette(place), room: room - labelLimit, row }, { ink, grid } = colors;
  const spec = specOf(colors);
  const text = { labelColor: ink, titleColor: ink };
  const config = {
    background: null, font: "system-ui, DejaVu Sans, sans-serif", view: { stroke: grid },
    axis: { ...text, gridColor: grid, domainColor: grid, tickColor: grid, titleLimit: 0,
      labelLimit, maxExtent: labelLimit + 30, labelFontSize: onPaper ? 8 : 10 },
    axisX: { tickCount: Math.max(Math.round(room / 100), 3), labelSeparation: 8 },
    legend: { ...text, titleLimit: 0 }, header: text, bar: { binSpacing: 0 }, point: { opacity: 1 },
  };
  const wide = "facet" in spec ? {} : { width: Math.max(room - 20, 240), autosize: { type: "fit-x", contains: "padding" } };
  const theme = dark.matches && !onPaper ? "dark" : undefined;
  const found = await vegaEmbed(place, { ...wide, ...spec, config }, { actions: false, renderer, theme });
  return found.view;
};

// Charts below what is seen are drawn when they are scrolled to; those of the paper when it is
// printed, which does not wait: there is no await in drawing but of what is there already.
const waiting = new Map();
const watcher = new IntersectionObserver((seen) => {
  for (const each of seen) if (each.isIntersecting) drawNow(each.target.id);
}, { rootMargin: "300px" });
const drawNow = (id) => {
  const make = waiting.get(id);
  if (make && !waiting.get(id).done) { make.done = true; make(); }
};
const drawLater = (id, make) => {
  const place = document.getElementById(id);
  if (!place) return;
  waiting.set(id, make);
  watcher.observe(place);
};
const drawOnPaper = () => { for (const make of waiting.values()) make(true); };
const drawAgain = () => { for (const make of waiting.values()) if (make.done) make(); };

const byMean = (means) => means.map((_, i) => i).sort((i, j) => (means[j] ?? -Infinity) - (means[i] ?? -Infinity));

// Groups of systems without a significant difference: a row for each, with a point for each system.
const barsOf = ({ at, systems, bars }) => bars.flatMap(([letter, places]) => {
  const own = places.map((place) => Number(at[place]));
  const [low, high] = [Math.min(...own), Math.max(...own)];
  return places.map((place, i) => ({ system: `group ${letter}`, at: own[i], low, high, bar: true,
    told: data.systems[systems[place]] }));
});

const differencesFrom = (centre, rows) => {
  const column = (row, name) => {
    const value = row.numbers[data.pairs.names.indexOf(name)];
    return value === undefined || value === null ? null : Number(value);
  };
  const has = (row) => column(row, "estimate") !== null;
  return rows.filter((row) => (row.a === centre || row.b === centre) && has(row)).map((row) => {
    const sign = row.b === centre ? 1 : -1;
    const at = sign * column(row, "estimate");
    const ends = (data.pairs.ends[data.pairs.names.indexOf("estimate")] ?? []).map((end) => end[row.row]);
    const lined = ends.length === 2 && !ends.includes(null) && ends.every((end) => Number.isFinite(Number(end)));
    const [x, y] = lined ? ends.map((end) => sign * end) : [at, at];
    const [low, high] = [Math.min(x, y), Math.max(x, y)];
    return {
      system: data.systems[sign === 1 ? row.a : row.b], at, low, high,
      differs: row.differs ? DIFFERS : NOT_FOUND,
      told: `${shown(at)}${lined ? ` [${shown(low)}, ${shown(high)}]` : ""}`,
      p: shownP(column(row, data.pairs.decides)),
    };
  }).sort((x, y) => y.at - x.at);
};

const pairValues = (a, b) => {
  const values = data.scores.map((row, t) => ({ topic: data.topics[t], a: row[a], b: row[b] }))
    .filter(({ a, b }) => a !== null && b !== null)
    .map((each) => ({ ...each, difference: each.a - each.b }))
    .sort((x, y) => y.difference - x.difference);
  return values.map((each, place) => ({ ...each, place }));
};

const matrixCells = () => {
  const mean = (row) => { const own = row.filter((v) => v !== null).map(Number); return own.reduce((s, v) => s + v, 0) / own.length; };
  const topics = byMean(data.scores.map(mean)), systems = data.order;
  const values = topics.flatMap((t, x) => systems.map((s, y) => ({
    x, y, topic: data.topics[t], system: data.systems[s], score: data.scores[t][s],
    ...(data.raw ? { raw: data.raw[t][s] } : {}),
  })));
  return { values, topics: topics.map((t) => data.topics[t]), systems: systems.map((s) => data.systems[s]) };
};
