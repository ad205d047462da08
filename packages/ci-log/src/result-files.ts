// The result files that a job uploads: failed tests in JUnit XML, errors in SARIF, from the zip archive of an artifact.
import type { FailedResult } from './failed-results.ts';
import { walkXml, XmlFault, type XmlVisitor } from './xml.ts';
import { readZip } from './zip.ts';

/** What the result files of one commit may still inflate to, however many checks and artifacts it has; spent by reading. */
export interface ResultBudget {
  bytes: number;
}

/** A result file that is not read, with the name that its archive has for it; or a whole artifact. An untrusted word. */
export interface UnreadFile {
  readonly file: string;
  /** `total_size`: what is read of the commit is used up. `failed`: reading took too much time or memory. */
  readonly why: 'file_size' | 'sarif_size' | 'sarif_shape' | 'total_size' | 'failed';
}

/** At most 5 files that are not read. */
export interface ArtifactResults {
  readonly results: readonly FailedResult[];
  readonly unread: readonly UnreadFile[];
}

const MEGABYTE = 1_024 * 1_024;
const LIMITS = { entries: 20_000, fileBytes: 8 * MEGABYTE };
/** JSON is read whole, and takes many times its size in memory: four times 16 MB of empty objects took 800 MB. */
const SARIF_BYTES = 2 * MEGABYTE;
/**
 * SARIF itself has 20 levels, and tools may add their own. A file of 2 MB in which every result is as short as can be has
 * 170,000 values; one of empty arrays has 1,400,000, and 64 MB of such files took 6 s.
 */
const SARIF_SHAPE = { levels: 64, values: 200_000 };
const WANTED = /\.(?:xml|sarif|sarif\.json)$/i;

/** Of one artifact; a run in which more fails has one cause that the first of them show. */
const MOST_RESULTS = 200;
/** Cut further only once secrets were removed: half of a secret cannot be recognised. */
const MESSAGE_CHARACTERS = 4_000;
const TRACE_CHARACTERS = 16_000;
const NAME_CHARACTERS = 1_000;
/** Of all texts together. */
const TOTAL_CHARACTERS = 1_000_000;

/** Files that are named of those that are not read. */
const MOST_UNREAD = 5;

/**
 * The results in the order of the archive, each once; what the files inflate to is taken from the budget. A file that is
 * damaged or no result file adds nothing.
 */
export async function readArtifactResults(archive: Uint8Array, budget: ResultBudget): Promise<ArtifactResults> {
  const results = new Map<string, FailedResult>();
  const unread: UnreadFile[] = [];
  for await (const file of readZip(archive, (name) => WANTED.test(name), { ...LIMITS, budget })) {
    const read = file.kind === 'read' ? readResultFile(file.bytes) : file.kind;
    if (typeof read !== 'string') {
      // A result may be in several files, such as one for each class and one for all.
      for (const one of read) results.set(JSON.stringify([one.kind, one.scope, one.name, one.path, one.line]), one);
    } else if (unread.length < MOST_UNREAD) unread.push({ file: file.name.slice(0, NAME_CHARACTERS), why: read });
    if (results.size >= MOST_RESULTS) break;
  }
  return { results: boundResults(results.values()), unread };
}

/** What one file says failed, or why it is not read: what it contains decides how it is read, not its name. */
export function readResultFile(bytes: Uint8Array): readonly FailedResult[] | 'sarif_size' | 'sarif_shape' {
  const decoder = new TextDecoder();
  const start = decoder.decode(bytes.subarray(0, 200)).trimStart();
  if (start.startsWith('<')) return readJunit(decoder.decode(bytes));
  if (!start.startsWith('{')) return [];
  if (bytes.byteLength > SARIF_BYTES) return 'sarif_size';
  const text = decoder.decode(bytes);
  return isWithinShape(text, SARIF_SHAPE) ? readSarif(text) : 'sarif_shape';
}

function boundResults(results: Iterable<FailedResult>): readonly FailedResult[] {
  const bounded: FailedResult[] = [];
  let left = TOTAL_CHARACTERS;
  for (const result of results) {
    left -= result.message.length + result.trace.length;
    if (left < 0 || bounded.length >= MOST_RESULTS) break;
    bounded.push(result);
  }
  return bounded;
}

/** A test case while its element is open. */
interface OpenCase {
  readonly scope: string;
  readonly name: string;
  readonly path: string;
  readonly line: number;
  failure: { readonly message: string; readonly type: string; trace: string } | null;
}

