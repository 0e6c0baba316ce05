// The page: what the reader chooses, and what is shown then.

const [system, topics] = [data.units[0], `${data.units[1]}s`];
const element = (id) => document.getElementById(id);
const rows = pairRows();
const rowOf = (a, b) => rows.find((row) => (row.a === a && row.b === b) || (row.a === b && row.b === a));

const fill = (select, systems, chosen) => {
  select.replaceChildren(...systems.map((s) => {
    const option = new Option(data.systems[s], s);
    option.selected = s === chosen;
    return option;
  }));
};

const showDifferences = (onPaper = false) => {
  const centre = Number(element("centre").value);
  const values = differencesFrom(centre, rows), ends = values.flatMap(({ low, high }) => [low, high]);
  const domain = [Math.min(0, ...ends), Math.max(0, ...ends)];
  const { headers, names, interval } = data.pairs;
  const title = headers[names.indexOf("estimate")];
  element("centre-told").textContent = data.systems[centre];
  element("differences-told").textContent =
    `Above 0, a ${system} is ahead of ${data.systems[centre]}. ${data.pairs.estimated}. ${interval ? `Lines: ${interval}.` : ""}`;
  const spec = (part, legend) => (colors) => differencesSpec(part, broken(title, colors.room), domain, colors, legend);
  if (!onPaper) return draw("differences", spec(values, true));
  const whole = element("differences-paper");  // a chart cannot be broken between pages
  for (let i = 0; i < values.length; i += ROWS_OF_CHART) {
    const part = document.createElement("div");
    whole.append(part);
    draw(part, spec(values.slice(i, i + ROWS_OF_CHART), i === 0 || null), "svg", true);
  }
};

// Returns the numbers of a pair, with their names, for A and B as they were chosen.
const asChosen = (row, exchanged) => data.pairs.names.flatMap((name, place) => {
  const { headers, same, turned } = data.pairs, value = row.numbers[place] ?? null;
  const isTurned = exchanged && !same.includes(name), told = [];
  if (isTurned && !turned.includes(name)) return told;
  told.push([headers[place], ofNumber(name)(isTurned && value !== null ? -Number(value) : value)]);
  const ends = shownEnds(row, place, isTurned);
  if (ends) told.push([`interval of ${headers[place]}`, ends]);
  return told;
});

const showPair = (onPaper = false) => {
  const [a, b] = [Number(element("first").value), Number(element("second").value)];
  const row = rowOf(a, b), list = element("pair-numbers");
  const told = [["A", data.systems[a]], ["mean of A", shown(data.means[a])], ["B", data.systems[b]], ["mean of B", shown(data.means[b])]];
  if (data.scores.some((scores) => (scores[a] === null) !== (scores[b] === null)))
    told.push([topics, `each mean uses the ${topics} of its ${system}; the difference uses the ${topics} of both`]);
  if (!row) told.push(["test", a === b ? `choose two different ${system}s` : "this pair was not tested"]);
  if (row) {
    told.push(...asChosen(row, row.a !== a));
    const reason = data.pairs.reasons[row.row];
    if (reason) told.push(["no number because", reason]);
  }
  list.replaceChildren(...told.map(([term, value]) => {
    const group = document.createElement("div");
    for (const [tag, text] of [["dt", term], ["dd", value]]) {
      const part = document.createElement(tag);
      part.textContent = text;
      group.append(part);
    }
    return group;
  }));
  return draw("pair-chart", (colors) => pairSpec(pairValues(a, b), colors), "svg", onPaper);
};

const choosePair = (row) => {
  element("first").value = rows[row].a;
  element("second").value = rows[row].b;
  showPair();
  element("pair").scrollIntoView();
  element("first").focus({ preventScroll: true });
};

const { order } = data;
if (data.pairs.isDifference) {
  const tested = order.filter((s) => rows.some((row) => row.a === s || row.b === s));
  fill(element("centre"), tested, data.pairs.centre);
  element("centre").addEventListener("change", () => showDifferences());
}
fill(element("first"), order, order[0]);
fill(element("second"), order, order[1]);
for (const id of ["first", "second"]) element(id).addEventListener("change", () => showPair());

document.documentElement.classList.toggle("dark", dark.matches);
dark.addEventListener("change", () => {
  document.documentElement.classList.toggle("dark", dark.matches);
  drawAgain();
});

const later = (id, specOf, renderer) =>
  drawLater(id, (onPaper = false) => draw(id, specOf, renderer, onPaper));

const tables = await makeTables(choosePair);
later("means", (colors) => meansSpec(data.best.systems.map((s, i) => ({
  system: data.systems[s], at: data.best.at[i], low: data.best.low[i], high: data.best.high[i],
  told: data.best.told[i],
})).concat(barsOf(data.best)), broken(data.best.title, colors.room), colors));
drawLater("differences", showDifferences);
drawLater("pair-chart", showPair);
later("matrix", (colors) => matrixSpec(matrixCells(), data.score, colors), "canvas");
later("moves", (colors) => movesSpec(
  data.means.map((mean, s) => ({ system: data.systems[s], mean, raw: data.rawMeans[s] })),
  data.rawMean, data.mean, colors));
later("histogram", (colors) => histogramSpec(data.histogram, colors));
printWhole(tables);
await loadCharts();
document.documentElement.dataset.ready = "true";
