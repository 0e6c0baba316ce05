// Charts: what each is, in Vega-Lite. Labels of files are values of the data, never names of fields.

const numeric = (field, title, more = {}) =>
  ({ field, type: "quantitative", title, scale: { zero: false }, ...more });

const differencesSpec = (values, title, colors) => ({
  data: { values },
  height: 13 * Math.max(values.length, 3),
  encoding: {
    y: { field: "system", type: "nominal", sort: { field: "at", order: "descending" }, title: null },
    color: {
      field: "differs", type: "nominal", title: null,
      scale: { domain: [DIFFERS, NOT_FOUND], range: [colors.mark, colors.off] },
      legend: { orient: "top", direction: "vertical" },
    },
    tooltip: [
      { field: "system", title: "system" }, { field: "told", title: "difference" },
      { field: "p", title: "p" },
    ],
  },
  layer: [
    { data: { values: [{ zero: 0 }] }, mark: { type: "rule", aria: false, strokeDash: [3, 3], color: colors.off },
      encoding: { x: numeric("zero", title, { axis: { orient: "top" } }), y: null, color: null, tooltip: null } },
    { mark: { type: "rule", aria: false }, encoding: { x: numeric("low", title), x2: { field: "high" } } },
    { mark: { type: "point", filled: true, size: 35 }, encoding: { x: numeric("at", title) } },
  ],
});

// Means with intervals, or mean ranks with the best at the right.
const meansSpec = (values, title, colors) => ({
  data: { values },
  height: 14 * Math.max(values.length, 3),
  encoding: {
    y: { field: "system", type: "nominal", sort: null, title: null },
    color: { value: colors.mark },
    tooltip: [{ field: "system", title: "system" }, { field: "told", title }],
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
    x: { field: "place", type: "ordinal", title: "topics, ordered by difference", axis: { labels: false, ticks: false } },
    y: numeric("difference", "difference, A minus B", { scale: { zero: true } }),
    color: { condition: { test: "datum.difference < 0", value: colors.other }, value: colors.mark },
    tooltip: [
      { field: "topic", title: "topic" }, { field: "a", title: "A" }, { field: "b", title: "B" },
      { field: "difference", title: "difference", format: ".4f" },
    ],
  },
});

const matrixSpec = (values, title) => ({
  data: { values },
  height: 420,
  mark: { type: "rect" },
  encoding: {
    x: { field: "x", type: "ordinal", title: "topics, ordered by mean", axis: { labels: false, ticks: false } },
    y: { field: "y", type: "ordinal", title: "systems, best first", axis: { labels: false, ticks: false } },
    color: numeric("score", title, { scale: { scheme: "viridis" }, legend: { orient: "top", titleLimit: 600 } }),
    tooltip: [
      { field: "system", title: "system" }, { field: "topic", title: "topic" },
      { field: "score", title: "score" }, ...("raw" in data ? [{ field: "raw", title: "raw" }] : []),
    ],
  },
});

const movesSpec = (values, xTitle, yTitle, colors) => ({
  data: { values },
  height: 300,
  mark: { type: "point", filled: true, color: colors.mark, size: 40 },
  encoding: {
    x: numeric("raw", xTitle), y: numeric("mean", yTitle),
    tooltip: [
      { field: "system", title: "system" }, { field: "raw", title: xTitle },
      { field: "mean", title: yTitle },
    ],
  },
});

const histogramSpec = (values, colors) => ({
  data: { values },
  facet: { column: { field: "scheme", type: "nominal", title: null } },
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
