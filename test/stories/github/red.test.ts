// Its own pull request stays red: one further attempt with the new log, then one word to the people, and no more.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { changedFiles, type Desk, openDesk } from '../../support/github-desk.ts';
import { expectLeastTokens } from '../../support/github-least.ts';
import { MENDED_FILE, MENDED_LINE, SHOP_TURNS, type ShopModel, shopModel } from '../../support/github-model.ts';
import { type GithubStage, openGithubStage } from '../../support/github-stage.ts';
import type { AskedRequest } from '../../support/model-endpoint.ts';
import { call, conclusion, type Played, stepWith, textsIn } from '../../support/played-model.ts';

let model: ShopModel;
let stage: GithubStage;

const AGAIN = MENDED_LINE.replace('code.trim()', 'String(code).trim()');

/** The further attempt edits what the first one wrote. */
const SECOND: readonly Played[] = [
  { say: 'I read what was written.', calls: [call('read_files', { files: [{ path: MENDED_FILE }] })] },
  { say: 'Codes may be numbers.', calls: [call('replace', { path: MENDED_FILE, old: MENDED_LINE, new: AGAIN })] },
  (asked) => ({
    say: 'That is all.',
    calls: [
      conclusion({
        outcome: 'code_fix',
        problem: 'A code that is a number stops the server.',
        rootCause: [
          {
            text: 'The code is read as text although it may be a number',
            citations: [{ step: stepWith(asked, MENDED_LINE), quote: MENDED_LINE.trim() }],
            places: [{ file: MENDED_FILE, line: 14 }],
          },
        ],
        solutionSteps: ['Read it as text.'],
        suspects: [{ file: MENDED_FILE, line: 14, function: 'discountFor', why: 'reads the code' }],
      }),
    ],
  }),
];

const isSecond = (asked: AskedRequest) => textsIn(asked).join('\n').includes('codes of numbers');

const TURNS: readonly Played[] = SHOP_TURNS.map((turn, at) => (asked) => {
  const played = isSecond(asked) ? SECOND[at] : turn;
  return typeof played === 'function' ? played(asked) : (played ?? {});
});

beforeAll(async () => {
  model = await shopModel(TURNS);
  stage = await openGithubStage({ env: model.env });
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

async function turnRed(desk: Desk, sha: string): Promise<void> {
  const output = { title: 'Tests failed', summary: 'not ok 4 - codes of numbers', text: null };
  await stage.double.people.reportCheck(desk.name, { sha, name: 'test', conclusion: 'failure', output });
}

it('tries once more on its own red checks, then hands over with one comment, and stays silent', async () => {
  const desk = await openDesk(stage, 'corner/red');
  desk.label('mara');
  const pull = await desk.pull();
  await stage.rest();
  const first = pull.pull?.headSha ?? '';
  await turnRed(desk, first);
  const second = await stage.until('a further commit', () => pull.pull?.headSha !== first && pull.pull?.headSha);
  await stage.rest();
  expect(await changedFiles(stage, desk.name, second)).toEqual([`M ${MENDED_FILE}`]);
  const spoken = () => stage.ourComments(desk.name, pull.number);
  expect([desk.ours().length, spoken().length]).toEqual([1, 0]);

  await turnRed(desk, second);
  const [word] = await stage.until('the hand-over', () => spoken().length > 0 && spoken());
  await stage.rest();
  expect(desk.shown(word?.body ?? '').text).toContain('test');
  expect(desk.headlines()).toEqual([expect.stringContaining('its checks still fail')]);

  const questions = model.told('Repository corner/red ').length;
  await turnRed(desk, second);
  await stage.double.people.reportStatus(desk.name, { sha: second, state: 'failure', context: 'other-ci' });
  await stage.rest();
  expect([desk.ours().length, spoken().length, desk.pulls().length]).toEqual([1, 1, 1]);
  expect(pull.pull?.headSha).toBe(second);
  expect(model.told('Repository corner/red ')).toHaveLength(questions);
  expectLeastTokens(stage);
});

it('leaves checks alone that are red without its change as well', async () => {
  const desk = await openDesk(stage, 'corner/red-before');
  desk.label('mara');
  const pull = await desk.pull();
  await stage.rest();
  await turnRed(desk, pull.pull?.baseSha ?? '');
  await turnRed(desk, pull.pull?.headSha ?? '');
  await stage.until('the body', () => pull.body?.includes('Also failing on `main`'));
  await stage.rest();
  expect(stage.ourComments(desk.name, pull.number)).toEqual([]);
  expect(desk.writes().filter((write) => write === 'mutation createCommitOnBranch')).toHaveLength(1);
});
