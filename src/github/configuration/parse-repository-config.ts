// The text of `.github/causeway.yml` as a configuration, or the one fault that keeps it from being one.
import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { findNearestName } from '../../core/nearest-name.ts';
import { FILE_SCHEMA, type FileContent } from './file-schema.ts';
import { readYaml, type YamlFault, type YamlFile } from './read-yaml.ts';
import { type ConfigProblem, DEFAULT_CONFIG, type ReadConfig, type RepositoryConfig } from './repository-config.ts';

export const MAX_CONFIG_BYTES = 16 * 1024;

export const TOO_LARGE = `The file is larger than ${MAX_CONFIG_BYTES / 1024} KiB. Keep what Causeway needs.`;

const SHOWN_VALUE = 40;

/**
 * Never throws. A file with a fault counts as a whole: its configuration is then the careful one, which gives no more than the
 * author can have meant. `file` is how the problem names the file.
 */
export function parseRepositoryConfig(given: string, file: string): ReadConfig {
  const text = given.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  if (Buffer.byteLength(text) > MAX_CONFIG_BYTES) {
    return faulty(text, file, { line: 0, message: TOO_LARGE });
  }
  const yaml = read(text);
  if ('message' in yaml) return faulty(text, file, yaml);
  if (yaml.value === undefined) return { config: DEFAULT_CONFIG, problem: null, given: new Set() };
  const parsed = FILE_SCHEMA.safeParse(yaml.value);
  if (parsed.success) return { config: toConfig(parsed.data), problem: null, given: givenKeys(parsed.data) };
  return faulty(text, file, firstFault(parsed.error.issues, yaml), yaml.value);
}

/** For what is no text at all. */
export function unreadableConfig(file: string, message: string): ReadConfig {
  return faulty('', file, { line: 0, message });
}

function read(text: string): YamlFile | YamlFault {
  try {
    return readYaml(text);
  } catch {
    return { line: 0, message: 'This is not YAML that can be read. Compare it with the example in the documentation.' };
  }
}

function faulty(text: string, file: string, { line, message }: YamlFault, value?: unknown): ReadConfig {
  const digest = createHash('sha256').update(`${file}\0${text}\0${message}`).digest('hex');
  const problem: ConfigProblem = { file, line, message, digest };
  const config = carefulConfig(text, value);
  return { config, problem, given: carefulKeys(config) };
}

/** No pull requests, and no comments unasked; `observe`, `none` and a budget hold wherever they can still be read. */
function carefulConfig(text: string, value: unknown): RepositoryConfig {
  const budget = budgetOf(value);
  return {
    ...DEFAULT_CONFIG,
    mode: /^["']?mode["']?\s*:\s*["']?observe\b/im.test(text) ? 'observe' : 'comment',
    comments: 'asked',
    model: /^["']?model["']?\s*:\s*["']?none\b/im.test(text) ? 'none' : '',
    budget: { run: budget?.run ?? null, month: budget?.month ?? null },
  };
}

/** What is otherwise than without a file, since there is one. */
function carefulKeys({ model, budget }: RepositoryConfig): ReadonlySet<string> {
  const held = Object.entries({
    model: model !== '',
    'budget.run': budget.run !== null,
    'budget.month': budget.month !== null,
  });
  return new Set(['mode', 'comments', ...held.flatMap(([name, isHeld]) => (isHeld ? name : []))]);
}

function budgetOf(value: unknown): FileContent['budget'] {
  if (typeof value !== 'object' || value === null || !('budget' in value)) return undefined;
  const parsed = FILE_SCHEMA.shape.budget.safeParse(value.budget);
  return parsed.success ? parsed.data : undefined;
}

/** The one that stands first in the file. */
function firstFault(issues: readonly z.core.$ZodIssue[], yaml: YamlFile): YamlFault {
  const faults = issues.map((issue) => {
    const unknown = issue.code === 'unrecognized_keys' ? (issue.keys[0] ?? '') : null;
    const line = yaml.lineOf(unknown === null ? issue.path : [...issue.path, unknown]);
    return { line, message: unknown === null ? expected(issue, yaml.value) : unknownKey(unknown, issue.path) };
  });
  return faults.reduce(
    (first, fault) => (fault.line < first.line ? fault : first),
    faults[0] ?? { line: 0, message: '' },
  );
}

function expected({ path, message }: z.core.$ZodIssue, value: unknown): string {
  const found = path.reduce<unknown>((at, part) => (at as Record<PropertyKey, unknown> | null)?.[part], value);
  const name = path.length === 0 ? 'The file' : `\`${nameOf(path)}\``;
  return `${name} must be ${message}; it is ${inWords(found)}.`;
}

function unknownKey(key: string, path: readonly PropertyKey[]): string {
  const known = knownKeys(path);
  const within = path.length === 0 ? '' : ` in \`${nameOf(path)}\``;
  const near = didYouMean(key, known);
  const list = known.map((name) => `\`${name}\``).join(', ');
  return `${quoted(key)} is not known${within}${near === '' ? `. Known are ${list}.` : near}`;
}

function knownKeys([first]: readonly PropertyKey[]): readonly string[] {
  const { shape } = FILE_SCHEMA;
  switch (first) {
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
function nameOf(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part + 1}]` : `.${String(part)}`))
    .join('')
    .slice(1);
}

function inWords(value: unknown): string {
  if (value === null || value === undefined) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a group of keys';
  return typeof value === 'string' && value.trim() === '' ? 'empty' : quoted(String(value));
}

function quoted(text: string): string {
  const line = text.replace(/[\s`]+/g, ' ').trim();
  return `\`${line.length > SHOWN_VALUE ? `${line.slice(0, SHOWN_VALUE).toWellFormed()}…` : line}\``;
}

/** `, did you mean …?` for a key that is nearly one of those known. */
function didYouMean(key: string, known: readonly string[]): string {
  const name = findNearestName(key.replaceAll('-', '_'), known);
  return name === null ? '' : `, did you mean \`${name}\`?`;
}

function toConfig(file: FileContent): RepositoryConfig {
  const { checks, paths, budget } = DEFAULT_CONFIG;
  return {
    ...DEFAULT_CONFIG,
    ...given({
      mode: file.mode,
      labels: file.labels,
      comments: file.comments,
      language: file.language,
      model: file.model,
      instructions: file.instructions?.trim(),
    }),
    checks: { ...checks, ...given(file.checks ?? {}) },
    paths: { ...paths, ...given(file.paths ?? {}) },
    budget: { ...budget, ...given(file.budget ?? {}) },
    pullRequest: pullRequestOf(file.pull_request ?? {}),
  };
}

/** Names of the keys that the file gives, as it calls them. */
function givenKeys(file: FileContent): ReadonlySet<string> {
  const keys = Object.entries(given(file)).flatMap(([name, value]) =>
    typeof value === 'object' && !Array.isArray(value)
      ? Object.keys(given(value)).map((key) => `${name}.${key}`)
      : name,
  );
  return new Set(keys);
}

function pullRequestOf(file: NonNullable<FileContent['pull_request']>): RepositoryConfig['pullRequest'] {
  const { reviewers = [], ...rest } = file;
  return {
    ...DEFAULT_CONFIG.pullRequest,
    ...given(rest),
    reviewers: reviewers.map((name) => name.replace(/^@/, '')),
  };
}

type Given<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** Without what was left open, so that it hides no default. */
function given<T extends object>(values: T): Given<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given<T>;
}
