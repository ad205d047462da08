// `ci-names`: are all failed tests of a log named, none besides, and none in the log of a job that passed?
import { findCause } from '../../packages/ci-log/src/find-cause.ts';
import { findSteps, readLogLines } from '../../packages/ci-log/src/log-lines.ts';
import { haveTruth, type LogCase, logCase } from './ci-log-case.ts';
import type { EvalOptions, Part, PartResult } from './part.ts';
import { rowsOf, type Scored } from './scores.ts';
import { isSameTest } from './test-name.ts';

const TYPES = ['failed-tests'];

export const CI_NAMES: Part = {
  name: 'ci-names',
  says: 'failed tests by name in CI logs, and none in green ones: --cases, --logs',
  fits: (cases) => haveTruth(cases, TYPES),
  run: runNames,
};

async function runNames(options: EvalOptions): Promise<PartResult> {
  const red: Scored[] = [];
  const green: Scored[] = [];
  let unknown = 0;
  for (const [index, one] of options.cases.entries()) {
    options.signal.throwIfAborted();
    const log = logCase(one, options.logs);
    if (!TYPES.includes(log.truth.type)) continue;
    const scored = scoreOf(log);
    if (log.truth.status === 'ok') green.push(scored);
    else if ((log.truth.failed ?? []).length > 0) red.push(scored);
    else unknown += 1;
    options.emit({ id: log.id, ...scored.figures });
    if (index % 20 === 0) options.progress(`${index + 1} of ${options.cases.length} cases`);
  }
  return {
    rows: [
      ...rowsOf('causeway', red),
      ...rowsOf('causeway', green)
        .slice(0, 1)
        .map((row) => ({ ...row, group: 'jobs that passed' })),
    ],
    notes: [
      `${unknown} logs of jobs that failed name no test in the truth: nothing can be said of them.`,
      'A name counts where both say the same test, however suite, class and test are joined; "all": every known one is found, "none besides": no other is.',
    ],
  };
}

function scoreOf({ log, source, truth }: LogCase): Scored {
  const start = process.cpuUsage().user;
  const lines = readLogLines(log);
  const found = findCause(lines, findSteps(lines)).tests.map(({ name }) => name);
  const ms = (process.cpuUsage().user - start) / 1000;
  const known = truth.failed ?? [];
  const all = known.every((name) => found.some((other) => isSameTest(name, other)));
  const besides = found.some((name) => !known.some((other) => isSameTest(name, other)));
  return { language: '', source, ms, figures: { 'all %': all ? 100 : 0, 'none besides %': besides ? 0 : 100 } };
}
