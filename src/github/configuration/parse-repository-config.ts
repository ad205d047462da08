// The text of `.github/causeway.yml` as a configuration, or the one fault that keeps it from being one.
import { createHash } from 'node:crypto';
import {
  CST,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  parseDocument,
  visit,
} from 'yaml';
import type { z } from 'zod';
import { findNearestName } from '../../core/command-words.ts';
import {
  type ConfigProblem,
  type ConfiguredScope,
  DEFAULT_CONFIG,
  FILE_SCHEMA,
  type FileContent,
  type ReadConfig,
  type RepositoryConfig,
} from './repository-config.ts';

export const MAX_CONFIG_BYTES = 16 * 1024;

export const TOO_LARGE = `The file is larger than ${MAX_CONFIG_BYTES / 1024} KiB. Keep what Causeway needs.`;

const SHOWN_VALUE = 40;

/**
 * Never throws. A file with a fault counts as a whole: its configuration is then the careful one, which gives no more
 * than the author can have meant. `file` is how the problem names the file.
 */
export function parseRepositoryConfig(given: string, file: string): ReadConfig {
  const text = given.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  if (Buffer.byteLength(text) > MAX_CONFIG_BYTES) {
    return makeFaulty(text, file, { line: 0, message: TOO_LARGE });
  }
  const yaml = readYaml(text);
  if ('message' in yaml) return makeFaulty(text, file, yaml);
  if (yaml.value === undefined) return { config: DEFAULT_CONFIG, problem: null, given: new Set() };
  const parsed = FILE_SCHEMA.safeParse(yaml.value);
  if (parsed.success) return { config: toConfig(parsed.data), problem: null, given: listGivenKeys(parsed.data) };
  return makeFaulty(text, file, findFirstFault(parsed.error.issues, yaml), yaml.value);
}

/** For what is not text at all. */
export function makeUnreadableConfig(file: string, message: string): ReadConfig {
  return makeFaulty('', file, { line: 0, message });
}

function makeFaulty(text: string, file: string, { line, message }: YamlFault, value?: unknown): ReadConfig {
  const digest = createHash('sha256').update(`${file}\0${text}\0${message}`).digest('hex');
  const problem: ConfigProblem = { file, line, message, digest };
  const config = makeCarefulConfig(text, value);
  return { config, problem, given: listCarefulKeys(config) };
}

/** No pull requests, and comments only on request; `observe`, `none` and a budget count if they can still be read. */
function makeCarefulConfig(text: string, value: unknown): RepositoryConfig {
  const budget = readBudget(value);
  return {
    ...DEFAULT_CONFIG,
    mode: /^["']?mode["']?\s*:\s*["']?observe\b/im.test(text) ? 'observe' : 'comment',
    comments: 'asked',
    model: /^["']?model["']?\s*:\s*["']?none\b/im.test(text) ? 'none' : '',
    budget: { run: budget?.run ?? null, month: budget?.month ?? null },
  };
}

/** What is otherwise than without a file, since there is one. */
function listCarefulKeys({ model, budget }: RepositoryConfig): ReadonlySet<string> {
  const held = Object.entries({
    model: model !== '',
    'budget.run': budget.run !== null,
    'budget.month': budget.month !== null,
  });
  return new Set(['mode', 'comments', ...held.flatMap(([name, isHeld]) => (isHeld ? name : []))]);
}

function readBudget(value: unknown): FileContent['budget'] {
  if (typeof value !== 'object' || value === null || !('budget' in value)) return undefined;
  const parsed = FILE_SCHEMA.shape.budget.safeParse(value.budget);
  return parsed.success ? parsed.data : undefined;
}

/** The first one in the file. */
function findFirstFault(issues: readonly z.core.$ZodIssue[], yaml: YamlFile): YamlFault {
  const faults = issues.map((issue) => {
    const unknown = issue.code === 'unrecognized_keys' ? (issue.keys[0] ?? '') : null;
    const line = yaml.findLine(unknown === null ? issue.path : [...issue.path, unknown]);
    return {
      line,
      message: unknown === null ? describeExpected(issue, yaml.value) : describeUnknownKey(unknown, issue.path),
    };
  });
  return faults.reduce(
    (first, fault) => (fault.line < first.line ? fault : first),
    faults[0] ?? { line: 0, message: '' },
  );
}

