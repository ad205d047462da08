// A model that answers at once and plays the work on a made failure: it searches, reads, asks for history, mends, concludes.
import type { AskedRequest } from '../support/model-endpoint.ts';
import { call, conclusion, type Played, stepWith, textsIn } from '../support/played-model.ts';

const PLACE = /src\/parts\/(\w+)\.js/;

/** Name and path of the cause as the report tells them; null: it names none. */
function causeIn(asked: AskedRequest): { readonly name: string; readonly path: string } | null {
  const found = PLACE.exec(textsIn(asked).join('\n'));
  return found === null ? null : { name: found[1] ?? '', path: found[0] };
}

function line(name: string): string {
  return `return lines.length + basket.${name}.amount;`;
}

function mended(name: string): string {
  return `return lines.length + (basket.${name}?.amount ?? 0);`;
}

/** In short: what is asked first and last, for figures of time. */
export const QUICK_TURNS: readonly Played[] = [
  (asked) => ({ calls: [call('read_files', { files: [{ path: causeIn(asked)?.path ?? 'README.md' }] })] }),
  mend,
  conclude,
];

/** As many questions as the median of real runs took. */
export const RED_TURNS: readonly Played[] = [
  (asked) => ({
    say: 'First I look for what the log names.',
    calls: [call('search', { pattern: causeIn(asked)?.name ?? 'hands over' })],
  }),
  (asked) => ({
    say: 'That is the place; I read it.',
    calls: [call('read_files', { files: [{ path: causeIn(asked)?.path ?? 'package.json' }] })],
  }),
  (asked) => ({
    say: 'When did it come?',
    calls: [call('history', { path: causeIn(asked)?.path ?? 'src' })],
  }),
  (asked) => ({
    say: 'Who reads it the same way?',
    calls: [call('search', { pattern: `${causeIn(asked)?.name ?? 'live'}Of` })],
  }),
  mend,
  conclude,
];

function mend(asked: AskedRequest) {
  const cause = causeIn(asked);
  if (cause === null) return { say: 'Nothing here is at fault.', calls: [unknown()] };
  const { name, path } = cause;
  return { say: 'I mend it.', calls: [call('replace', { path, old: line(name), new: mended(name) })] };
}

function conclude(asked: AskedRequest) {
  const cause = causeIn(asked);
  return { say: 'That is all.', calls: [cause === null ? unknown() : fixOf(asked, cause)] };
}

function unknown() {
  return conclusion({ outcome: 'inconclusive', questions: ['Does it pass when it is run again?'] });
}

function fixOf(asked: AskedRequest, { name, path }: { readonly name: string; readonly path: string }) {
  const quote = line(name);
  return conclusion({
    outcome: 'code_fix',
    problem: `The ${name} of a basket is read where there is none.`,
    rootCause: [
      {
        text: `The amount of ${name} is read without asking whether the basket has one`,
        citations: [{ step: stepWith(asked, quote), quote }],
        places: [{ file: path, line: 4 }],
      },
    ],
    solutionSteps: [`A basket without ${name} has an amount of nought.`],
    suspects: [{ file: path, line: 4, function: `${name}Of`, why: 'reads it unasked' }],
  });
}
