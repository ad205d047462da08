// A shop whose CI really runs, and a model whose fix has a test: right or wrong as the shop's name says.

import { type GithubIssue, type RunningCi, startCi } from 'causeway-github-double';
import type { AskedRequest } from '../../packages/models/test/model-endpoint.ts';
import { call, type Played } from '../../packages/models/test/played.ts';
import { type Desk, deskOf } from './github-desk.ts';
import { MENDED_FILE, MENDED_LINE, SHOP_TURNS, type ShopModel, shopModel } from './github-model.ts';
import { openShop, reportBug } from './github-shop.ts';
import type { GithubStage } from './github-stage.ts';
import { textsIn } from './played-model.ts';

export const TEST_FILE = 'test/lower-case.test.js';
export const TEST_NAME = 'a coupon may be typed in lower case';

const LOOKUP = '  const { percent, minimum } = COUPONS.get(code);';

function writeTest(body: string, imports = "import { discountFor } from '../src/coupons.js';"): string {
  return [
    "import assert from 'node:assert/strict';",
    "import { test } from 'node:test';",
    imports,
    '',
    `test('${TEST_NAME}', () => {`,
    `  ${body}`,
    '});',
    '',
  ].join('\n');
}

const HOLDS = "assert.equal(discountFor('WELCOME10', 1000), 100);";
const SHOWS = "assert.equal(discountFor('welcome10', 1000), 100);";

interface Variant {
  /** What a second try changes about the test, which passed without the fix. */
  readonly second?: { readonly old: string; readonly new: string };
  readonly test: string | null;
  readonly fix: string;
  /** What the fix replaces; default the lookup that is at fault. */
  readonly old?: string;
  /** Beside the fix. */
  readonly more?: Readonly<Record<string, string>>;
  /** An edit of a test that is there. */
  readonly edit?: { readonly path: string; readonly old: string; readonly new: string };
}

const CHECK = '  return COUPONS.has(code.trim().toUpperCase());';
const HIDING = '  const { percent, minimum } = COUPONS.get(code) ?? { percent: 0, minimum: 0 };';

/** By the name of the shop. */
const VARIANTS: Readonly<Record<string, Variant>> = {
  right: { test: writeTest(SHOWS), fix: MENDED_LINE },
  /** The test asserts what holds already. */
  weak: { test: writeTest(HOLDS), fix: MENDED_LINE, second: { old: HOLDS, new: SHOWS } },
  /** The second one does so, too. */
  weaker: { test: writeTest(HOLDS), fix: MENDED_LINE, second: { old: HOLDS, new: `${HOLDS} // again` } },
  /** Without a second try. */
  weakest: { test: writeTest(HOLDS), fix: MENDED_LINE },
  /** The test needs a file that comes with the fix. */
  helper: {
    test: writeTest(SHOWS, "import { discountFor } from '../src/read-coupon.js';"),
    fix: MENDED_LINE,
    more: { 'src/read-coupon.js': "export { discountFor } from './coupons.js';\n" },
  },
  /** The fix changes nothing that matters. */
  useless: { test: writeTest(SHOWS), fix: `${LOOKUP} // in capitals` },
  untested: { test: null, fix: MENDED_LINE },
  /** The server stays up, and the coupon is worth nothing. */
  hidden: { test: writeTest("assert.doesNotThrow(() => discountFor('welcome10', 1000));"), fix: HIDING },
  /** The same, and the test expects that: no machine can tell. */
  accepted: { test: writeTest("assert.equal(discountFor('welcome10', 1000), 0);"), fix: HIDING },
  /** The coupon is worth nothing in capitals, and a test that is there no longer minds. */
  loosened: {
    test: writeTest(SHOWS),
    fix: `${MENDED_LINE}\n  if (code === 'WELCOME10') return 0;`,
    edit: {
      path: 'test/coupons.test.js',
      old: "  assert.equal(discountFor('WELCOME10', 1000), 100);",
      new: "  assert.ok(discountFor('WELCOME10', 1000) >= 0);",
    },
  },
  /** Such coupons are refused before they are looked up: not the code that fails in the report. */
  elsewhere: {
    test: writeTest("assert.equal(isCoupon('welcome10'), false);", "import { isCoupon } from '../src/coupons.js';"),
    old: CHECK,
    fix: '  return COUPONS.has(code.trim());',
  },
  /** The test fails by something that nobody has reported. */
  unrelated: {
    test: writeTest('assert.equal(isCoupon(undefined), false);', "import { isCoupon } from '../src/coupons.js';"),
    old: CHECK,
    fix: '  return code !== undefined && COUPONS.has(code.trim().toUpperCase());',
  },
};