interface OpenSuite {
  readonly name: string;
  readonly path: string;
  /** By class and name: a test that is retried in the same suite and passes did not fail. */
  readonly failed: Map<string, FailedResult>;
}

/**
 * As Surefire, Gradle, pytest, Jest, Vitest, PHPUnit, nextest and others write it. There is no one schema, so what is
 * missing is left empty.
 */
function readJunit(text: string): readonly FailedResult[] {
  const reader = new JunitReader();
  try {
    walkXml(text, reader);
  } catch (error) {
    if (error instanceof XmlFault) return [];
    throw error;
  }
  return reader.failed;
}

/** Elements that say that a test failed in the end. A re-run that passed leaves `flakyFailure` or `flakyError`. */
const FAILED = new Set(['failure', 'error']);

class JunitReader implements XmlVisitor {
  readonly failed: FailedResult[] = [];
  readonly #suites: OpenSuite[] = [];
  #test: OpenCase | null = null;
  /** The element whose text is the trace. */
  #inside = '';

  readonly open: XmlVisitor['open'] = (name, attributes) => {
    const get = (key: string): string => (attributes[key] ?? '').slice(0, NAME_CHARACTERS);
    if (name === 'testsuite')
      this.#suites.push({ name: get('name'), path: get('file') || get('filepath'), failed: new Map() });
    else if (name === 'testcase') this.#test = openCase(get, this.#suites.at(-1));
    else if (this.#test?.failure === null && FAILED.has(name)) {
      this.#test.failure = {
        message: (attributes['message'] ?? '').slice(0, TRACE_CHARACTERS),
        type: get('type'),
        trace: '',
      };
      this.#inside = name;
    }
  };

  readonly text = (text: string): void => {
    const failure = this.#inside === '' ? null : this.#test?.failure;
    if (failure && failure.trace.length < TRACE_CHARACTERS) failure.trace += text.slice(0, TRACE_CHARACTERS);
  };

  readonly close = (name: string): void => {
    if (name === this.#inside) this.#inside = '';
    if (name === 'testsuite') for (const one of this.#suites.pop()?.failed.values() ?? []) this.failed.push(one);
    if (name === 'testcase' && this.#test !== null) this.#closeCase(this.#test);
  };

  #closeCase(test: OpenCase): void {
    this.#test = null;
    const failed = this.#suites.at(-1)?.failed;
    const key = `${test.scope}\n${test.name}`;
    if (test.failure === null) failed?.delete(key);
    else if (failed) failed.set(key, toFailedTest(test, test.failure));
    else this.failed.push(toFailedTest(test, test.failure));
  }
}

/** pytest counts lines from 0 in this attribute. */
const ZERO_BASED = 'pytest';

function openCase(
  get: (key: string) => string,
  suite: { readonly name: string; readonly path: string } | undefined,
): OpenCase {
  const line = /^\d{1,7}$/.test(get('line')) ? Number(get('line')) : 0;
  return {
    // PHPUnit writes the real name there, and one with dots in the other.
    scope: get('class') || get('classname'),
    name: get('name'),
    path: get('file') || get('filepath') || (suite?.path ?? ''),
    line: suite?.name === ZERO_BASED && get('line') !== '' ? line + 1 : line,
    failure: null,
  };
}

function toFailedTest(
  { scope, name, path, line }: OpenCase,
  { message, type, trace }: NonNullable<OpenCase['failure']>,
): FailedResult {
  return {
    kind: 'test',
    scope,
    name,
    path,
    line,
    message: keepWhole(chooseMessage(message.trim(), type, trace), MESSAGE_CHARACTERS),
    trace: keepWhole(trace.replace(/^\s*\n/, '').trimEnd(), TRACE_CHARACTERS),
  };
}

/** go-junit-report, gotestsum, nextest and others write that it failed, and why only below. */
const ONLY_FAILED =
  /^(?:|(?:the |a )?(?:test )?(?:has )?failed|failure|error|null|undefined|exit (?:code|status) \d{1,5}|thread '.{1,300}' (?:\(\d{1,10}\) )?panicked at \S{1,300})\.?$/i;
/** Lines of a trace that only name the test. */
const NO_MESSAGE =
  /^\s*(?:$|=== |--- (?:FAIL|PASS)|Traceback \(most recent call last\)|thread '|self = |def |@|> *$|[\w\\]{1,150}::\w)/;

function chooseMessage(message: string, type: string, trace: string): string {
  if (!ONLY_FAILED.test(message)) {
    // Java writes the class of the exception as the type, and once more before the message in the trace.
    const first = trace.trimStart().split('\n', 1)[0] ?? '';
    const isRepeated = type !== '' && first.startsWith(type) && first.includes(message.split('\n', 1)[0] ?? '');
    return isRepeated && !message.startsWith(type) ? `${type}: ${message}` : message;
  }
  const said = trace.split('\n').find((line) => !NO_MESSAGE.test(line.slice(0, 200)));
  return said?.trim() ?? '';
}

/** At most so many characters, cut at the end of a line where there is one. */
function keepWhole(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = text.lastIndexOf('\n', most);
  return text.slice(0, end > most / 2 ? end : most).toWellFormed();
}

type ResultObject = Readonly<Record<string, unknown>>;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
/** Square and curly brackets. */
const [OPENING, CLOSING] = [new Set([0x5b, 0x7b]), new Set([0x5d, 0x7d])];

/**
 * Whether JSON has no more levels of brackets and values, in one pass: nothing interrupts JSON.parse, which took 25 s and 900 MB for
 * four files of nested brackets. Of what is not JSON it may say anything, up to the first fault it is right.
 */
function isWithinShape(text: string, most: typeof SARIF_SHAPE): boolean {
  let level = 0;
  let deepest = 0;
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = skipString(text, at + 1);
    else if (unit === COMMA) values += 1;
    else if (CLOSING.has(unit)) level -= 1;
    else if (OPENING.has(unit)) {
      values += 1;
      level += 1;
      deepest = Math.max(deepest, level);
    }
  }
  return deepest <= most.levels && values <= most.values;
}

/** Where its closing quotation mark is. */
function skipString(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

/**
 * Results of level error that are new, as SARIF 2.1.0 has them: neither suppressed, nor known from a baseline
 * (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html).
 */
function readSarif(text: string): readonly FailedResult[] {
  let log: unknown;
  try {
    log = JSON.parse(text);
  } catch {
    return [];
  }
  return listObjects(toObject(log)['runs']).flatMap((run) => {
    const rules = listObjects(toObject(toObject(run['tool'])['driver'])['rules']);
    const byId = new Map(rules.map((rule) => [rule['id'], rule] as const));
    return listObjects(run['results']).flatMap((result) => {
      const { index, id } = { index: result['ruleIndex'], ...toObject(result['rule']) } as ResultObject;
      const ruleId = readStringField(result['ruleId']) || readStringField(id);
      return readSarifResult(result, ruleId, byId.get(ruleId) ?? rules[Number(index ?? -1)] ?? {});
    });
  });
}

function readSarifResult(result: ResultObject, id: string, rule: ResultObject): readonly FailedResult[] {
  const level = result['level'] ?? toObject(rule['defaultConfiguration'])['level'] ?? 'warning';
  const isKnown = result['baselineState'] === 'unchanged' || result['baselineState'] === 'absent';
  const isFailure = (result['kind'] ?? 'fail') === 'fail' && level === 'error';
  if (!isFailure || isKnown || listObjects(result['suppressions']).length > 0) return [];
  const [location = {}] = listObjects(result['locations']);
  const physical = toObject(location['physicalLocation']);
  const line = toObject(physical['region'])['startLine'];
  const message =
    readStringField(toObject(result['message'])['text']) || readStringField(toObject(rule['shortDescription'])['text']);
  return [
    {
      kind: 'finding',
      scope: (id || readStringField(rule['id'])).slice(0, NAME_CHARACTERS),
      name: '',
      path: readUri(readStringField(toObject(physical['artifactLocation'])['uri'])).slice(0, NAME_CHARACTERS),
      line: typeof line === 'number' && Number.isSafeInteger(line) && line > 0 ? line : 0,
      message: keepWhole(message.trim(), MESSAGE_CHARACTERS),
      trace: '',
    },
  ];
}

/** The path of an address, or of a reference below the root of the sources. */
function readUri(uri: string): string {
  const path = uri.replace(/^file:\/\/(?:localhost)?(?=\/)/, '').replace(/^\/(?=[A-Za-z]:)/, '');
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function toObject(value: unknown): ResultObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as ResultObject) : {};
}

function listObjects(value: unknown): readonly ResultObject[] {
  return Array.isArray(value) ? value.map(toObject) : [];
}

function readStringField(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
