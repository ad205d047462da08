// What a report contains by itself: stack traces, places, errors, paths, identifiers, commands, versions.

import { readLogHeading } from 'causeway-ci-log';
import { isLogLine, markCode } from 'causeway-log-lines';
import { findIdentifiers, findWords, type Identifier, type Word } from './identifiers.ts';
import { isListing } from './listing-lines.ts';
import { cleanPath } from './paths.ts';
import { findErrors, formatError, MAX_MESSAGE, type ReportedError } from './report-errors.ts';
import { cleanTitle, isSetUpCommand, MAX_TITLE, toPlainLines } from './report-text.ts';
import { keepFailing } from './traces/failing-traces.ts';
import type { Trace } from './traces/find-traces.ts';
import { findTraces } from './traces/find-traces.ts';

export interface Signals {
  /** The first line; "" where the report begins with a log. */
  readonly title: string;
  /** In the order of the text, but roots of a chain of causes first. */
  readonly traces: readonly Trace[];
  /** `path:line` outside of traces, as compilers, linters and people write it. */
  readonly places: readonly SignalPlace[];
  readonly errors: readonly ReportedError[];
  readonly paths: readonly string[];
  /** Lines that look like code of some project, outside of traces. */
  readonly quoted: readonly string[];
  /** Names that look like code, the most informative first. */
  readonly identifiers: readonly Identifier[];
  /** Plain words, the most informative first. */
  readonly words: readonly Word[];
  readonly commands: readonly string[];
  readonly versions: readonly NamedVersion[];
  /** What may be a commit id: 7 to 40 hexadecimal digits, letters and digits mixed. */
  readonly shas: readonly string[];
}

/** At most so many lines are read for names and words: the rest of a log repeats them. */
const PROSE_LINES = 4_000;

/** Finds all signals in a text of up to 1 MiB; linear in its length. */
export function findSignals(text: string): Signals {
  const lines = toPlainLines(text);
  const { traces: all, lines: traced } = findTraces(lines);
  const traces = keepFailing(all, text);
  const rest = lines.filter((_, index) => !traced.has(index));
  const prose = rest.slice(0, PROSE_LINES);
  const title = readTitle(lines);
  const naming = prose.filter((line) => !isSetUpCommand(line) && !isListing(line));
  const { paths, places } = findPaths(rest);
  const commands = findCommands(prose);
  return {
    title,
    traces,
    places: removeRanges(traces, places),
    errors: findErrors({ lines, rest, traces, commands }),
    paths,
    quoted: findQuotedLines(prose),
    identifiers: findIdentifiers(naming, title, commands),
    words: findWords(naming, title),
    commands,
    versions: [...findInstalledVersions(traces), ...findVersions(prose)],
    shas: findShas(prose),
  };
}

/**
 * What a report is about, by what it begins with: its first line, or the error that it says first; "" where it says
 * neither.
 */
export function readReportTitle(beginning: string): string {
  const { title, errors } = findSignals(beginning);
  if (title !== '') return title;
  const error = errors.find(({ from }) => from !== 'quote');
  return error === undefined ? '' : formatError(error);
}

/** Whether the text gives nothing to look up. */
export function isSilent(signals: Signals): boolean {
  return (
    signals.traces.length + signals.places.length + signals.paths.length + signals.errors.length === 0 &&
    signals.identifiers.length + signals.words.length === 0
  );
}

/** A place that a frame names as well is the frame's: Node prints it again above its error. */
function removeRanges(traces: readonly Trace[], places: readonly SignalPlace[]): readonly SignalPlace[] {
  const keyOf = ({ file, line }: SignalPlace): string => `${cleanPath(file)}:${line}`;
  const framed = new Set(traces.flatMap(({ frames }) => frames.map(keyOf)));
  return places.filter((place) => !framed.has(keyOf(place)));
}

/** The first line that is more than the label of a form. */
export function readTitle(lines: readonly string[]): string {
  for (const line of lines) {
    if (readLogHeading(line) !== null) continue;
    const title = cleanTitle(line);
    if (/[\p{L}\p{N}]/u.test(title)) return isLogLine(line) ? '' : title.slice(0, MAX_TITLE);
  }
  return '';
}

