// Charts: what each is, in Vega-Lite. Labels of files are values of the data, never names of fields.
// The colors have the room of a chart beside its labels, in pixels, and the height of its rows.

const numeric = (field, title, more = {}) =>
  ({ field, type: "quantitative", title, scale: { zero: false }, ...more });

// Long titles have several lines; a letter of a title has 8 pixels at most.
const broken = (text, pixels) => {
  const lines = text.split(" ").reduce((lines, word) => {
    const last = lines[lines.length - 1];
    return last !== undefined && 8 * (last.length + word.length + 1) <= pixels
      ? [...lines.slice(0, -1), `${last} ${word}`] : [...lines, word];
  }, []);
  return lines.length === 1 ? text : lines;
};

// The axis of places that have names, if there is room for them.
const MOST_ROWS = 100;
const named = (names, fits) => fits
  ? { labelExpr: `${JSON.stringify(names)}[datum.value]`, labelOverlap: false, labelAngle: 0 }
  : { labels: false, ticks: false };
const namedBelow = (names, colors) =>
  ({ ...named(names, 12 * names.length < colors.room - 60), labelAngle: -90, labelLimit: 120 });

// Without a title on the axis; with the one that a screen reader says.
const bySystem =
  { field: "system", type: "nominal", sort: null, title: data.units[0], axis: { title: null } };

const differencesSpec = (values, title, domain, colors, legend) => ({
  data: { values },
  height: colors.row * Math.max(values.length, 3),
  encoding: {
    y: bySystem,
    color: {
      field: "differs", type: "nominal", title: null,
      scale: { domain: [DIFFERS, NOT_FOUND], range: [colors.mark, colors.off] },
      legend: legend && { orient: "top", direction: colors.room < 300 ? "vertical" : "horizontal" },
    },
    tooltip: [
      { field: "system", title: data.units[0] }, { field: "told", title: "difference" },
      { field: "p", title: "p" },
    ],
  },
  layer: [
    { data: { values: [{ zero: 0 }] }, mark: { type: "rule", aria: false, strokeDash: [3, 3], color: colors.off },
      encoding: { x: numeric("zero", title, { axis: { orient: "top" }, scale: { domain } }), y: null, color: null, tooltip: null } },
    { mark: { type: "rule", aria: false }, encoding: { x: numeric("low", title), x2: { field: "high" } } },
    { mark: { type: "point", filled: true, size: 35 }, encoding: { x: numeric("at", title) } },
  ],
});

// Means with intervals, or mean ranks with the best at the right.
const meansSpec = (values, title, colors) => ({
  data: { values },
  height: colors.row * Math.max(values.length, 3),
  encoding: {
    y: bySystem,
    color: { condition: { test: "datum.bar", value: colors.ink }, value: colors.mark },
    tooltip: [{ field: "system", title: data.units[0] }, { field: "told", title }],
  },
  layer: [
    { mark: { type: "rule", aria: false }, encoding: { x: numeric("low", title), x2: { field: "high" } } },
    { mark: { type: "point", filled: true, size: 35 },
      encoding: { x: numeric("at", title, { scale: { zero: false, reverse: data.best.ranks } }) } },
  ],
});

const pairSpec = (values, colors) => ({
  data: { values },
  height: 260,
  mark: { type: "bar" },
  encoding: {
    x: { field: "place", type: "ordinal", title: `${data.units[1]}s, ordered by difference`,
      axis: namedBelow(values.map(({ topic }) => topic), colors) },
    y: numeric("difference", "difference, A minus B", { scale: { zero: true } }),
    color: { condition: { test: "datum.difference < 0", value: colors.other }, value: colors.mark },
    tooltip: [
      { field: "topic", title: data.units[1] }, { field: "a", title: "A" }, { field: "b", title: "B" },
      { field: "difference", title: "difference", format: ".4f" },
    ],
  },
});

const matrixSpec = ({ values, topics, systems }, title, colors) => ({
  data: { values },
  height: systems.length > MOST_ROWS ? 420 : Math.round(0.86 * colors.row) * Math.max(systems.length, 10),
  mark: { type: "rect" },
  encoding: {
    x: { field: "x", type: "ordinal", title: `${data.units[1]}s, ordered by mean`,
      axis: namedBelow(topics, colors) },
    y: { field: "y", type: "ordinal", title: `${data.units[0]}s, best first`,
      axis: named(systems, systems.length <= MOST_ROWS) },
    color: numeric("score", broken(title, colors.room), { scale: { scheme: "viridis" }, legend: { orient: "top" } }),
    tooltip: [
      { field: "system", title: data.units[0] }, { field: "topic", title: data.units[1] },
      { field: "score", title: "score" }, ...("raw" in data ? [{ field: "raw", title: "raw" }] : []),
    ],
  },
});

const movesSpec = (values, xTitle, yTitle, colors) => ({
  data: { values },
  height: 300,
  mark: { type: "point", filled: true, color: colors.mark, size: 40 },
  encoding: {
    x: numeric("raw", broken(xTitle, colors.room)), y: numeric("mean", broken(yTitle, 300)),
    tooltip: [
      { field: "system", title: data.units[0] }, { field: "raw", title: xTitle },
      { field: "mean", title: yTitle },
    ],
  },
});

const histogramSpec = (values, colors) => ({
  data: { values },
  facet: { field: "scheme", type: "nominal", title: null },
  columns: Math.max(1, Math.floor(colors.room / 185)),
  spec: {
    width: 220, height: 150,
    layer: [
      { mark: { type: "bar", color: colors.mark },
        encoding: {
          x: { field: "low", type: "quantitative", bin: { binned: true }, title: "position in the fit (PIT)" },
          x2: { field: "high" },
          y: { field: "proportion", type: "quantitative", title: "proportion" },
          tooltip: [{ field: "scheme" }, { field: "low" }, { field: "high" }, { field: "proportion" }],
        } },
      ...(values.some((bin) => bin.band_low !== null) ? ["band_low", "band_high"] : []).map((end) => ({
        mark: { type: "rule", aria: false, color: colors.ink },
        encoding: { x: { field: "low", type: "quantitative" }, x2: { field: "high" },
          y: { field: end, type: "quantitative" } },
      })),
    ],
  },
});