function describeExpected({ path, message }: z.core.$ZodIssue, value: unknown): string {
  const found = path.reduce<unknown>((at, part) => (at as Record<PropertyKey, unknown> | null)?.[part], value);
  const name = path.length === 0 ? 'The file' : `\`${formatPath(path)}\``;
  return `${name} must be ${message}; it is ${describeValue(found)}.`;
}

function describeUnknownKey(key: string, path: readonly PropertyKey[]): string {
  const known = listKnownKeys(path);
  const within = path.length === 0 ? '' : ` in \`${formatPath(path)}\``;
  const near = findNearestName(key.replaceAll('-', '_'), known);
  const hint =
    near === null ? `. Known are ${known.map((name) => `\`${name}\``).join(', ')}.` : `, did you mean \`${near}\`?`;
  return `${quoteConfigText(key)} is not known${within}${hint}`;
}

function listKnownKeys([first, , second]: readonly PropertyKey[]): readonly string[] {
  const { shape } = FILE_SCHEMA;
  switch (first) {
    case 'scopes': {
      const { shape: scope } = shape.scopes.unwrap().element;
      return Object.keys(second === 'budget' ? scope.budget.unwrap().shape : scope);
    }
    case 'checks':
    case 'pull_request':
    case 'paths':
    case 'budget':
      return Object.keys(shape[first].unwrap().shape);
    default:
      return Object.keys(shape);
  }
}

/** Such as `checks.include[2]`, counted from 1 as people do. */
function formatPath(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part + 1}]` : `.${String(part)}`))
    .join('')
    .slice(1);
}

function describeValue(value: unknown): string {
  if (value === null || value === undefined) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a group of keys';
  return typeof value === 'string' && value.trim() === '' ? 'empty' : quoteConfigText(String(value));
}

function quoteConfigText(text: string): string {
  const line = text.replace(/[\s`]+/g, ' ').trim();
  return `\`${line.length > SHOWN_VALUE ? `${line.slice(0, SHOWN_VALUE).toWellFormed()}…` : line}\``;
}

function toConfig(file: FileContent): RepositoryConfig {
  const { checks, paths, budget, limits, pullRequest } = DEFAULT_CONFIG;
  const { of_strangers: ofStrangers, reviewers = [], ...given } = file.pull_request ?? {};
  return {
    ...DEFAULT_CONFIG,
    ...withoutUndefined({
      mode: file.mode,
      labels: file.labels,
      comments: file.comments,
      language: file.language,
      model: file.model,
      instructions: file.instructions?.trim(),
      scopes: file.scopes?.map(toScope),
      context: file.context,
    }),
    checks: { ...checks, ...withoutUndefined(file.checks ?? {}) },
    paths: { ...paths, ...withoutUndefined(file.paths ?? {}) },
    budget: { ...budget, ...withoutUndefined(file.budget ?? {}) },
    limits: { ...limits, ...withoutUndefined({ ciRunsDay: file.limits?.ci_runs_day }) },
    pullRequest: {
      ...pullRequest,
      ...withoutUndefined({ ...given, ofStrangers }),
      reviewers: reviewers.map((name) => name.replace(/^@/, '')),
    },
  };
}

function toScope(scope: NonNullable<FileContent['scopes']>[number]): ConfiguredScope {
  const { paths, labels, owners, budget, base, context } = scope;
  return {
    context: context ?? [],
    paths,
    labels: labels ?? [],
    budget: { run: budget?.run ?? null },
    base: base ?? '',
    owners: (owners ?? []).map((name) => (name.startsWith('@') ? name : `@${name}`)),
  };
}

/** Names of the keys that the file gives, as it calls them. */
function listGivenKeys(file: FileContent): ReadonlySet<string> {
  const keys = Object.entries(withoutUndefined(file)).flatMap(([name, value]) =>
    typeof value === 'object' && !Array.isArray(value)
      ? Object.keys(withoutUndefined(value)).map((key) => `${name}.${key}`)
      : name,
  );
  return new Set(keys);
}

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** Without what was left open, so that it hides no default. */
function withoutUndefined<T extends object>(values: T): Defined<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>;
}

const MAX_PARTS = 1_400;
const LAYOUT = new Set<CST.TokenType | null>(['space', 'newline', 'comment', 'doc-mode', 'byte-order-mark', null]);