function findShas(lines: readonly string[]): readonly string[] {
  const shas = new Set<string>();
  for (const line of lines) {
    for (const [sha] of line.matchAll(/(?<![\w-])[0-9a-f]{7,40}(?![\w-])/g)) {
      if (/\d/.test(sha) && /[a-f]/.test(sha) && shas.size < 10) shas.add(sha);
    }
  }
  return [...shas];
}

const MAX_COMMANDS = 20;

const PROGRAMS =
  'npm|npx|yarn|pnpm|bun|bunx|deno|node|python3?|pip3?|pytest|gh|sls|serverless|terraform|ansible(?:-playbook)?|brew|tox|poetry|uv|go|cargo|rustc|dotnet|mvn|\\./mvnw|gradle|\\./gradlew|java|kotlinc|docker|docker-compose|kubectl|helm|make|git|curl|bash|sh|php|composer|ruby|bundle|rake|tsc|jest|vitest|eslint|webpack|vite|next';

const PROMPT = /^\s*(?:\$|%|❯|PS [^>]{1,100}>|[\w.-]{1,40}@[\w.-]{1,60}[^$#]{0,100}[$#]) +(\S.{1,300})$/;

const BARE = new RegExp(`^\\s*(?:[A-Z_]{2,40}=\\S{1,100} )?(?:${PROGRAMS}) [\\w./-][^\`]{0,300}$`);

const SPAN = new RegExp(`\`((?:${PROGRAMS}) [^\`]{1,200})\``, 'g');

/** Any program: in quotes or backticks behind a word for running it, or with an option. */
const RUN =
  /\b(?:run(?:s|ning)?|ran|execut(?:e|es|ed|ing)|invok(?:e|es|ed|ing)|typ(?:e|ed|ing)|issu(?:e|ed|ing)|try(?:ing)? to|tried(?: to)?|commands?)(?: the command)?:? ["'`“]([a-z][\w./-]{0,40}(?: [^"`”]{1,200})?)["'`”]/gi;

const WITH_OPTION = /`([a-z][\w./-]{0,40}(?: [\w./:@-]{1,60}){0,6} --?[a-z][^`]{0,200})`/g;

/** Distinct commands in the order of the text: after a prompt, in a code block, or quoted. */
function findCommands(lines: readonly string[]): readonly string[] {
  const commands = new Set<string>();
  for (const { text, kind } of markCode(lines)) {
    for (const command of [...readShellLine(text, kind === 'code'), ...findQuotedCommands(text)]) commands.add(command);
    if (commands.size >= MAX_COMMANDS) break;
  }
  return [...commands];
}

/** The command that the whole line is. */
function readShellLine(line: string, isCode: boolean): readonly string[] {
  const prompted = PROMPT.exec(line)?.[1];
  if (prompted && /^[\w./]/.test(prompted)) return [prompted.trim()];
  return isCode && BARE.test(line) ? [line.trim()] : [];
}

function findQuotedCommands(line: string): readonly string[] {
  const start = line.slice(0, 500);
  return [SPAN, RUN, WITH_OPTION].flatMap((form) => [...start.matchAll(form)].map((span) => (span[1] ?? '').trim()));
}

export interface NamedVersion {
  /** Without a leading `v`, such as `1.2.3-rc.1`. */
  readonly version: string;
  /** The word before it in lower case, such as `clap` of `clap 2.33`; "" if there is none, or none that names something. */
  readonly of: string;
  /** The text before it in its part of the sentence, in lower case. */
  readonly context: string;
  /** Whether the text presents it as the version in use (`version: 1.2.3`), or as a tag (`v1.2.3`). */
  readonly labelled: boolean;
  /** Whether it belongs to something that is not the project: a language, an operating system, a browser. */
  readonly foreign: boolean;
  /** Whether the text says that the problem is not there (`works in 1.2.2`). */
  readonly fine: boolean;
}

const MAX_VERSIONS = 40;

/** Not before a unit: `(3.94ms)` is how long a test took, `3.20 EUR` and `$3.20` what something costs. */
const VERSION =
  /(?<![\w.]|[$€£¥] ?)v?(\d{1,5}\.\d{1,5}(?:\.\d{1,5}){0,2}(?! ?(?:[mnµu]?s|secs?|seconds?|min(?:ute)?s?|hours?|[kmgt]i?b|eur|usd|gbp|chf|jpy|euros?|dollars?|cents?)\b| ?[%$€£¥])(?:[-.]?(?:alpha|beta|rc|pre|dev|next|canary|snapshot|M)[.-]?\d{0,5})?)(?![\w.]*\d)/gi;

const FOREIGN =
  /\b(?:node(?:\.?js)?|npm|yarn|pnpm|bun|deno|c?python3?|pypy|pip|conda|java|jdk|jre|jvm|openjdk|kotlin|gradle|maven|golang|go|rustc?|cargo|rustup|dotnet|\.net|net|macos|osx|os|ubuntu|debian|fedora|centos|alpine|windows|linux|kernel|ios|ipados|android|chrome|chromium|firefox|safari|edge|opera|browser|docker|kubernetes|k8s|postgres(?:ql)?|mysql|redis|sqlite|gcc|clang|glibc|openssl|http|tls|ip|gpu|cuda|typescript|webpack|vscode|eclipse|intellij)\b/i;

const FINE =
  /\b(?:works?|worked|working|fine|ok|fixed|good|not (?:affected|present)|last (?:good|working)|downgrad\w+)\b[^.,;]{0,30}$/i;

/** `worked before 5.2`: the version is the one that broke it. */
const UP_TO = /\b(?:before|prior to)\W{1,4}(?:[\w@/-]{1,40}\W{1,3})?$/i;

/** As in `.version("1.0.0")`: of the reporter's own sample. */
const ARGUMENT = /\( ?["'`]$/;

