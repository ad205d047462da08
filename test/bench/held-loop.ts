// `held-loop`: how long texts that strangers may write hold the event loop of the service at most, as comments of an issue and by REST.
import path from 'node:path';
import { openShop, SHOP_NAME } from '../support/github-shop.ts';
import { openGithubStage } from '../support/github-stage.ts';
import { LOOP_PROBE, longestHold } from '../support/held-loop.ts';
import { say } from './figures.ts';
import { openLocalService } from './local-service.ts';
import type { Measurement, Row } from './row.ts';

const AIM_MS = 200;
const COMMENTS = 60;
const COMMENT = 64_000;
const REPORT = 1_000_000;

/** Repeated to the length of a text. */
const PIECES = [
  ...[
    'x\n',
    '\n',
    'x\r\n',
    'x\r',
    ' ',
    '\t',
    'a',
    '😀',
    '\u200b',
    '\u001b[1mx\u001b[0m\n',
    'All work and no play. ',
    '漢\n',
  ],
  ...[
    '```\n',
    '`',
    '~~~ a\n',
    '> a\n',
    '>',
    '- a\n',
    '- ',
    '# a\n',
    '*_',
    '[a](b)',
    '[',
    '](',
    '&amp;',
    '|a|b|\n|-|-|\n',
  ],
  ...[
    '<!-- a -->',
    '<!--',
    '<div><pre>',
    '<pre\n</pre\n',
    'https://example.com/a?b=c ',
    '<https://example.com> ',
    '@ola ',
    '/analysee\n',
  ],
  ...[
    '--- a/x.js\n+++ b/x.js\n@@ -1 +1 @@\n-a\n+b\n',
    '    at foo (/app/src/coupons.js:14:3)\n',
    '{"level":"error","msg":"a b c"},\n',
  ],
  ...[
    'Traceback (most recent call last):\n  File "a.py", line 3, in f\nValueError: bad\n',
    'src/coupons.js:14\n',
    '\\nat ',
  ],
];

/** Different in each line. */
const LINES: readonly ((index: number) => string)[] = [
  (index) => `src/f${index}/m${index}.ts:${index}`,
  (index) => `    at f${index} (src/m${index}.js:${index}:3)`,
  (index) => `TypeError: thing ${index} is not f${index}`,
  (index) => `myThing${index.toString(36)}()`,
  (index) => Buffer.from(`${index}`.repeat(20)).toString('base64').slice(0, 76),
];

/** Of each shape a text of so many bytes, or of a few less. */
function makeTexts(bytes: number): readonly string[] {
  const repeated = PIECES.map((piece) => piece.repeat(Math.floor(bytes / Buffer.byteLength(piece))));
  const listed = LINES.map((line) => {
    let text = '';
    for (let index = 0; text.length < bytes; index++) text += `${line(index)}\n`;
    return text.slice(0, bytes);
  });
  return [...repeated, ...listed];
}

export const HELD_LOOP: Measurement = {
  name: 'held-loop',
  about: `the longest time of the processor without a turn for others, over ${PIECES.length + LINES.length} shapes of text`,
  async *measure(rounds) {
    const comments: number[] = [];
    const reports: number[] = [];
    for (let round = 0; round < rounds; round++) {
      comments.push(await holdByComments());
      reports.push(await holdByReports());
    }
    yield* [
      { what: `${COMMENTS} comments of 64 kB and a label, loop held`, unit: 'ms', aim: AIM_MS, ours: comments },
      { what: 'a report of 1 MB by REST, loop held', unit: 'ms', aim: AIM_MS, ours: reports },
    ] satisfies Row[];
  },
};

async function holdByComments(): Promise<number> {
  const numbers: number[] = [];
  await using stage = await openGithubStage({
    ownProcess: true,
    env: LOOP_PROBE,
    prepare: async (double) => {
      await openShop(double);
      for (const body of makeTexts(COMMENT)) {
        const { number } = double.people.openIssue(SHOP_NAME, { by: 'ola', title: 'It fails', body: 'See below.' });
        for (let count = 0; count < COMMENTS; count++) double.people.comment(SHOP_NAME, number, { by: 'ola', body });
        numbers.push(number);
      }
    },
  });
  for (const [index, number] of numbers.entries()) {
    stage.double.people.label(SHOP_NAME, number, 'analyse', 'mara');
    await stage.until('a comment', () => stage.ourComments(SHOP_NAME, number).length > 0);
    await stage.rest();
    say(`${index + 1} as comments: ${longestHold(stage.service())} ms so far`);
  }
  return longestHold(stage.service());
}

async function holdByReports(): Promise<number> {
  await using local = await openLocalService(path.resolve(import.meta.dirname, '../..'), { env: LOOP_PROBE });
  for (const [index, text] of makeTexts(REPORT).entries()) {
    const data = `It fails: ${index}\n\n${text}`;
    await local.api.issue(await local.api.report({ projectId: local.projectId, data }));
    say(`${index + 1} by REST: ${longestHold(local.service)} ms so far`);
  }
  return longestHold(local.service);
}