interface YamlFault {
  /** From 1; 0 where no line is to blame. */
  readonly line: number;
  readonly message: string;
}

interface YamlFile {
  /** Undefined where the file holds nothing. */
  readonly value: unknown;
  /** The line of the deepest part of the path that is there. */
  findLine(path: readonly PropertyKey[]): number;
}

/** YAML without its dangers: no anchors, aliases, tags or second documents, no key twice. Never throws. */
function readYaml(text: string): YamlFile | YamlFault {
  const tooMuch = findExcess(text);
  if (tooMuch !== null) return tooMuch;
  try {
    const lines = new LineCounter();
    const toLine = (offset: number): number => lines.linePos(offset).line;
    const options = { prettyErrors: false, stringKeys: true, uniqueKeys: true, logLevel: 'error' } as const;
    const document = parseDocument(text, { ...options, lineCounter: lines, schema: 'core', version: '1.2' });
    const [error] = [...document.errors, ...document.warnings];
    if (error) return { line: toLine(error.pos[0]), message: describeYamlError(error.code, error.message) };
    const special = findSpecialNode(document);
    if (special !== null) return { line: toLine(special.offset), message: special.message };
    const { contents } = document;
    if (contents === null || (isScalar(contents) && contents.value === null))
      return { value: undefined, findLine: () => 0 };
    return { value: document.toJS({ maxAliasCount: 0 }), findLine: (path) => toLine(findOffset(document, path)) };
  } catch {
    // Such as a nesting that is deeper than the stack.
    return { line: 0, message: 'This is not YAML that can be read. Compare it with the example in the documentation.' };
  }
}

/** A file of 16 KiB that the parser would take seconds for: many keys are compared with each other, and `?` nests. */
function findExcess(text: string): YamlFault | null {
  let line = 1;
  let parts = 0;
  for (const token of new Lexer().lex(text)) {
    const type = CST.tokenType(token);
    if (type === 'explicit-key-ind') return { line, message: 'Keys with `?` are not accepted. Write `key: value`.' };
    if (!LAYOUT.has(type)) parts += 1;
    // Every list of the file filled to its limit has 1,100.
    if (parts > MAX_PARTS) return { line, message: `It has more than ${MAX_PARTS} parts. Keep what Causeway needs.` };
    line += token.split('\n').length - 1;
  }
  return null;
}

function describeYamlError(code: string, message: string): string {
  switch (code) {
    case 'TAB_AS_INDENT':
      return 'It is indented with a tab. YAML wants spaces.';
    case 'DUPLICATE_KEY':
      return 'This key is here for the second time. Each may be given once.';
    case 'MULTIPLE_DOCS':
      return 'A second document begins here (`---`). There may be one.';
    case 'TAG_RESOLVE_FAILED':
      return 'Tags (`!…`) are not accepted. Write the value as it is.';
    default:
      return `This is not YAML: ${(message.split('\n')[0] ?? '').replace(/[.:]\s*$/, '')}.`;
  }
}

/** A small file can ask for a large one by naming parts of itself. */
function findSpecialNode(document: Document.Parsed): { readonly offset: number; readonly message: string } | null {
  let found: { offset: number; message: string } | null = null;
  visit(document, (_, node) => {
    if (!isNode(node)) return undefined;
    const offset = node.range?.[0] ?? 0;
    if (isAlias(node) || node.anchor) {
      const repair = 'Write the value out, or in quotes';
      found = { offset, message: `Anchors and aliases (\`&\` and \`*\`) are not accepted. ${repair}.` };
    } else if (node.tag) found = { offset, message: describeYamlError('TAG_RESOLVE_FAILED', '') };
    return found === null ? undefined : visit.BREAK;
  });
  return found;
}

/** The line of a key such as `labels:` says more than the one where its value begins. */
function findOffset(document: Document.Parsed, path: readonly PropertyKey[]): number {
  let node: unknown = document.contents;
  let offset = readOffset(node);
  for (const part of path) {
    const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && key.value === part) : undefined;
    const next: unknown = isSeq(node) ? node.items[Number(part)] : pair?.value;
    const at = isSeq(node) ? next : pair?.key;
    if (at === undefined) break;
    offset = readOffset(at) || offset;
    node = next;
  }
  return offset;
}

function readOffset(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}