function findVariant(asked: AskedRequest): Variant {
  const told = textsIn(asked).join('\n');
  const name = /corner\/(\w+)/.exec(told)?.[1] ?? '';
  return VARIANTS[name] ?? VARIANTS['right'] ?? { test: null, fix: '' };
}

export function proofModel(): Promise<ShopModel> {
  const [read, , conclude] = SHOP_TURNS;
  if (read === undefined || conclude === undefined) throw new Error('the turns of the shop have changed');
  const edit: Played = (asked) => {
    const { test, old = LOOKUP, fix, more = {}, edit, second } = findVariant(asked);
    if (second !== undefined && textsIn(asked).join('\n').includes('The test of a fix shows nothing')) {
      return {
        say: 'The test has to type it in lower case.',
        calls: [call('replace', { path: MENDED_FILE, old, new: fix }), call('replace', { path: TEST_FILE, ...second })],
      };
    }
    const files = { ...more, ...(test === null ? {} : { [TEST_FILE]: test }) };
    return {
      say: 'The lookup and its test.',
      calls: [
        call('replace', { path: MENDED_FILE, old, new: fix }),
        ...(edit === undefined ? [] : [call('replace', edit)]),
        ...Object.entries(files).map(([path, content]) => call('create_file', { path, content })),
      ],
    };
  };
  return shopModel([read, edit, conclude]);
}

export interface ProofDesk {
  readonly desk: Desk;
  readonly ci: RunningCi;
  readonly pull: () => GithubIssue;
  /** Until nothing runs any more, neither ours nor CI. */
  settle(): Promise<void>;
  /** Commits of our branch beyond main, oldest first: their changed files. */
  commits(): Promise<readonly { readonly sha: string; readonly files: readonly string[] }[]>;
}

interface ProofDeskOptions {
  readonly config?: string;
  readonly jobs?: Parameters<typeof startCi>[2]['jobs'];
  readonly interfere?: NonNullable<Parameters<typeof startCi>[2]['interfere']>;
  readonly prepare?: () => Promise<void>;
}

export const NODE_TEST = ['node', '--test', '--test-reporter=spec'] as const;

/** A shop with CI, green on its base, whose bug is reported. */
export async function openProofDesk(
  stage: GithubStage,
  name: string,
  { config, jobs = { test: NODE_TEST }, interfere, prepare }: ProofDeskOptions = {},
): Promise<ProofDesk> {
  await openShop(stage.double, { name, ...(config === undefined ? {} : { config }) });
  await prepare?.();
  const desk = deskOf(stage, name, await reportBug(stage.double, { name }));
  const git = (...args: string[]) => stage.double.git(name, ...args);
  const ci = startCi(stage.double, name, { jobs, ...(interfere === undefined ? {} : { interfere }) });
  await ci.run((await stage.double.tip(name)) ?? '');
  const pull = () => {
    const [only] = desk.pulls();
    if (only === undefined) throw new Error(`${name} has no pull request of ours`);
    return only;
  };
  return {
    desk,
    ci,
    pull,
    settle: async () => {
      do await stage.rest();
      while (await ci.settled());
    },
    commits: async () => {
      const range = `refs/heads/main..refs/heads/${pull().pull?.headRef}`;
      const shas = (await git('rev-list', '--reverse', range)).split('\n').filter(Boolean);
      const listFiles = async (sha: string) =>
        (await git('diff-tree', '-r', '--no-commit-id', '--name-only', sha)).split('\n').filter(Boolean);
      return Promise.all(shas.map(async (sha) => ({ sha, files: await listFiles(sha) })));
    },
  };
}
