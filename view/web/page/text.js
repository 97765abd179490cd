// Untrusted text and HTML elements. Names of instances, help texts and messages come from logs and
// other programs: they reach the page only as text nodes and attributes, never as HTML.

// Every character that is not a letter, mark, number, punctuation, symbol or space. These are the
// control characters, the line separators and the characters that reverse the direction of text.
export const hidden = /[^\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]/gu;

// safe returns text with every hidden character escaped as in a Go string, such as \n or \u202e.
export function safe(text) {
  return String(text ?? '').replace(hidden, escape);
}

const short = {'\n': '\\n', '\r': '\\r', '\t': '\\t'};

function escape(character) {
  const code = character.codePointAt(0);
  if (short[character]) return short[character];
  if (code < 0x80) return '\\x' + code.toString(16).padStart(2, '0');
  if (code > 0xffff) return '\\U' + code.toString(16).padStart(8, '0');
  return '\\u' + code.toString(16).padStart(4, '0');
}

// prose returns a help text as one paragraph: line breaks become spaces.
export function prose(text) {
  return safe(String(text ?? '').replace(/\s+/g, ' ').trim());
}

// el returns a new element. A property that begins with "on" is an event listener, "text" is the
// text content, and the others are attributes; false and null omit an attribute. Strings among the
// children become text nodes. All text is escaped by safe.
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'text') element.textContent = safe(value);
    else if (name === 'value') element.value = value;
    else element.setAttribute(name, value === true ? '' : safe(value));
  }
  element.append(...nodes(children));
  return element;
}

// nodes omits absent children and escapes strings.
function nodes(children) {
  const present = children.flat().filter((child) => child !== false && child !== null && child !== undefined);
  return present.map((child) => (child instanceof Node ? child : safe(child)));
}

// fill replaces the children of an element.
export function fill(element, ...children) {
  element.replaceChildren(...nodes(children));
}

// refill replaces the children of an element, and keeps the focus on the element with the same
// data-key.
export function refill(element, ...children) {
  const {key} = element.contains(document.activeElement) ? document.activeElement.dataset : {};
  fill(element, ...children);
  if (key) element.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({preventScroll: true});
}

// name returns an element for an untrusted name. Its direction does not affect the text around it.
export function name(text, properties = {}) {
  return el('bdi', {text, ...properties});
}

// middle returns a text with at most this number of characters; others in its middle are omitted, because
// similar names differ at their ends.
export function middle(text, most) {
  const characters = [...text];
  if (characters.length <= most) return text;
  const half = (most - 1) / 2;
  return `${characters.slice(0, Math.ceil(half)).join('')}…${characters.slice(-Math.floor(half)).join('')}`;
}

// shortName returns the file name of a log if it is unique, and the host of a live source.
export function shortName(source, list) {
  if (source.live && source.host) return source.host;
  const base = (one) => one.name.split(/[/\\]/).filter(Boolean).at(-1) ?? one.name;
  return list.filter((one) => base(one) === base(source)).length === 1 ? base(source) : source.name;
}

// words returns the lower-case words of a search.
export function words(search) {
  return search.toLowerCase().split(/\s+/).filter(Boolean);
}

// hasWords reports whether a text contains all words.
export function hasWords(text, list) {
  const lower = text.toLowerCase();
  return list.every((word) => lower.includes(word));
}
