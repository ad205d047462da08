// Runs one of the measurements of docs/measurements.md: `npm run bench -- NAME [options]`. Names and options: see the usages.
import { CI_LOG_STREAM_USAGE, ciLogStreamBench } from './ci-log-stream.ts';
import { CI_LOGS_USAGE, ciLogsBench } from './ci-logs.ts';
import { DELIVERIES_USAGE, deliveriesBench } from './deliveries.ts';
import { LABEL_USAGE, labelBench } from './label-bench.ts';
import { LEXICON_USAGE, lexiconBench } from './lexicon.ts';
import { QUEUE_USAGE, queueBench } from './queue.ts';
import { RED_CHECK_USAGE, redCheckBench } from './red-check.ts';
import { RED_DAY_USAGE, redDayBench } from './red-day.ts';
import { REDACTION_USAGE, redactionBench } from './redaction.ts';

const BENCHES = {
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

const args = process.argv.slice(2);
const isNamed = args[0] !== undefined && !args[0].startsWith('-');
const name = isNamed ? String(args[0]) : 'label';
if (args.includes('--help') || !isBench(name)) {
  process.stdout.write(
    [
      ...[LABEL_USAGE, RED_DAY_USAGE, RED_CHECK_USAGE, CI_LOGS_USAGE, CI_LOG_STREAM_USAGE, LEXICON_USAGE],
      DELIVERIES_USAGE,
      REDACTION_USAGE,
      QUEUE_USAGE,
    ].join('\n'),
  );
  if (!isBench(name)) process.exitCode = 2;
} else {
  await BENCHES[name](isNamed ? args.slice(1) : args);
}

function isBench(name: string): name is keyof typeof BENCHES {
  return Object.hasOwn(BENCHES, name);
}
