// Creating elements, and texts that all views use.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child != null && child !== false));
  return element;
}

/** An HTML element: `h("p", {class: "note"}, "text")`. */
export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** An SVG element. */
export function s(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** A button that does something. */
export function button(text, action, attributes = {}) {
  return h("button", { type: "button", onclick: action, ...attributes }, text);
}

/** What tells a control from others: equal ones of a table differ by their rows. */
const signOf = (control) => [control.tagName, control.getAttribute("aria-label") ?? control.textContent, control.closest("[data-id]")?.dataset.id].join();

/**
 * Replaces the content of an element. The control in it that has the focus has it afterwards; if it is gone, the one in
 * its place, but none of another row.
 */
export function refill(element, ...children) {
  const { activeElement: focused } = document;
  const controls = () => [...element.querySelectorAll("button, input, a")];
  const alike = () => controls().filter((control) => signOf(control) === signOf(focused));
  const [index, place] = element.contains(focused) ? [controls().indexOf(focused), alike().indexOf(focused)] : [-1, -1];
  element.replaceChildren(...children);
  if (index < 0) return;
  const next = alike()[place] ?? alike()[0] ?? (focused.closest("tr") ? null : controls()[index]);
  next?.focus({ preventScroll: true });
}

/** The key that was pressed; of keyboards with other letters, and with Caps Lock, the Latin letter in its place. */
export function keyOf({ key, code }) {
  const isLetter = /^Key[A-Z]$/.test(code) && !/^[ -~]$/.test(key);
  return isLetter ? code.at(-1).toLowerCase() : key.length === 1 ? key.toLowerCase() : key;
}

/** Announces a text to screen readers. */
export function announce(text) {
  document.getElementById("announcer").textContent = text;
}

export function capitalized(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A number of seconds as 59s, 4m05s or 2h03m. */
export function duration(seconds) {
  const whole = Math.floor(seconds);
  const two = (n) => String(n).padStart(2, "0");
  if (whole < 60) return `${whole}s`;
  if (whole < 3600) return `${Math.floor(whole / 60)}m${two(whole % 60)}s`;
  return `${Math.floor(whole / 3600)}h${two(Math.floor(whole / 60) % 60)}m`;
}

/** Large numbers with thin spaces, small ones with enough digits. */
export function figure(value) {
  if (value == null || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size >= 1000) return Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, "\u2009");
  if (size >= 100 || Number.isInteger(value)) return value.toFixed(0);
  if (size >= 10) return value.toFixed(1);
  if (size >= 0.01 || size === 0) return value.toFixed(3);
  return value.toExponential(1);
}
