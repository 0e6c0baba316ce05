// The page: what the reader chooses, and what is shown then.

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
  const values = differencesFrom(centre, rows);
  const { headers, names, interval } = data.pairs;
  const title = headers[names.indexOf("estimate")];
  element("centre-told").textContent = data.systems[centre];
  element("differences-told").textContent =
    `Above 0, a system is ahead of ${data.systems[centre]}. ${data.pairs.estimated}. ${interval ? `Lines: ${interval}.` : ""}`;
  return draw("differences", (colors) => differencesSpec(values, title, colors), "svg", onPaper);
};

// The ends of intervals, each with the other end and the number that they are around.
const ENDS = { conf_low: ["conf_high", "estimate"], conf_high: ["conf_low", "estimate"],
  effect_low: ["effect_high", "effect_size"], effect_high: ["effect_low", "effect_size"] };

// Returns the numbers of a pair, with their names, for A and B as they were chosen.
const asChosen = (row, exchanged) => data.pairs.names.flatMap((name, place) => {
  const { names, headers, same, turned } = data.pairs;
  if (!exchanged || same.includes(name)) return [[headers[place], ofNumber(name)(row.numbers[place] ?? null)]];
  const [other, around] = ENDS[name] ?? [name, name];
  const value = row.numbers[names.indexOf(other)] ?? null;
  return turned.includes(around) ? [[headers[place], shown(value === null ? null : -Number(value))]] : [];
});

const showPair = (onPaper = false) => {
  const [a, b] = [Number(element("first").value), Number(element("second").value)];
  const row = rowOf(a, b), list = element("pair-numbers");
  const told = [["A", data.systems[a]], ["mean of A", shown(data.means[a])], ["B", data.systems[b]], ["mean of B", shown(data.means[b])]];
  if (data.scores.some((scores) => (scores[a] === null) !== (scores[b] === null)))
    told.push(["topics", "each mean uses the topics of its system; the difference uses the topics of both"]);
  if (!row) told.push(["test", a === b ? "choose two different systems" : "this pair was not tested"]);
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

const order = byMean(data.means);
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
})), data.best.title, colors));
drawLater("differences", showDifferences);
drawLater("pair-chart", showPair);
later("matrix", () => matrixSpec(matrixValues(), data.score), "canvas");
later("moves", (colors) => movesSpec(
  data.means.map((mean, s) => ({ system: data.systems[s], mean, raw: data.rawMeans[s] })),
  data.rawMean, data.mean, colors));
later("histogram", (colors) => histogramSpec(data.histogram, colors));
printWhole(tables);
await loadCharts();
document.documentElement.dataset.ready = "true";
