// Paper: all charts, all rows of tables that are not too long, and all that is folded.

// Rows of a table on paper; of a longer one the rows that are seen, and a sentence that says so.
const ROWS_ON_PAPER = 300;

const allRows = (table) => {
  const { length, recordsDisplay, recordsTotal } = table.page.info();
  if (recordsDisplay <= ROWS_ON_PAPER && length !== -1) table.page.len(-1).draw();
  const { start, end } = table.page.info(), told = document.createElement("p");
  told.className = "in-print small";
  const count = (number) => number.toLocaleString("en");
  if (end - start < recordsTotal) {
    told.textContent = `On paper: ${count(end - start)} of ${count(recordsTotal)} rows; the page has all.`;
  }
  table.table().container().append(told);
  return () => {
    told.remove();
    if (table.page.len() !== length) table.page.len(length).draw();
  };
};

const printWhole = (tables) => {
  let undo = [];
  window.addEventListener("beforeprint", () => {
    const folded = [...document.querySelectorAll("details:not([open])")];
    folded.forEach((each) => { each.open = true; });
    document.documentElement.classList.remove("dark");
    undo = [
      ...tables.map(allRows),
      () => folded.forEach((each) => { each.open = false; }),
      () => document.documentElement.classList.toggle("dark", dark.matches),
    ];
    drawOnPaper();
  });
  window.addEventListener("afterprint", () => {
    undo.forEach((each) => each());
    undo = [];
    document.querySelectorAll(".paper").forEach((each) => each.replaceChildren());
  });
};
