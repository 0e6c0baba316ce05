// Tables: DataTables on the tables of the page, and on the pairs, which are rows of numbers.
// Text of files goes into the page as text alone: textContent, or DataTable.render.text().

const data = JSON.parse(document.getElementById("data").textContent);

// A library is a module that stands in the page as JSON, so that no part of it can end a script.
const library = (id) => {
  const text = JSON.parse(document.getElementById(id).textContent);
  return import(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
};

// Counts, and sums of ranks, are whole; of other numbers each column has as many digits.
const shown = (value, whole = false) => {
  const number = Number(value);
  if (value === null || Number.isNaN(number)) return "-";
  if (!Number.isFinite(number)) return number < 0 ? "-inf" : "inf";
  return whole && Number.isInteger(number) && Math.abs(number) >= 1
    ? number.toLocaleString("en")
    : number.toFixed(4);
};

const shownP = (p) => (p === null ? "-" : p < 0.001 ? "< 0.001" : p.toFixed(3));

const COUNTS = ["n", "parameter", "statistic"];
const ofNumber = (name) => (name.startsWith("p_") ? shownP : (value) => shown(value, COUNTS.includes(name)));

const LANGUAGE = { search: "Search", lengthMenu: "_MENU_ rows", info: "_START_ to _END_ of _TOTAL_" };

// The interval of number i of a pair, turned if A and B are; "" if it has none.
const shownEnds = (row, i, turned = false) => {
  const ends = data.pairs.ends[i].map((end) => end[row.row]);
  if (ends.length < 2 || ends.includes(null)) return "";
  const [low, high] = turned ? ends.map((end) => -Number(end)).reverse() : ends;
  return `[${shown(low)}, ${shown(high)}]`;
};

const pairRows = () => {
  const { first, second, columns, differs } = data.pairs;
  return first.map((a, row) => ({
    row, a, b: second[row], differs: differs[row] === 1,
    numbers: columns.map((column) => column[row]),
  }));
};

// What a cell of numbers is sorted by: "< 0.001*" by 0.001; NaN without a number, as of "-".
const cellNumber = (html, type) =>
  type === "display" || type === "filter" ? html : parseFloat(html.replace(/^[^\d+-]*/, "").replace(/,(?=\d{3})/g, ""));

// Orders numbers; a cell without one comes last, upwards and downwards.
const missingLast = (sign) => (a, b) =>
  Number.isNaN(a) || Number.isNaN(b) ? Number.isNaN(a) - Number.isNaN(b) : a < b ? -sign : a > b ? sign : 0;

const makeTables = async (choosePair) => {
  const { default: DataTable } = await library("tables-library"), tables = [];
  const order = DataTable.ext.type.order;
  [order["missing-last-asc"], order["missing-last-desc"]] = [missingLast(1), missingLast(-1)];
  for (const table of document.querySelectorAll("table.sortable")) {
    const long = table.tBodies[0].rows.length > 10;
    tables.push(new DataTable(table, {
      order: [], paging: long, searching: long, info: long, autoWidth: false, language: LANGUAGE,
      columnDefs: [{ targets: "number", type: "missing-last", render: cellNumber }],
    }));
  }
  const asText = DataTable.render.text(), topics = `${data.units[1]}s`;
  const wrapped = (name) => asText.display(name).replace(/[/_.-](?=\w)/g, "$&<wbr>");
  const system = (key) => (_, type, row) =>
    type === "display" ? wrapped(data.systems[row[key]]) : data.systems[row[key]];
  const { names, headers, columns } = data.pairs;
  // A number that all pairs have is said once, and has no column.
  const same = (i) => ["n", "parameter"].includes(names[i]) && new Set(columns[i]).size === 1;
  const said = headers.flatMap((header, i) => (same(i) ? [`${header} = ${shown(columns[i][0], true)}`] : []));
  document.getElementById("pairs-told").textContent = said.length ? `For every pair, ${said.join(" and ")}.` : "";
  const table = new DataTable("#pairs-table", {
    // Significant pairs are in view, the smallest p value first.
    data: pairRows().sort((x, y) => y.differs - x.differs || missingLast(1)(x.numbers[0] ?? NaN, y.numbers[0] ?? NaN)),
    deferRender: true, autoWidth: false, order: [], language: LANGUAGE,
    columns: [
      {
        title: 'A<span class="narrow"> and B</span>', className: "name", data: null,
        // On a narrow screen B stands below A, and has no column.
        render: (_, type, row) => {
          const [a, b] = [system("a")(_, type, row), system("b")(_, type, row)];
          return type === "display" ? `${a}<span class="narrow">${b}</span>` : a;
        },
      },
      { title: "B", className: "name wider", data: null, render: system("b") },
      ...headers.map((header, i) => ({
        title: asText.display(header) + (data.pairs.ends[i].length ? " [interval]" : ""),
        data: null, visible: !same(i), className: i > 1 ? "number wider" : "number", type: "missing-last",
        render: (_, type, row) => {
          const value = row.numbers[i];
          if (type !== "display") return value === null ? NaN : Number(value);
          const star = names[i] === data.pairs.decides && row.differs ? "*" : "";
          return `${asText.display(ofNumber(names[i])(value))}${star} <span class="ends">${shownEnds(row, i)}</span>`;
        },
      })),
      {
        title: "view", className: "view", data: null, orderable: false, searchable: false,
        render: (_, type, row) => {
          const pair = asText.display(`${topics} of ${data.systems[row.a]} and ${data.systems[row.b]}`);
          return `<button type="button" data-pair="${row.row}" aria-label="${pair}">${topics}</button>`;
        },
      },
    ],
  });
  table.search.fixed("only", (_text, row) => !document.getElementById("only").checked || row.differs);
  document.getElementById("only").addEventListener("change", () => table.draw());
  document.getElementById("pairs-table").addEventListener("click", (event) => {
    const button = event.target.closest("button[data-pair]");
    if (button) choosePair(Number(button.dataset.pair));
  });
  tables.push(table);
  for (const each of tables) {  // so that no two landmarks of the page have one name
    const [box, own] = [each.table().container(), each.table().node()];
    box.querySelector("nav")?.setAttribute("aria-label", `Pages of ${own.closest(".wide").getAttribute("aria-label")}`);
  }
  return tables;
};
