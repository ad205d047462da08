// `redaction`: how many fake secrets of each kind and wrapping are cut out, what is cut that is none, and what it costs.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { createRedactor } from 'causeway-redact';
import { findSecrets } from '../../packages/redact/src/find-secrets.ts';
import { KINDS, leaks, sample, seeded, WRAPPINGS } from '../../packages/redact/test/corpus/kinds.ts';
import { load, median, say, spread, table } from './figures.ts';

const MB = 1_000_000;
const ROOT = path.join(import.meta.dirname, '..', '..');

interface Text {
  readonly name: string;
  readonly text: string;
}

/** Prints recall on made secrets, what is cut that is none, and the time it takes. */
export async function measureRedaction(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      samples: { type: 'string' },
      logs: { type: 'string' },
      every: { type: 'boolean' },
      show: { type: 'boolean' },
    },
  });
  say(`\n## Recall\n\n${await recall(Number(values.samples ?? 10))}`);
  const logs = values.logs === undefined ? [] : logsOf(values.logs, values.every === true);
  const alarms = [await alarmsIn('own source, tests, lock file', ownTexts(), values.show === true)];
  if (logs.length > 0) alarms.push(await alarmsIn(`${logs.length} real logs`, logs, values.show === true));
  say(`\n## Cut in real texts\n\n${table(['texts', 'MB', 'cut', 'a MB'], alarms)}`);
  say(`\n## Cost\n\n${await cost(logs.length > 0 ? logs : ownTexts())}\n\n${load()}`);
}

async function recall(samples: number): Promise<string> {
  const totals = WRAPPINGS.map(() => 0);
  const rows: string[][] = [];
  for (const kind of KINDS) {
    const found: number[] = [];
    for (const { wrap } of WRAPPINGS) {
      let hidden = 0;
      for (let turn = 0; turn < samples; turn += 1) {
        const random = seeded(turn * 7_919 + 1);
        const { secret, placed } = sample(kind, turn, random);
        const text = wrap(placed, random);
        if (!leaks(await redacted(text), secret)) hidden += 1;
      }
      found.push(hidden);
    }
    for (const [i, hidden] of found.entries()) totals[i] = (totals[i] ?? 0) + hidden;
    if (found.some((hidden) => hidden < samples)) rows.push([kind.name, ...found.map(String)]);
  }
  const names = WRAPPINGS.map(({ name }) => name);
  const whole = totals.map((hidden) => ((hidden / (samples * KINDS.length)) * 100).toFixed(1));
  return [
    table(['', ...names], [[`${KINDS.length} kinds, of a hundred`, ...whole]]),
    table([`not all of ${samples}`, ...names], rows),
  ].join('\n\n');
}

async function redacted(text: string): Promise<string> {
  let shown = '';
  let from = 0;
  for (const { start, end } of await findSecrets(text, [])) {
    shown += `${text.slice(from, start)}[redacted]`;
    from = end;
  }
  return shown + text.slice(from);
}

async function alarmsIn(name: string, texts: readonly Text[], show: boolean): Promise<string[]> {
  let [size, cut] = [0, 0];
  for (const { name: file, text } of texts) {
    const spans = await findSecrets(text, []);
    size += text.length;
    cut += spans.length;
    if (!show) continue;
    for (const { start, end } of spans) {
      say(`${file}: ${JSON.stringify(text.slice(Math.max(0, start - 60), start))} > ${text.slice(start, end)}`);
    }
  }
  return [name, (size / MB).toFixed(1), String(cut), (cut / (size / MB)).toFixed(2)];
}

/** 1.2 MB of the texts: all of redaction and, in turn, one plain pattern over the same; then how long the event loop was held by a redactor. */
async function cost(texts: readonly Text[]): Promise<string> {
  const whole = texts.map(({ text }) => text).join('\n');
  const text = whole.repeat(Math.ceil((1.2 * MB) / whole.length)).slice(0, 1.2 * MB);
  const adversarial = ['key-'.repeat(25_000), 'ghp_'.repeat(25_000), 'eyJ'.repeat(33_000), '-----BEGIN '.repeat(9_000)];
  const [ours, plain, worst]: [number[], number[], number[]] = [[], [], []];
  for (let time = 0; time < 7; time += 1) {
    ours.push((await took(() => findSecrets(text, []))) / 1.2);
    plain.push((await took(async () => [...text.matchAll(/gh[pousr]_[A-Za-z0-9]{36}/g)])) / 1.2);
    for (const [i, line] of adversarial.entries()) {
      worst[i] = Math.min(worst[i] ?? Number.POSITIVE_INFINITY, await took(() => findSecrets(line, [])));
    }
  }
  return table(
    ['', 'ms of the processor'],
    [
      ['a MB of it, redaction', spread(ours)],
      ['a MB of it, one plain pattern', spread(plain, 2)],
      ['ratio', (median(ours) / median(plain)).toFixed(0)],
      ['1.2 MB, median', (median(ours) * 1.2).toFixed(0)],
      ['event loop held at most meanwhile (ms of the clock)', (await held(text)).toFixed(0)],
      ['adversarial lines of 100 kB (key-, ghp_, eyJ, BEGIN)', worst.map((ms) => ms.toFixed(0)).join(', ')],
    ],
  );
}

/** Milliseconds of the processor: on a machine with other work the clock tells of that. */
async function took(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

async function held(text: string): Promise<number> {
  await using redactor = createRedactor({ exactValues: () => [] });
  await redactor.redact(text);
  let [longest, last] = [0, performance.now()];
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last - 2);
    last = performance.now();
  }, 2);
  last = performance.now();
  await redactor.redact(text);
  clearInterval(timer);
  return longest;
}

function logsOf(folder: string, every: boolean): Text[] {
  const files = readdirSync(folder)
    .filter((name) => /\.log(?:\.gz)?$/.test(name))
    .toSorted();
  const step = every ? 1 : Math.max(1, Math.floor(files.length / 10));
  return files
    .filter((_, at) => at % step === 0)
    .slice(0, every ? files.length : 10)
    .map((name) => {
      const bytes = readFileSync(path.join(folder, name));
      return { name, text: (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8') };
    });
}

/** What git tracks here, and is text. */
function ownTexts(): Text[] {
  const folders = ['src', 'packages', 'test', 'docs', 'scripts'];
  const listed = execFileSync('git', ['-C', ROOT, 'ls-files', '-z', '--', ...folders, '*.json'], { encoding: 'utf8' });
  const names = listed.split('\0').filter((name) => /\.(?:ts|mjs|js|md|json|ya?ml|css)$/.test(name));
  return names.map((name) => ({ name, text: readFileSync(path.join(ROOT, name), 'utf8') }));
}
