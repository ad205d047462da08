// `fingerprints`: is the same failure known again when another run shows it, and are different failures of one job told apart?
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { condenseText, readCheck } from 'causeway-ci-log';
import type { Case, EvalOptions, Part, PartResult, Row } from './part.ts';
import { EvalFault } from './part.ts';
import { anotherRun, chanceOf, PERTURBATIONS } from './perturb-log.ts';

export const FINGERPRINTS: Part = {
  name: 'fingerprints',
  says: 'one failure in two runs, two failures of one job: how often are they mistaken? --cases, --logs',
  fits: (cases) => cases.some(({ data }) => typeof data['log'] === 'string' && 'truth' in data),
  run: runFingerprints,
};

interface FailedLog {
  readonly id: string;
  readonly job: string;
  readonly log: string;
  readonly print: string;
  /** Names of failed tests, where they are known. */
  readonly failed: readonly string[];
  /** Lines that people call the error, without their numbers; empty where nobody has. */
  readonly said: ReadonlySet<string>;
}

interface Pair {
  readonly group: string;
  readonly id: string;
  readonly isWrong: boolean;
}

const RUNS = 2;
/** Shorter ones are never condensed to so little. */
const LONG = 200_000;

async function runFingerprints(options: EvalOptions): Promise<PartResult> {
  if (options.logs === '') throw new EvalFault('fingerprints needs --logs DIR.');
  const logs: FailedLog[] = [];
  for (const one of options.cases) {
    options.signal.throwIfAborted();
    const log = failedLog(one, options.logs);
    if (log !== null) logs.push(log);
  }
  const pairs = [...samePairs(logs, options), ...renamedPairs(logs), ...rewordedPairs(logs), ...jobPairs(logs)];
  for (const { group, id, isWrong } of pairs) options.emit({ id: `${group}: ${id}`, wrong: isWrong });
  const groups = [...new Set(pairs.map(({ group }) => group))];
  return {
    rows: groups.map((group): Row => {
      const of = pairs.filter((pair) => pair.group === group);
      return {
        group,
        system: 'causeway',
        n: of.length,
        figures: { 'mistaken %': (100 * of.filter(({ isWrong }) => isWrong).length) / of.length },
      };
    }),
    notes: [
      `${logs.length} failing logs. "same": the log and itself as another run would have written it (machine, times, numbers, hashes, stamps, colours, order of lists, other lines between, cut at another place).`,
      '"different, renamed": the log and itself with another test failed, everywhere in it. "different, another name": the same with another name in its first error, where no test is named. "different, one job" and "same, one job": two real logs of a job of which people call none, or all, of the same lines the error.',
    ],
  };
}

function printOf(log: string): string {
  return readCheck({ name: 'job', output: '', log, annotations: [] }).fingerprint;
}

function failedLog({ data, line, file }: Case, folder: string): FailedLog | null {
  const { id, log, source, truth } = data;
  if (typeof id !== 'string' || typeof log !== 'string' || typeof source !== 'string' || !isTruth(truth)) {
    throw new EvalFault(`${file}:${line} is no case of a log: it needs id, log, source and truth.`);
  }
  if (truth.status === 'ok') return null;
  const text = gunzipSync(readFileSync(path.join(folder, log))).toString();
  return {
    id,
    job: source.replace(/[_/](?:run)?\d+(?:\.\w+)?$/, ''),
    log: text,
    print: printOf(text),
    failed: truth.failed ?? [],
    said: saidBy(text, truth),
  };
}

interface Truth {
  readonly status?: string | null;
  readonly failed?: readonly string[] | null;
  readonly annotator1?: readonly (readonly [string, number, number])[] | null;
  readonly annotator2?: readonly (readonly [string, number, number])[] | null;
}

function isTruth(value: unknown): value is Truth {
  return typeof value === 'object' && value !== null;
}

function saidBy(text: string, { annotator1, annotator2 }: Truth): ReadonlySet<string> {
  const lines = text.split(/\r\n|\n|\r/);
  const errors = [...(annotator1 ?? []), ...(annotator2 ?? [])].filter(([kind]) => kind === 'E');
  const said = errors.flatMap(([, from, to]) => lines.slice(from - 1, to)).map(plainWords);
  return new Set(said.filter((words) => words.length > 12 && !/exit code/.test(words)));
}

function plainWords(line: string): string {
  return line
    .replace(/^\S+Z /, '')
    .replace(/\d+/g, '')
    .trim();
}

function* samePairs(logs: readonly FailedLog[], { progress }: EvalOptions): Generator<Pair> {
  for (const [at, { id, log, print }] of logs.entries()) {
    for (let run = 1; run <= RUNS; run += 1) {
      yield { group: 'same, all at once', id, isWrong: printOf(anotherRun(log, at * RUNS + run)) !== print };
    }
    for (const [name, perturb] of Object.entries(PERTURBATIONS)) {
      const other = perturb(log.split('\n'), chanceOf(at)).join('\n');
      if (other !== log) yield { group: `same, ${name}`, id, isWrong: printOf(other) !== print };
    }
    const short = condenseText(log, Math.ceil(Buffer.byteLength(log) / 3));
    if (log.length > LONG) yield { group: 'same, condensed to a third', id, isWrong: printOf(short) !== print };
    if (at % 20 === 0) progress(`${at} of ${logs.length} logs`);
  }
}

/** Another test of the same suite, with all else the same. */
function* renamedPairs(logs: readonly FailedLog[]): Generator<Pair> {
  for (const { id, log, failed, print } of logs) {
    const word = failed
      .flatMap((name) => /\w{6,}(?=\W*$)/.exec(name.replace(/\(.*\)$/, ''))?.[0] ?? [])
      .find((name) => log.includes(name));
    if (word === undefined) continue;
    const other = log.replaceAll(word, `${word.slice(0, 4)}Elsewhere`);
    yield { group: 'different, renamed', id, isWrong: printOf(other) === print };
  }
}

const COMMON = /^(?:errors?|failed|failure|exception|cannot|expected|received|undefined|process|completed|because)$/i;

/**
 * Another name in the first error, and wherever else it stands. Of failed tests the names count, not what they say; of a
 * log that says no error its last words are shown, and do not count.
 */
function* rewordedPairs(logs: readonly FailedLog[]): Generator<Pair> {
  for (const { id, log, print } of logs) {
    const { excerpt, infrastructure, isInformative } = readCheck({ name: 'job', output: '', log, annotations: [] });
    if (excerpt.tests.length > 0 || infrastructure !== null || !isInformative) continue;
    const words = excerpt.headline.match(/(?<![/\\\w.-])[A-Za-z_]{7,40}(?![/\\\w-])/g) ?? [];
    const word = words.find((one) => !COMMON.test(one) && !/(?:Error|Exception)$/.test(one));
    if (word === undefined) continue;
    yield {
      group: 'different, another name',
      id,
      isWrong: printOf(log.replaceAll(word, `other${word.slice(1)}Elsewhere`)) === print,
    };
  }
}

function* jobPairs(logs: readonly FailedLog[]): Generator<Pair> {
  const told = logs.filter(({ said }) => said.size > 0);
  for (const [at, one] of told.entries()) {
    for (const other of told.slice(at + 1)) {
      if (one.job !== other.job) continue;
      const shared = [...one.said].filter((words) => other.said.has(words)).length;
      const id = `${one.id} ${other.id}`;
      if (shared === 0) yield { group: 'different, one job', id, isWrong: one.print === other.print };
      else if (shared === one.said.size && shared === other.said.size) {
        yield { group: 'same, one job', id, isWrong: one.print !== other.print };
      }
    }
  }
}
