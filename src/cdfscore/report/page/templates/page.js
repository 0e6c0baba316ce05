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
    `Each system minus ${data.systems[centre]}. ${data.mean}. ${interval ? `Lines are ${interval}.` : ""}`;
  return draw("differences", (colors) => differencesSpec(values, title, colors), "svg", onPaper);
};

const showPair = (onPaper = false) => {
  const chosen = [Number(element("first").value), Number(element("second").value)];
  const row = rowOf(...chosen), list = element("pair-numbers");
  const [a, b] = row ? [row.a, row.b] : chosen;  // A and B as they were tested
  const told = [["A", data.systems[a]], ["mean of A", shown(data.means[a])], ["B", data.systems[b]], ["mean of B", shown(data.means[b])]];
  if (!row) told.push(["test", a === b ? "choose two different systems" : "this pair was not tested"]);
  if (row) {
    data.pairs.names.forEach((name, i) => told.push([data.pairs.headers[i], ofNumber(name)(row.numbers[i])]));
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
  fill(element("centre"), tested, tested[0]);
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

const tables = await makeTables(choosePair);
drawLater("differences", showDifferences);
drawLater("pair-chart", showPair);
const later = (id, specOf, renderer) =>
  drawLater(id, (onPaper = false) => draw(id, specOf, renderer, onPaper));
later("matrix", () => matrixSpec(matrixValues(), data.score), "canvas");
later("moves", (colors) => movesSpec(
  data.means.map((mean, s) => ({ system: data.systems[s], mean, raw: data.rawMeans[s] })),
  data.rawMean, data.mean, colors));
later("both", (colors) => movesSpec(
  data.both, "mean in this collection", "mean in the other", colors));
later("histogram", (colors) => histogramSpec(data.histogram, colors));
printWhole(tables);
await loadCharts();
document.documentElement.dataset.ready = "true";
