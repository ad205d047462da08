// `npm run bench`: every comparison of docs/evaluation.md; `npm run bench -- NAME [options]`: one of them, or a longer measurement.
import { CI_LOG_STREAM_USAGE, ciLogStreamBench } from './ci-log-stream.ts';
import { CI_LOGS_USAGE, ciLogsBench } from './ci-logs.ts';
import { COMPARE_OPTIONS, compare } from './compare.ts';
import { COMPARISONS } from './comparisons.ts';
import { DELIVERIES_USAGE, deliveriesBench } from './deliveries.ts';
import { LABEL_USAGE, labelBench } from './label-bench.ts';
import { LEXICON_USAGE, lexiconBench } from './lexicon.ts';
import { QUEUE_USAGE, queueBench } from './queue.ts';
import { RED_CHECK_USAGE, redCheckBench } from './red-check.ts';
import { RED_DAY_USAGE, redDayBench } from './red-day.ts';
import { REDACTION_USAGE, redactionBench } from './redaction.ts';

const LONGER = {
  label: labelBench,
  'red-day': redDayBench,
  'red-check': redCheckBench,
  'ci-logs': ciLogsBench,
  'ci-log-stream': ciLogStreamBench,
  lexicon: lexiconBench,
  queue: queueBench,
  deliveries: deliveriesBench,
  redaction: redactionBench,
} as const;

const USAGES = [
  ...[LABEL_USAGE, RED_DAY_USAGE, RED_CHECK_USAGE, CI_LOGS_USAGE, CI_LOG_STREAM_USAGE, LEXICON_USAGE],
  ...[DELIVERIES_USAGE, REDACTION_USAGE, QUEUE_USAGE],
];

const args = process.argv.slice(2);
const name = args[0] === undefined || args[0].startsWith('-') ? null : args[0];
if (args.includes('--help')) process.stdout.write(usage());
else if (name === null) await compare(COMPARISONS, args);
else await measureOne(name, args.slice(1));

async function measureOne(name: string, options: readonly string[]): Promise<void> {
  const comparison = COMPARISONS.find((one) => one.name === name);
  if (comparison !== undefined) return await compare([comparison], options);
  if (isLonger(name)) return await LONGER[name](options);
  process.stderr.write(`There is no measurement "${name}".\n\n${usage()}`);
  process.exitCode = 2;
}

function usage(): string {
  const lines = COMPARISONS.map(({ name, about }) => `${name}: ${about}\n`);
  return `Comparisons, all of them without a name:\n${lines.join('')}${COMPARE_OPTIONS}\nLonger measurements:\n${USAGES.join('\n')}`;
}

function isLonger(name: string): name is keyof typeof LONGER {
  return Object.hasOwn(LONGER, name);
}
