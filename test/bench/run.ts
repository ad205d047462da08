// `npm run bench`: the speeds that people feel, as docs/evaluation.md lists them; `npm run bench -- NAME` measures one subject.
import { parseArgs } from 'node:util';
import { ANSWERS } from './answers.ts';
import { CI_LOG } from './ci-log.ts';
import { EDITS } from './edits.ts';
import { FACTS } from './facts.ts';
import { say } from './figures.ts';
import { HELD_LOOP } from './held-loop.ts';
import { ON_ACTION } from './on-action.ts';
import { ON_GITHUB } from './on-github.ts';
import { formatRows, isReached, keepRows, type Row } from './row.ts';
import { START } from './start.ts';

const MEASUREMENTS = [START, ANSWERS, FACTS, CI_LOG, EDITS, ON_GITHUB, ON_ACTION, HELD_LOOP];
const OTHERS = {
  redaction: async () => (await import('./redaction.ts')).measureRedaction,
  coverage: async () => (await import('./coverage.ts')).measureCoverage,
} as const;

const USAGE = `Usage: npm run bench -- [NAME] [--rounds 3] [--keep]
${MEASUREMENTS.map(({ name, about }) => `  ${name.padEnd(10)} ${about}\n`).join('')}
  redaction  how many made secrets are hidden, and false alarms in real texts (--samples N, --logs FOLDER, --every, --show)
  coverage   functions and files that run for one report and for one label

  --rounds 3  how often each is measured
  --keep      writes the rows to docs/evaluation.md
`;

const [name = '', ...rest] = process.argv.slice(2);
if (name === 'redaction' || name === 'coverage') await (await OTHERS[name]())(rest);
else await measure();

async function measure(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '3' },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const chosen = MEASUREMENTS.filter((one) => positionals.length === 0 || positionals.includes(one.name));
  if (values.help || chosen.length === 0) {
    process.stdout.write(USAGE);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  const all: Row[] = [];
  for (const { name, about, measure } of chosen) {
    say(`\n## ${name}: ${about}\n`);
    const rows: Row[] = [];
    for await (const row of measure(Number(values.rounds))) rows.push(row);
    say(formatRows(rows));
    // After each subject, since a later one may fail.
    if (values.keep) await keepRows(rows);
    all.push(...rows);
  }
  const missed = all.filter((row) => !isReached(row)).map(({ what }) => what);
  say(`\n${missed.length === 0 ? 'Every aim is reached.' : `Missed: ${missed.join('; ')}.`}`);
}
