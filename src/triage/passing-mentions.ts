// Which files a report mentions only in passing: by a log, in a list, as what the reporter wrote or ran. Such a mention
// says nothing of the place of a fault.

import { markCode } from 'causeway-log-lines';
import { isListing } from './listing-lines.ts';
import { toPlainLines } from './report-text.ts';
import { findPlacesIn, type SignalPlace } from './signals.ts';

/** Characters that are read: a log goes on, no person does, and a megabyte held the event loop for half a second. */
const MOST_READ = 100_000;

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

/** How a compiler says by which files it came to the one that it complains of. */
const INCLUDED = /^\s{0,40}(?:\w{0,2} file included )?from \S{1,300}:\d{1,7}[,:]/;

/** A line that is nothing but the name of a file, with the marks of a heading, a comment or a label. */
const CAPTION =
  /^\s{0,40}(?:(?:#{1,6}|\/\/+|\/\*+|<!--|--|;;?|%|\*{1,2}|[-*+] |\d{1,2}[.)])\s{0,8})?(?:file(?:name)?\s{0,4}:?\s{0,4})?[`"'*_(]{0,3}[\w@.~/\\+()[\]$-]{3,200}[`"'*_):,]{0,4}\s{0,8}(?:\*\/|-->)?\s{0,40}$/i;

/** As in `<script src="/src/main.ts">`, `rerun-if-changed=src/cli.rs` and `?file=/src/index.js` of a playground's address. */
const ATTRIBUTE = /(?:\w=|\b(?:src|href|file|entry|main|path)\s?[=:]\s?)["']?$/i;

/** The file is what is run, opened or made, not what is at fault. */
const RUNS =
  /(?:(?:^|[\s`$>&|(])(?:node|deno|bun|tsx|ts-node|python[\d.]{0,5}|ruby|perl|php|sh|bash|zsh|source|go run|rustc|gcc|g\+\+|clang\+{0,2}|javac?|pytest|jest|mocha|vitest|eslint|prettier|biome|tsc|npx \S{1,40}|vim?|nano|cat|less|touch|rm|cp|mv|curl|wget)(?:\s+-{1,2}\S{1,60})*|\b(?:run|running|execute|executing|start|starting)(?: the)?(?: (?:script|program|file|example|code|command))?(?: (?:at|in|from))?)\s+[`"'([]{0,3}(?:https?:\S{0,200})?$/i;

/** A command after its prompt, or within backticks: `pylint cart.py --notes=x`. */
const PROMPT = /^\s{0,20}(?:\$|%|❯|>>>?|\.\.\.)\s/;

const IN_SPAN = /^[^`]*(?:`[^`]*`[^`]*)*`[^`]*\s$/;

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
  /^(?:\.?\/)?(?:(?:src|app|lib|pages|components|test|tests|examples?|demo)\/)?(?:index|main|app|server|client|test|tests|demo|example|script|config|conf|settings|manage|models|views|urls|__init__|__main__|setup|page|layout|foo|bar|baz|a|b|c|x|y|repro|reproduction|sample|hello|package|build|gulpfile|gruntfile|[\w-]{1,30}\.config)\.\w{1,6}$/i;

/** How a place of a report is remembered: by what is written, and the line. */
export function keyOfPlace({ file, line }: SignalPlace): string {
  return `${file}:${line}`;
}

/** The places that the report names at least once as more than a passing mention, as keys. */
export function findMeantPlaces(report: string): ReadonlySet<string> {
  const meant = new Set<string>();
  const lines = markCode(toPlainLines(report.slice(0, MOST_READ)));
  for (const [index, { text, kind }] of lines.entries()) {
    const isCode = kind === 'code';
    const isQuiet = [QUIET_LOG, TREE, PROMPT, INCLUDED].some((form) => form.test(text)) || isImport(text, isCode);
    if (kind === 'fence' || isQuiet || isListing(text)) continue;
    const places = findPlacesIn(text);
    if (places.length === 0 || new Set(places.map(({ file }) => file)).size > MOST_IN_LINE) continue;
    const line = { text, isCode, isCaption: CAPTION.test(text), isBeforeCode: lines[index + 1]?.kind === 'fence' };
    for (const place of places) if (isMeant(line, place)) meant.add(keyOfPlace(place));
  }
  return meant;
}

interface WrittenLine {
  readonly text: string;
  readonly isCode: boolean;
  readonly isCaption: boolean;
  /** Whether a block of code begins below it. */
  readonly isBeforeCode: boolean;
}

function isMeant({ text, isCode, isCaption, isBeforeCode }: WrittenLine, place: SignalPlace): boolean {
  const at = text.indexOf(place.file);
  const before = text.slice(Math.max(0, at - 120), at);
  const after = text.slice(at + place.file.length, at + place.file.length + 60);
  const isLinked = /https?:\S{0,120}$/.test(before);
  const isAnybodys = ANYBODYS.test(place.file) && !(isLinked && place.line > 0);
  if (ATTRIBUTE.test(before) || OWN.test(before)) return false;
  if (place.line > 0) return !(isAnybodys && isCode);
  // The name alone of what is shown in a sample, or below: `in models.py:`.
  const isShown = isCode || (isBeforeCode && /^[`"'*_)]{0,4}\s?:?\s?$/.test(after));
  if (isCaption || isAnybodys || (isShown && !/[/\\]/.test(place.file))) return false;
  return ![RUNS, COMPARED, IN_SPAN].some((passing) => passing.test(before)) && !FINE.test(after);
}
