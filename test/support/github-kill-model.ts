// A model that finds the shop's bug, mends it, and at each further attempt changes the same line once more.

import type { AskedRequest } from '../../packages/models/test/model-endpoint.ts';
import { call, type Played } from '../../packages/models/test/played.ts';
import { MENDED_FILE, MENDED_LINE, type ShopModel, shopModel } from './github-model.ts';
import { conclusion, stepWith, textsIn } from './played-model.ts';

/** How its questions begin where they are about red checks. */
export const FURTHER = 'The checks of a fix are red.';

const LINE = / {2}const \{ percent, minimum \} = COUPONS\.get\(.*\);(?: \/\/ try (\d+))?/;
const CHECK = 'return COUPONS.has(code.trim().toUpperCase());';

/** The line as the file has it at the commit that is looked at. */
function lineIn(asked: AskedRequest): string {
  const answers = asked.body.messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content));
  const found = LINE.exec(answers.join('\n'))?.[0];
  if (found === undefined) throw new Error(`the line was not shown:\n${textsIn(asked).join('\n')}`);
  return found;
}

function next(line: string): string {
  if (!line.startsWith(MENDED_LINE)) return MENDED_LINE;
  return `${MENDED_LINE} // try ${Number(LINE.exec(line)?.[1] ?? 0) + 1}`;
}

function fix(asked: AskedRequest) {
  const line = lineIn(asked);
  const step = stepWith(asked, line.trim());
  return {
    outcome: 'code_fix',
    problem: 'A coupon in lower case stops the server.',
    rootCause: [
      {
        text: 'The discount is looked up under another code than the one that was checked',
        citations: [{ step, quote: line.trim() }],
        places: [{ file: MENDED_FILE, line: 14 }],
      },
      {
        text: 'The check before it reads the code in capitals',
        citations: [{ step, quote: CHECK }],
        places: [{ file: MENDED_FILE, line: 10 }],
      },
    ],
    solutionSteps: ['Read the code alike in both places.'],
    suspects: [{ file: MENDED_FILE, line: 14, function: 'discountFor', why: 'looks the code up' }],
  };
}

/** `barren`: it finds no further change once the checks of the first are red. */
export function stubbornModel({ barren = false } = {}): Promise<ShopModel> {
  const turns: readonly Played[] = [
    { say: 'The file, as it is.', calls: [call('read_files', { files: [{ path: MENDED_FILE }] })] },
    (asked) => {
      if (barren && textsIn(asked).join('\n').includes(FURTHER)) return { say: 'Nothing.', calls: [nothing()] };
      const line = lineIn(asked);
      return { say: 'Here.', calls: [call('replace', { path: MENDED_FILE, old: line, new: next(line) })] };
    },
    (asked) => ({ say: 'That is all.', calls: [conclusion(fix(asked))] }),
  ];
  return shopModel(turns);
}

function nothing() {
  return conclusion({ outcome: 'inconclusive', questions: ['Which machine do the checks run on?'] });
}
