// Counter paths: \\machine\object(parent/instance#index)\counter. The form has no escape; the
// separators are found by the same rules as in winperf.ParsePath.

import {hidden} from './text.js';

// The form: \\machine and (instance) may be absent. A name may contain parentheses, so the last ) before a
// backslash ends it.
const form = /^(?:\\\\([^\\]+))?\\([^(\\]+)(?:\((.*)\))?\\(.*)$/s;

// parsePath returns {machine, object, instance, counter}, or null if the text is no path. instance
// is null if the path has no parentheses; it includes the index.
export function parsePath(text) {
  const [, machine = '', object, instance = null, counter] = form.exec(text) ?? [];
  return counter ? {machine, object, instance, counter} : null;
}

// formatPath returns a path without a machine. Paths cannot contain control characters, and other hidden
// characters would be invisible in an input, so the wildcard ? replaces them.
export function formatPath({object, instance, counter}) {
  const group = instance === null || instance === undefined ? '' : `(${instance})`;
  return `\\${object}${group}\\${counter}`.replace(hidden, '?');
}

// keyOf returns the part of a path that is equal in logs of different machines.
export function keyOf(text) {
  const path = parsePath(text);
  return (path ? formatPath(path) : text).toLowerCase();
}

// hasWildcard reports whether a name may match several names.
export function hasWildcard(text) {
  return /[*?]/.test(text ?? '');
}

// A chart entry is a path with an optional limit: "10:\Process(*)\% Processor Time" draws the ten
// instances with the highest averages.
export function parseEntry(text) {
  const [, top = 0, path] = /^(?:(\d{1,4}):)?(.*)$/s.exec(text.replace(hidden, '?'));
  return parsePath(path) ? {top: Number(top), path} : null;
}

export function formatEntry({top, path}) {
  return top > 0 ? `${top}:${path}` : path;
}

// label returns the short name of a series among series that share the fields in "same".
export function label(path, same = {}) {
  const parts = [];
  if (path.instance !== null && path.instance !== undefined) parts.push(path.instance || '(no name)');
  if (!same.counter) parts.push(path.counter);
  if (!same.object) parts.unshift(path.object);
  return parts.join(' · ') || path.counter;
}

// isSum reports whether an instance is a sum over other instances, or idle time. Such instances are
// no candidates for the largest ones.
export function isSum(path) {
  const instance = (path.instance ?? '').toLowerCase();
  if (/(^|[/,])_total$/.test(instance)) return true;
  return instance === 'idle' && /^(process|process v2|thread)$/i.test(path.object);
}
