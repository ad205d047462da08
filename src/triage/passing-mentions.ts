// Which files a report mentions only in passing: by a log, in a list, as what the reporter wrote or ran. Such a mention
// says nothing of the place of a fault.

import { markCode } from 'causeway-log-lines';
import { toPlainLines } from './report-text.ts';
import { findPlacesIn, type SignalPlace } from './signals.ts';

/** A line that names more files is a list of them. */
const MOST_IN_LINE = 3;

/** What a program says when nothing is wrong. */
const QUIET_LOG = /^\W{0,4}(?:\d[\d:T.,Z/+-]{3,40}\W{1,4})?(?:DEBUG|TRACE|INFO|NOTICE|VERBOSE)\b/;

/** A folder drawn as a tree. */
const TREE = /[├└│]|^\s*\|--/;

const IMPORT =
  /^\s*(?:#\s*include\b|@?import\b|export\b.{1,200}\bfrom\b|from\s+\S{1,200}\s+import\b|use\s|mod\s|load\(|require(?:_relative)?\b|.{0,80}[=(\s]require\()/;

/** In C the mark is enough; the others are words of sentences as well. */
function isImport(text: string, isCode: boolean): boolean {
  return isCode ? IMPORT.test(text) : /^\s*#\s*include\b/.test(text);
}

/** A line that is nothing but the name of a file, with the marks of a heading, a comment or a label. */
const CAPTION =
  /^\s{0,40}(?:(?:#{1,6}|\/\/+|\/\*+|<!--|--|;;?|%|\*{1,2}|[-*+] |\d{1,2}[.)])\s{0,8})?(?:file(?:name)?\s{0,4}:?\s{0,4})?[`"'*_(]{0,3}[\w@.~/\\+()[\]$-]{3,200}[`"'*_):,]{0,4}\s{0,8}(?:\*\/|-->)?\s{0,40}$/i;

/** As in `<script src="/src/main.ts">` and `?file=/src/index.js` of a playground's address. */
const ATTRIBUTE = /(?:[?&][\w-]{1,20}=|\b(?:src|href|file|entry|main|path)\s?[=:]\s?["']?)$/i;

/** The file is what is run, opened or made, not what is at fault. */
const RUNS =
  /(?:(?:^|[\s`$>&|(])(?:node|deno|bun|tsx|ts-node|python[\d.]{0,5}|ruby|perl|php|sh|bash|zsh|source|go run|rustc|gcc|g\+\+|clang\+{0,2}|javac?|pytest|jest|mocha|vitest|eslint|prettier|biome|tsc|npx \S{1,40}|vim?|nano|cat|less|touch|rm|cp|mv|curl|wget)(?:\s+-{1,2}\S{1,60})*|\b(?:run|running|execute|executing|start|starting)(?: the)?(?: (?:script|program|file|example|code|command))?(?: (?:at|in|from))?)\s+[`"'([]{0,3}(?:https?:\S{0,200})?$/i;

/** The file is one of the reporter's own. */
const OWN =
  /\b(?:my|our|your|own|open|opened|create|creat(?:ed|ing)|make|new|save[ds]?|call(?:ed|s)|named)\s+(?:(?:a|an|the|this|file|following|new|simple|\w{1,20}'s)\s+){0,3}[`"'*_([]{0,4}$/i;

/** The file is what the one at fault is compared with. */
const COMPARED =
  /\b(?:unlike(?: in)?|similar to|same (?:as|way as)|like (?:it is )?in|as (?:it is )?in|instead of|rather than|other than|copied from|based on|inspired by|works? (?:fine |well |as expected )?in|not (?:in|from|by))\s+(?:(?:the|that|those|of|other|parts?|same|rest|what's|happening|file)\s+){0,6}[`"'*_([]{0,4}$/i;

const FINE =
  /^[`"'*_)\]]{0,4}\s+(?:looks?|is|are|seems?|works?)\s+(?:to be\s+)?(?:fine|ok(?:ay)?|good|correct|unaffected|as expected)\b/i;

/** Names that a project of any reporter has: `src/index.js` of the report need not be the one here. */
const ANYBODYS =
  /^(?:\.?\/)?(?:(?:src|app|lib|pages|components|test|tests|examples?|demo)\/)?(?:index|main|app|server|client|test|tests|demo|example|script|config|setup|page|layout|foo|bar|baz|a|b|c|x|y|repro|reproduction|sample|hello|package|build|gulpfile|gruntfile|[\w-]{1,30}\.config)\.\w{1,6}$/i;

/** How a place of a report is remembered: by what is written, and the line. */
export function keyOfPlace({ file, line }: SignalPlace): string {
  return `${file}:${line}`;
}

/** The places that the report names at least once as more than a passing mention, as keys. */
export function findMeantPlaces(report: string): ReadonlySet<string> {
  const meant = new Set<string>();
  const lines = markCode(toPlainLines(report));
  for (const { text, kind } of lines) {
    if (kind === 'fence' || QUIET_LOG.test(text) || TREE.test(text) || isImport(text, kind === 'code')) continue;
    const places = findPlacesIn(text);
    if (places.length === 0 || new Set(places.map(({ file }) => file)).size > MOST_IN_LINE) continue;
    const isCaption = CAPTION.test(text);
    for (const place of places) if (isMeant(text, place, isCaption)) meant.add(keyOfPlace(place));
  }
  return meant;
}

function isMeant(text: string, place: SignalPlace, isCaption: boolean): boolean {
  const at = text.indexOf(place.file);
  const before = text.slice(Math.max(0, at - 120), at);
  const after = text.slice(at + place.file.length, at + place.file.length + 60);
  if (place.line > 0) return !(ATTRIBUTE.test(before) || OWN.test(before));
  if (isCaption || ANYBODYS.test(place.file)) return false;
  return ![ATTRIBUTE, RUNS, OWN, COMPARED].some((passing) => passing.test(before)) && !FINE.test(after);
}
