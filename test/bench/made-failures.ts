// Failures made by rule: the file that is at fault, broken and mended, and what a job of GitHub Actions prints when it meets it.

/** A cause by its name, made of letters: what differs in numbers alone counts as one cause. */
export interface MadeCause {
  readonly name: string;
  readonly path: string;
  readonly broken: string;
  readonly mended: string;
  readonly kind: 'test' | 'types';
}

const NOUNS = 'amount balance cart customer discount entry filter group invoice label market notice offer price'.split(
  ' ',
);
const PARTS = ['Head', 'Line', 'Tax', 'Note', 'Sum', 'Key', 'Date', 'Code', 'Rate', 'Unit', 'Side', 'Mark'];
const MORE = ['', 'Old', 'New', 'Net', 'Own', 'Raw', 'Top'];
const FILLER = 40;
/** Of what a job prints before it fails: lines of about 70 characters. */
const QUIET_LINES = 1_200;

/** More than a thousand differ. */
export function madeCause(number: number): MadeCause {
  const noun = NOUNS[number % NOUNS.length] ?? '';
  const part = PARTS[Math.floor(number / NOUNS.length) % PARTS.length] ?? '';
  const name = `${noun}${part}${MORE[Math.floor(number / NOUNS.length / PARTS.length) % MORE.length]}`;
  const text = (line: string) => {
    const head = `// The ${name} of a basket.\nexport function ${name}Of(basket) {\n  const lines = basket.lines ?? [];\n`;
    const filler = Array.from({ length: FILLER }, (_, at) => `// Part ${at} of what is said about ${name}.`);
    return `${head}${line}\n}\n${filler.join('\n')}\n`;
  };
  return {
    name,
    path: `src/parts/${name}.js`,
    broken: text(`  return lines.length + basket.${name}.amount;`),
    mended: text(`  return lines.length + (basket.${name}?.amount ?? 0);`),
    kind: number % 4 === 3 ? 'types' : 'test',
  };
}

/** What the job prints; `repository` is the last part of its name. */
export function logOfCause(cause: MadeCause, repository: string, seed: number): string {
  const root = `/home/runner/work/${repository}/${repository}`;
  const types = [`${cause.path}(4,32): error TS2339: Property '${cause.name}' does not exist on type 'Basket'.`];
  const test = [
    `FAIL test/parts/${cause.name}.test.js (${(seed % 90) / 10} s)`,
    `  ● ${cause.name} › of a basket without any`,
    '',
    `    TypeError: Cannot read properties of undefined (reading '${cause.name}')`,
    '',
    `      at ${cause.name}Of (${root}/${cause.path}:4:32)`,
    `      at Object.<anonymous> (${root}/test/parts/${cause.name}.test.js:7:12)`,
    '',
    `Tests:       1 failed, ${800 + (seed % 40)} passed, ${801 + (seed % 40)} total`,
  ];
  return jobLog(cause.kind === 'types' ? 'npx tsc --noEmit' : 'npm test', cause.kind === 'types' ? types : test, seed);
}

/** A test that fails now and then, the same one each time. */
export function logOfChance(name: string, seed: number): string {
  const output = [
    `FAIL test/live/${name}.test.js`,
    `  ● ${name} › hands over in order`,
    '',
    '    expect(received).toEqual(expected)',
    '',
    '    Expected: ["first", "second"]',
    '    Received: ["second", "first"]',
    '',
    `      at Object.<anonymous> (test/live/${name}.test.js:31:18)`,
    '',
    `Tests:       1 failed, ${800 + (seed % 40)} passed, ${801 + (seed % 40)} total`,
  ];
  return jobLog('npm test', output, seed);
}

const MACHINE = [
  ['npm ERR! code ENOSPC', 'npm ERR! errno -28', 'npm ERR! nospc ENOSPC: no space left on device, write'],
  [
    'npm ERR! code ECONNRESET',
    'npm ERR! network request to https://registry.npmjs.org/left failed, reason: read ECONNRESET',
  ],
  ['Error response from daemon: toomanyrequests: You have reached your pull rate limit.'],
];

export function logOfMachine(seed: number): string {
  return jobLog('npm ci', MACHINE[seed % MACHINE.length] ?? [], seed);
}

/** Such as GitHub notes of a job whose runner is gone. */
export const RUNNER_LOST =
  'The hosted runner lost communication with the server. Anything in your workflow that terminates the runner process can cause this.';

/** What a job printed before it ended without a word. */
export function logCutOff(seed: number): string {
  return quietLines('npm test', seed).join('\n');
}

function jobLog(command: string, output: readonly string[], seed: number): string {
  const end = ['##[error]Process completed with exit code 1.', 'Post job cleanup.', 'Cleaning up orphan processes'];
  return [...quietLines(command, seed), ...output.map((line) => `${stamp(seed, QUIET_LINES)} ${line}`), ...end].join(
    '\n',
  );
}

function quietLines(command: string, seed: number): readonly string[] {
  const head = [
    'Current runner version: 2.316.0',
    '##[group]Run actions/checkout@v4',
    '##[endgroup]',
    `##[group]Run ${command}`,
  ];
  const quiet = Array.from(
    { length: QUIET_LINES },
    (_, at) => `PASS test/area-${at % 60}/case-${at}.test.js (${(at * seed) % 97} ms)`,
  );
  return [...head, `\u001b[36;1m${command}\u001b[0m`, '##[endgroup]', ...quiet].map(
    (line, at) => `${stamp(seed, at)} ${line}`,
  );
}

function stamp(seed: number, at: number): string {
  return `${new Date(1_760_000_000_000 + seed * 60_000 + at * 10).toISOString().slice(0, -1)}4567Z`;
}
