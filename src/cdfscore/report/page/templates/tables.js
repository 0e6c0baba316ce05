// Tables: DataTables on the tables of the page, and on the pairs, which are rows of numbers.
// Text of files goes into the page as text alone: textContent, or DataTable.render.text().

const data = JSON.parse(document.getElementById("data").textContent);

// A library is a module that stands in the page as JSON, so that no part of it can end a script.
const library = (id) => {
  const text = JSON.parse(document.getElementById(id).textContent);
  return import(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
};

const shown = (value, digits = 4) => {
  const number = Number(value);
  if (value === null || Number.isNaN(number)) return "-";
  if (!Number.isFinite(number)) return number < 0 ? "-inf" : "inf";
  return Number.isInteger(number) && digits !== 0 && Math.abs(number) >= 1
    ? String(number)
    : number.toFixed(digits);
};

const shownP = (p) => (p === null ? "-" : p < 0.001 ? "< 0.001" : p.toFixed(3));

const ofNumber = (name) => (name.startsWith("p_") ? shownP : (value) => shown(value));

const LANGUAGE = { search: "Search", lengthMenu: "_MENU_ rows", info: "_START_ to _END_ of _TOTAL_" };

const pairRows = () => {
  const { first, second, columns, differs } = data.pairs;
  return first.map((a, row) => ({
    row, a, b: second[row], differs: differs[row] === 1,
    numbers: columns.map((column) => column[row]),
  }));
};

// What a cell of numbers is sorted by: "< 0.001*" by 0.001; NaN without a number, as of "-".
const cellNumber = (html, type) =>
  type === "display" || type === "filter" ? html : parseFloat(html.replace(/^[^\d+-]*/, ""));

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
  const asText = DataTable.render.text();
  const system = (key) => (_, type, row) =>
    type === "display" ? asText.display(data.systems[row[key]]) : data.systems[row[key]];
  const { names, headers } = data.pairs;
  const table = new DataTable("#pairs-table", {
    data: pairRows().sort((x, y) => y.differs - x.differs),  // significant ones are in view
    deferRender: true, autoWidth: false, order: [], language: LANGUAGE,
    columns: [
      {
        title: "view", className: "view", data: null, orderable: false, searchable: false,
        render: (_, type, row) => {
          const pair = asText.display(`topics of ${data.systems[row.a]} and ${data.systems[row.b]}`);
          return `<button type="button" data-pair="${row.row}" aria-label="${pair}">topics</button>`;
        },
      },
      { title: "A", data: null, render: system("a") },
      { title: "B", data: null, render: system("b") },
      ...headers.map((header, i) => ({
        title: asText.display(header), data: null, className: "number", type: "missing-last",
        render: (_, type, row) => {
          const value = row.numbers[i];
          if (type !== "display") return value === null ? NaN : Number(value);
          const star = names[i] === data.pairs.decides && row.differs ? "*" : "";
          return asText.display(ofNumber(names[i])(value)) + star;
        },
      })),
    ],
  });
  table.search.fixed("only", (_text, row) => !document.getElementById("only").checked || row.differs);
  document.getElementById("only").addEventListener("change", () => table.draw());
  document.getElementById("pairs-table").addEventListener("click", (event) => {
    const button = event.target.closest("button[data-pair]");
    if (button) choosePair(Number(button.dataset.pair));
  });
  return [...tables, table];
};