/** As in `duration_ms: 1.498` and `time="0.05"`. */
const MEASURED = /(?:duration|elapsed|time)(?:_m?s)?["']?[ :=]{1,3}["']?$/i;

/** As in `updated to 1.3.0`: no program has such a name. */
const NO_NAME =
  /^(?:in|on|at|with|using|since|before|after|until|till|to|of|from|is|was|are|the|and|or|not|than|again|also|now|only|still|starting|beginning|broke|broken|breaks|working|works|worked|introduced|upgraded?|updated?|upgrading|updating|downgraded?|previous|earlier|later|older|newer|through|within|between|under|regression|bug|bis|seit|ab|auf|von|mit|vor|nach|depuis|desde|hasta|en|dans|avec|con|de|da|a|al|good|bad|fine|ok|to|\d.*)$/;

/** In the order of the text; equal ones once. */
function findVersions(lines: readonly string[]): readonly NamedVersion[] {
  const found = new Map<string, NamedVersion>();
  for (const line of lines) {
    if (line.length > 500 || found.size >= MAX_VERSIONS) continue;
    for (const { version } of findVersionsIn(line)) {
      const key = `${version.of} ${version.version}`;
      if (!found.has(key)) found.set(key, version);
    }
  }
  return [...found.values()];
}

/** A version and where it stands in its line, without what is before and behind it. */
export interface VersionPlace {
  readonly version: NamedVersion;
  readonly from: number;
  readonly to: number;
}

/** All of one line, in its order. */
export function findVersionsIn(line: string): readonly VersionPlace[] {
  return [...line.matchAll(VERSION)].flatMap((match) => {
    const { index } = match;
    const before = line.slice(Math.max(0, index - 20), index);
    if (ARGUMENT.test(before.slice(-4)) || MEASURED.test(before)) return [];
    const version = parseNamedVersion(line, index, match[0], match[1] ?? '');
    return [{ version, from: index, to: index + match[0].length }];
  });
}

function parseNamedVersion(line: string, index: number, text: string, version: string): NamedVersion {
  const before = line.slice(Math.max(0, index - 80), index);
  const clause = before.slice(Math.max(before.lastIndexOf(','), before.lastIndexOf(';'), before.lastIndexOf('|')) + 1);
  const last = /([@\w][\w@/.-]{0,60})[^\w]{0,6}$/.exec(clause)?.[1] ?? '';
  const word = last.replace(/(?<![@/.-])[@/.-]+$/, '').toLowerCase();
  return {
    version,
    of: NO_NAME.test(word) ? '' : word,
    context: clause.toLowerCase(),
    labelled: /^v/i.test(text) || /\b(?:version|release|tag|v)\b[^\w]{0,6}$/i.test(clause),
    foreign: FOREIGN.test(clause),
    fine: FINE.test(clause) && !UP_TO.test(clause),
  };
}

const FORMS = [
  /(?:^|\/)([A-Za-z0-9][\w.]{0,100})-(\d[\w.]{0,40})(?:-[^/]{1,120})?\.(?:egg|whl)\//,
  /(?:^|\/)registry\/src\/[^/]{1,100}\/([\w-]{1,100}?)-(\d[\w.+-]{0,40})\//,
  /(?:^|\/)([^@\s]{1,200})@v(\d[\w.+-]{0,60})\/[^@]{1,300}\.go$/,
];

const MODULE_CACHE = /^.*\/pkg\/mod\//;

/** Each package's version once, in the order of the frames; for that package only. */
function findInstalledVersions(traces: readonly Trace[]): readonly NamedVersion[] {
  const found = new Map<string, NamedVersion>();
  for (const { file } of traces.flatMap(({ frames }) => frames)) {
    const path = file.replaceAll('\\', '/').replace(MODULE_CACHE, '');
    const match = FORMS.map((form) => form.exec(path)).find((one) => one !== null);
    if (!match) continue;
    const [, name = '', version = ''] = match;
    const of = name.toLowerCase();
    found.set(`${of} ${version}`, { version, of, context: of, labelled: false, foreign: false, fine: false });
  }
  return [...found.values()];
}

export interface SignalPlace {
  readonly file: string;
  readonly line: number;
}

const MAX_PATHS = 200;

const EXTENSION =
  /\.(?:[cm]?[jt]sx?|pyi?|java|kts?|go|rs|cs|rb|php|swift|scala|groovy|c|cc|cpp|cxx|h|hpp|mm|vue|svelte|astro|s?css|less|html|sql|sh|ps1|exs?|erl|hs|lua|dart|clj|proto|graphql|json|ya?ml|toml|xml|gradle|cfg|ini|tf)(?=$|[:([#,])/i;

/** A runtime or framework in a sentence. The bare name of a file that is called so is not a loss. */
const PRODUCT = /^(?:Node|Vue|Next|Nuxt)\.js$/;

const LINE = /^(?::(\d{1,7})|:?[([](\d{1,7})[,)\]]|#L(\d{1,7}))/;

const SOURCE_LINK =
  /https?:\/\/[^\s/]{3,100}\/[^\s/?]{1,100}\/[^\s/?]{1,100}\/(?:-\/)?(?:blob|blame|src)\/[^\s/]{1,100}\/([^\s?#)\]>"']{3,400})(?:#L(\d{1,7}))?/g;

/** Distinct paths and places in the order of the text; what a program only lists is none. */
function findPaths(lines: readonly string[]): {
  readonly paths: readonly string[];
  readonly places: readonly SignalPlace[];
} {
  const found = new Map<string, SignalPlace>();
  for (const line of lines) {
    if (isListing(line)) continue;
    for (const place of findPlacesIn(line)) found.set(`${place.file}:${place.line}`, place);
    if (found.size >= MAX_PATHS) break;
  }
  const all = [...found.values()].slice(0, MAX_PATHS);
  return {
    paths: all.filter(({ line }) => line === 0).map(({ file }) => file),
    places: all.filter(({ line }) => line > 0),
  };
}

/** Of one line; a place of line 0 is a path. */
export function findPlacesIn(line: string): readonly SignalPlace[] {
  const links = [...line.matchAll(SOURCE_LINK)].map((link) => ({ file: link[1] ?? '', line: Number(link[2] ?? 0) }));
  const tokens = line.split(/(?:[\s"'`<>|;{}=*]|\]\()+/).filter((token) => token.length >= 4 && token.length <= 400);
  return [...links, ...tokens.flatMap((token) => toSignalPlace(token) ?? [])];
}

/** `path:12:5:`, `path(12,5):`, `path:[12,5]`, `path#L12` or a bare path. */
function toSignalPlace(token: string): SignalPlace | null {
  const bare = token.replace(/^[([,]+/, '').replace(/[.,]$/, '');
  const extension = /^https?:/.test(bare) ? null : EXTENSION.exec(bare);
  if (!extension) return null;
  const end = extension.index + extension[0].length;
  const file = bare.slice(0, end);
  if (!/^[\w@.~/\\:+()[\]$-]+$/.test(file) || /^\.\w+$/.test(file)) return null;
  const line = LINE.exec(bare.slice(end));
  if (line === null && PRODUCT.test(file)) return null;
  return { file, line: Number(line?.[1] ?? line?.[2] ?? line?.[3] ?? 0) };
}

const MAX_QUOTED = 40;

/** A line of code: an assignment, a call or the head of a block. */
const CODE_LINE = /[=(].{0,180}[;{}),:\]]$/;

/** Distinct lines with three names and more, without the marks of a diff. */
function findQuotedLines(lines: readonly string[]): readonly string[] {
  const found = new Set<string>();
  for (const { text } of markCode(lines)) {
    const line = text.replace(/^[-+] ?/, '').trim();
    if (line.length < 16 || line.length > 200 || !CODE_LINE.test(line) || isLogLine(line)) continue;
    if (found.size < MAX_QUOTED && (line.match(/[A-Za-z_$][\w$]{2,}/g) ?? []).length >= 3) found.add(line);
  }
  return [...found];
}

/** Messages of languages and engines: no source of the project contains them. */
const NOT_OURS = [
  // PHP and Ruby
  /^(?:Call to (?:an? )?(?:un|member )|Undefined (?:\w+ )?(?:index|offset|variable|property|key|constant|array key|method)\b)/,
  / must be (?:of (?:the )?type |an instance of )|^Too few arguments to function | on null$/,
  /^undefined (?:local variable or )?method |^uninitialized constant |^wrong number of arguments |^no implicit conversion /,
  / can't be coerced into |^comparison of \S+ with |^stack level too deep|^can't modify frozen /,
  // Swift, Dart, Kotlin and Elixir
  /^(?:Unexpectedly found nil|Index out of range(?:$|:)|Null check operator used|NoSuchMethodError|lateinit property )/,
  /\bis not a subtype of type\b|^The (?:method|getter|setter) .{1,80} was called on null/,
  /^no (?:function|case|cond) clause matching|^no match of right hand side|^function \S+ is undefined/,
  // Python, Java, .NET and C
  /^(?:not enough|too many) values to unpack|positional arguments? but |referenced before assignment|^unhashable type/,
  /^unsupported operand type|^maximum recursion depth|^can only concatenate|^name '.{1,80}' is not defined/,
  / cannot be cast to |^Index \d+ out of bounds|^Value cannot be null(?:\.?$|\.\s{0,2}\(?Parameter )|^Sequence contains no |^Specified argument was out of/,
  /^Unable to cast object|^(?:heap|stack|global)-buffer-(?:over|under)flow|^Segmentation fault|^division by zero$/,
  /^Cannot read propert(?:y|ies) /,
  /^Cannot set propert(?:y|ies) /,
  / is not (?:a function|defined|iterable|a constructor)\b/,
  /^(?:undefined|null) is not an object/,
  /^Unexpected (?:token|identifier|end of)/,
  / has no attribute /,
  /object is not (?:callable|iterable|subscriptable)/,
  /^(?:list|string|tuple) index out of range/,
  /^runtime error: /,
  /^invalid memory address/,
  /^called `(?:Option|Result)::unwrap/,
  /^Object reference not set/,
  /^Maximum call stack size/,
  /^No module named /,
  /^Cannot (?:invoke|load|store|read the|throw) "/,
  /unexpected keyword argument|missing \d+ required positional/,
  /^index out of bounds: /,
];

/**
 * The longest stretches of a message that hold no value (nothing quoted, no number, no path), longest first: what a
 * template in source would hold. Each has at least 10 characters and two words. Empty for messages of languages.
 */
export function splitConstantParts(message: string): readonly string[] {
  if (NOT_OURS.some((pattern) => pattern.test(message))) return [];
  const parts = message
    .slice(0, MAX_MESSAGE)
    .split(
      /"[^"]*"|(?<!\w)'[^']*'|`[^`]*`|<[^>]*>|\[[^\]]*\]|\{[^}]*\}|\S*\d\S*|\S*[/\\]\S*|[“”"`]|(?<!\w)'|'(?!\w)|:\s/,
    )
    .map((part) => part.replace(/^[\s:;,.()-]+|[\s:;,.(]+$/g, ''))
    .filter((part) => part.length >= 10 && part.includes(' '));
  return [...new Set(parts)].sort((a, b) => b.length - a.length);
}
