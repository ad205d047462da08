// A workflow file as facts: what starts it, and which rights its jobs have. What can't be read for certain is said to be so. Pure.
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type YAMLMap,
} from 'yaml';
import type { FilterName, UnreadReason } from '../../core/proof/index.ts';

export interface WorkflowSource {
  readonly path: string;
  /** Null: there is such a file, and it could not be read. */
  readonly text: string | null;
}

export interface Workflow {
  readonly kind: 'workflow';
  readonly path: string;
  /** As `workflow_run` names it: its path where it has none of its own. */
  readonly name: string;
  readonly events: readonly WorkflowTrigger[];
  readonly jobs: readonly WrittenJob[];
}

export interface UnreadWorkflow {
  readonly kind: 'unread';
  readonly path: string;
  readonly line: number;
  readonly why: UnreadReason;
}

const FILTERS: readonly FilterName[] = ['branches', 'branches-ignore', 'tags', 'tags-ignore', 'paths', 'paths-ignore'];

/** Null: it can't be told, such as an expression. */
type Names = readonly string[] | null;

export interface WorkflowTrigger {
  /** In lower case. */
  readonly event: string;
  readonly line: number;
  /** Absent: not given, so that GitHub's own apply. */
  readonly types?: Names;
  readonly filters: Readonly<Partial<Record<FilterName, Names>>>;
  /** Of `workflow_run`: whose runs it follows. */
  readonly workflows?: Names;
}

export interface WrittenJob {
  readonly id: string;
  readonly line: number;
  /** As written, maybe with expressions; without one GitHub shows the id. */
  readonly name: string;
  readonly needs: readonly string[];
  /** As written. Null: none. */
  readonly condition: string | null;
  readonly rights: JobRights;
  /** As written, of jobs that need it to read. Null: it can't be told. */
  readonly outputs: Readonly<Record<string, string>> | null;
  /** Whether it names its token, or uses actions, which get it unasked. */
  readonly hasToken: boolean;
  readonly hasActions: boolean;
  /** Instead of steps: another workflow, by its path here or by where else it is. */
  readonly calls: { readonly kind: 'local' | 'foreign'; readonly uses: string } | null;
}

export interface JobRights {
  /** What its token may do. Null: nothing is said, so the repository decides, which does not tell us. */
  readonly token: TokenRights | null;
  /** Names in upper case, but GITHUB_TOKEN; `*`: any. */
  readonly secrets: readonly string[];
  /** As written. Null: none. */
  readonly environment: string | null;
  /** `own`: also one of which we can't tell that it is GitHub's. */
  readonly machine: 'hosted' | 'own';
}

/** By scope; `*` stands for all that aren't named. */
type TokenRights = Readonly<Record<string, 'read' | 'write'>>;

/** A workflow has a few kilobytes. */
const MAX_CHARACTERS = 512 * 1_024;
/** Aliases of YAML may repeat each other without end. */
const MAX_ALIASES = 200;

class Misformed extends Error {
  readonly code = 'misformed';
  readonly offset: number;

  constructor(offset: number) {
    super('This is not how a workflow is written: correct it at this place.');
    this.offset = offset;
  }
}

