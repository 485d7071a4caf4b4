// Tables that the user sorts.

import { button, h, refill } from "./dom.js";

/** A table whose columns, {name, key, cell, kind}, sort it; a kind is a class of its cells. */
export class SortedTable {
  constructor(columns, order, descending) {
    Object.assign(this, { columns, order, descending, rows: [] });
    this.element = h("div", { class: "stack" });
  }

  /** Shows rows. */
  show(rows) {
    this.rows = rows;
    const column = this.columns.find(({ name }) => name === this.order) ?? this.columns.find(({ key }) => key);
    const key = (row) => column.key(row) ?? -Infinity;
    const compare = (a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0) * (this.descending ? -1 : 1);
    const head = this.columns.map(({ name, key: sorts, kind }) => {
      const direction = name === this.order ? (this.descending ? "descending" : "ascending") : null;
      const content = sorts ? button(name, () => this.sort(name), { class: "quiet" }) : name;
      return h("th", { "aria-sort": direction, scope: "col", class: kind }, content);
    });
    const body = [...rows].sort(compare).map((row) => h("tr", {}, ...this.columns.map(({ name, cell, kind }) => h("td", { class: kind, "data-label": name }, cell(row)))));
    refill(this.element, h("table", {}, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...body)));
  }

  sort(name) {
    this.descending = this.order === name ? !this.descending : true;
    this.order = name;
    this.show(this.rows);
  }
}