export function readWorkflow({ path, text }: WorkflowSource): Workflow | UnreadWorkflow {
  const lines = new LineCounter();
  const refuse = (why: UnreadReason, offset: number | null = null): UnreadWorkflow => {
    const line = offset === null ? 1 : lines.linePos(offset).line;
    return { kind: 'unread', path, line: Math.max(1, line), why };
  };
  if (text === null) return refuse('missing');
  if (text.length > MAX_CHARACTERS) return refuse('size');
  const document = parseDocument(text, { lineCounter: lines, schema: 'core', merge: false, logLevel: 'error' });
  const [error] = document.errors;
  if (error !== undefined) return refuse('yaml', error.pos[0]);
  try {
    // Nothing else is looked at where aliases would grow beyond measure.
    document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch {
    return refuse('yaml');
  }
  try {
    return readRoot({ document, lines }, path);
  } catch (error) {
    if (error instanceof Misformed) return refuse('form', error.offset);
    throw error;
  }
}

interface Reading {
  readonly document: Document;
  readonly lines: LineCounter;
}

type Fields = ReadonlyMap<string, Field>;

interface Field {
  readonly key: string;
  readonly line: number;
  readonly offset: number;
  readonly value: Node | null;
}

function readRoot(reading: Reading, path: string): Workflow {
  const root = readFields(reading, reading.document.contents as Node | null, 0);
  const jobs = root.get('jobs');
  const on = root.get('on');
  if (on === undefined || jobs === undefined) throw new Misformed(0);
  const name = readText(reading, root.get('name')?.value ?? null);
  const shared = { env: root.get('env') ?? null, permissions: root.get('permissions') ?? null };
  const read = [...readFields(reading, jobs.value, jobs.offset).values()].map((job) => readJob(reading, job, shared));
  if (read.length === 0) throw new Misformed(jobs.offset);
  const events = readTriggers(reading, on);
  return { kind: 'workflow', path, name: name?.trim() ? name : path, events, jobs: read };
}

/** Keys are what they are written as: YAML 1.1 would read `on` as true. */
function readFields(reading: Reading, node: Node | null, offset: number): Fields {
  const map = follow(reading, node);
  if (!isMap(map)) throw new Misformed(offsetOf(map) ?? offset);
  const fields = new Map<string, Field>();
  for (const { key, value } of (map as YAMLMap<Node, Node | null>).items) {
    const at = offsetOf(key) ?? offset;
    const text = readText(reading, key);
    // GitHub has anchors, but doesn't merge.
    if (text === null || text === '<<' || fields.has(text)) throw new Misformed(at);
    fields.set(text, { key: text, line: reading.lines.linePos(at).line, offset: at, value: follow(reading, value) });
  }
  return fields;
}

function follow({ document }: Reading, node: Node | null): Node | null {
  return isAlias(node) ? ((node.resolve(document) as Node | undefined) ?? null) : node;
}

function offsetOf(node: Node | null): number | null {
  return node?.range?.[0] ?? null;
}

/** A scalar as it is written, such as `1.10`; null: it is none, or there is nothing. */
function readText(reading: Reading, node: Node | null): string | null {
  const scalar = follow(reading, node);
  if (!isScalar(scalar) || scalar.value === null || scalar.value === undefined) return null;
  return typeof scalar.value === 'string' ? scalar.value : (scalar.source ?? String(scalar.value));
}

/** One, or a list. Null: anything else. */
function readNames(reading: Reading, node: Node | null): Names {
  const value = follow(reading, node);
  const items = isSeq(value) ? (value.items as readonly Node[]) : [value];
  const names = items.map((item) => readText(reading, item));
  return names.some((name) => name === null || name.includes('${{')) ? null : names.map((name) => name ?? '');
}

function readTriggers(reading: Reading, { value, line, offset }: Field): readonly WorkflowTrigger[] {
  if (isMap(value)) {
    return [...readFields(reading, value, offset).values()].map((field) => readTrigger(reading, field));
  }
  const items = isSeq(value) ? (value.items as readonly Node[]) : [value];
  const events = items.map((item) => {
    const event = readText(reading, item);
    if (event === null) throw new Misformed(offsetOf(item) ?? offset);
    const at = offsetOf(item);
    return { event: event.toLowerCase(), line: at === null ? line : reading.lines.linePos(at).line, filters: {} };
  });
  if (events.length === 0) throw new Misformed(offset);
  return events;
}

function readTrigger(reading: Reading, { key, line, offset, value }: Field): WorkflowTrigger {
  const event = key.toLowerCase();
  // `schedule` has a list.
  if (isNothing(value) || isSeq(value)) return { event, line, filters: {} };
  const fields = readFields(reading, value, offset);
  const namesOf = (field: string): Names | undefined => {
    const found = fields.get(field);
    return found === undefined ? undefined : readNames(reading, found.value);
  };
  const filters = FILTERS.flatMap((filter) => {
    const names = namesOf(filter);
    return names === undefined ? [] : [[filter, names] as const];
  });
  const [types, workflows] = [namesOf('types'), namesOf('workflows')];
  return {
    ...{ event, line, filters: Object.fromEntries(filters) },
    ...(types === undefined ? {} : { types }),
    ...(workflows === undefined ? {} : { workflows }),
  };
}

interface Shared {
  readonly env: Field | null;
  readonly permissions: Field | null;
}

function readJob(reading: Reading, { key: id, line, offset, value }: Field, shared: Shared): WrittenJob {
  const fields = readFields(reading, value, offset);
  const textOf = (field: string) => readText(reading, fields.get(field)?.value ?? null);
  const uses = textOf('uses');
  const needs = fields.has('needs') ? readNames(reading, fields.get('needs')?.value ?? null) : [];
  if (needs === null) throw new Misformed(fields.get('needs')?.offset ?? offset);
  const expressions = [value, shared.env?.value ?? null].flatMap((node) => listExpressions(reading, node));
  const isInherited = textOf('secrets') === 'inherit';
  const secrets = isInherited ? ['*'] : [...new Set(expressions.flatMap(listSecrets))].sort();
  const steps = fields.get('steps')?.value ?? null;
  return {
    ...{ id, line, needs },
    name: textOf('name')?.trim() || id,
    condition: readCondition(reading, fields.get('if')),
    rights: {
      token: readPermissions(reading, fields.get('permissions') ?? shared.permissions),
      secrets: secrets.filter((name) => name !== 'GITHUB_TOKEN'),
      environment: readEnvironment(reading, fields.get('environment')),
      machine: uses !== null || isHosted(reading, fields) ? 'hosted' : 'own',
    },
    outputs: readOutputs(reading, fields),
    hasToken: secrets.includes('GITHUB_TOKEN') || expressions.some(namesToken),
    hasActions: !isSeq(steps) || steps.items.some((step) => hasUses(reading, step as Node)),
    calls: uses === null ? null : { kind: uses.startsWith('./') ? 'local' : 'foreign', uses },
  };
}

function readOutputs(reading: Reading, fields: Fields): Readonly<Record<string, string>> | null {
  const outputs = fields.get('outputs');
  // A called workflow has outputs of its own.
  if (fields.has('uses')) return null;
  if (outputs === undefined || isNothing(outputs.value)) return {};
  const all = [...readFields(reading, outputs.value, outputs.offset).values()];
  return Object.fromEntries(all.map(({ key, value }) => [key.toLowerCase(), readText(reading, value) ?? '']));
}

function readCondition(reading: Reading, field: Field | undefined): string | null {
  if (field === undefined || isNothing(field.value)) return null;
  const text = readText(reading, field.value);
  if (text === null) throw new Misformed(field.offset);
  return text;
}

/** Also of an expression, which may name any. */
function readEnvironment(reading: Reading, field: Field | undefined): string | null {
  if (field === undefined || isNothing(field.value)) return null;
  const isMapped = isMap(field.value);
  const name = isMapped ? readFields(reading, field.value, field.offset).get('name')?.value : field.value;
  const text = readText(reading, name ?? null);
  if (text === null && !isMapped) throw new Misformed(field.offset);
  return text ?? '';
}

function isNothing(node: Node | null): boolean {
  return node === null || (isScalar(node) && (node.value === null || node.value === undefined));
}

function readPermissions(reading: Reading, field: Field | null): TokenRights | null {
  if (field === null) return null;
  const text = readText(reading, field.value);
  if (text === 'read-all') return { '*': 'read' };
  if (text === 'write-all') return { '*': 'write' };
  if (!isMap(field.value)) throw new Misformed(field.offset);
  const scopes = [...readFields(reading, field.value, field.offset).values()].flatMap(({ key, value, offset }) => {
    const level = readText(reading, value);
    if (level === 'none') return [];
    if (level !== 'read' && level !== 'write') throw new Misformed(offset);
    return [[key, level] as const];
  });
  return Object.fromEntries(scopes);
}

const HOSTED = /^(?:ubuntu|windows|macos)-[\w.-]{1,40}$/i;

function isHosted(reading: Reading, fields: Fields): boolean {
  const runner = fields.get('runs-on');
  if (runner === undefined || isMap(runner.value)) return false;
  const items = isSeq(runner.value) ? (runner.value.items as readonly Node[]) : [runner.value];
  const labels = items.flatMap((item) => {
    const label = readText(reading, item) ?? '';
    const key = /^\$\{\{\s*matrix\.([\w-]+)\s*\}\}$/.exec(label.trim())?.[1];
    return key === undefined ? [label] : listMatrixValues(reading, fields, key);
  });
  return labels.length > 0 && labels.every((label) => HOSTED.test(label));
}

/** What a job's matrix gives a name; empty where an expression decides. */
function listMatrixValues(reading: Reading, fields: Fields, key: string): readonly string[] {
  const strategy = fields.get('strategy')?.value ?? null;
  const matrix = isMap(strategy) ? (readFields(reading, strategy, 0).get('matrix')?.value ?? null) : null;
  if (!isMap(matrix)) return [];
  const variables = readFields(reading, matrix, 0);
  const listed = variables.has(key) ? readNames(reading, variables.get(key)?.value ?? null) : [];
  const include = variables.get('include')?.value ?? null;
  if (listed === null || (include !== null && !isSeq(include))) return [];
  const added = (isSeq(include) ? include.items : []).flatMap((item) => {
    const one = readFields(reading, item as Node, 0);
    return one.has(key) ? [readText(reading, one.get(key)?.value ?? null) ?? ''] : [];
  });
  return [...listed, ...added];
}

function hasUses(reading: Reading, step: Node): boolean {
  const node = follow(reading, step);
  return !isMap(node) || readFields(reading, node, 0).has('uses');
}

/** What stands between `${{` and `}}` anywhere below, without its quoted strings. */
function listExpressions({ document }: Reading, node: Node | null): readonly string[] {
  if (node === null) return [];
  const texts: string[] = [];
  const open: unknown[] = [node.toJS(document, { maxAliasCount: MAX_ALIASES })];
  for (let value = open.pop(); value !== undefined || open.length > 0; value = open.pop()) {
    if (typeof value === 'string') texts.push(value);
    else if (typeof value === 'object' && value !== null) open.push(...Object.values(value));
  }
  return texts.flatMap((text) =>
    [...text.matchAll(/\$\{\{((?:'[^']*(?:'|$)|(?!\}\})[^'])*)/g)].map(([, inside = '']) => inside),
  );
}

function listSecrets(expression: string): readonly string[] {
  // An index may be a name in quotes, which no other string is.
  const named = expression.replaceAll(/\[\s*'([\w-]+)'\s*\]/g, '.$1').replaceAll(/'[^']*'/g, ' ');
  return [...named.matchAll(/(?<![.\w-])secrets\b(?:\s*\.\s*([\w-]+))?/gi)].map(
    ([, name]) => name?.toUpperCase() ?? '*',
  );
}

/** `github.token`, or all of `github`. */
function namesToken(expression: string): boolean {
  const named = expression.replaceAll(/\[\s*'([\w-]+)'\s*\]/g, '.$1').replaceAll(/'[^']*'/g, ' ');
  return /(?<![.\w-])github\b\s*(?:\.\s*token\b|\[|[,)]|\.\s*\*|$)/i.test(named);
}

/** GitHub appends the values of a matrix in brackets, and names jobs of a called workflow behind a slash. */
export function isShownAs({ name }: Pick<WrittenJob, 'name'>, shown: string): boolean {
  const [first = '', ...parts] = name.split(/\$\{\{[^}]{0,1000}\}\}/);
  if (parts.length === 0) return shown === name || shown.startsWith(`${name} (`) || shown.startsWith(`${name} / `);
  if (!shown.startsWith(first)) return false;
  let at = first.length;
  for (const part of parts) {
    const found = shown.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return true;
}
