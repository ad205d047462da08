// Which tests of somebody else's pull request failed, where their names alone do not say it: rows of a table, one title twice, a run that ends within a test.
import { describe, expect, it } from 'vitest';
import {
  HOLDS,
  headOf,
  openProvingShop,
  type ProvingShop,
  provingStage,
  SHOWS,
  TEST_FILE,
  writeTests,
} from '../../support/foreign-proof.ts';

const stage = provingStage();

/** The title of our check run. */
async function prove(shop: ProvingShop, tests: string): Promise<string> {
  const pull = await shop.pull({ [TEST_FILE]: tests, 'src/coupons.js': await shop.mended() });
  await shop.prove(pull.number);
  expect(await shop.branches()).toEqual([]);
  const proof = shop.proofAt(headOf(pull));
  expect(proof?.conclusion === 'success').toBe(
    proof?.title.includes('fail without the change (') === true ||
      proof?.title.includes('fails without the change (') === true,
  );
  return proof?.title ?? '';
}

const PROVEN = /^The tests? added here fails? without the change \(“.*”\) and pass(?:es)? with it$/;

describe('a title that is computed', () => {
  const writeRows = (rows: readonly string[], body: string) =>
    writeTests({}).replace(
      /\n$/,
      `\nconst ROWS = [${rows.map((row) => `'${row}'`).join(', ')}];\nfor (const code of ROWS) {\n  test(\`takes \u0024{code} as a coupon\`, () => {\n    ${body}\n  });\n}\n`,
    );
  const check = 'assert.equal(discountFor(code, 1000), 100);';

  it('is proven by one of the rows that it stands for', async () => {
    const shop = await openProvingShop(stage, 'corner/rows');
    expect(await prove(shop, writeRows(['WELCOME10', 'welcome10'], check))).toMatch(PROVEN);
  });

  it('is not proven where none of them fails', async () => {
    const shop = await openProvingShop(stage, 'corner/quiet-rows');
    expect(await prove(shop, writeRows(['WELCOME10'], check))).toBe(
      'The test added here does not fail without the change: “takes \u0024{code} as a coupon”',
    );
  });

  it('is not proven where one fails for another reason', async () => {
    const shop = await openProvingShop(stage, 'corner/broken-rows');
    const tests = writeRows(
      ['WELCOME10', 'other'],
      `if (code !== 'other') {\n      ${check}\n    } else if (discountFor.length === 2 && !discountFor.toString().includes('trim')) {\n      undefinedHelper(code);\n    }`,
    );
    expect(await prove(shop, tests)).toMatch(
      /^Not proven: without the change, the tests? do(?:es)? not get as far as an assertion: “ReferenceError/,
    );
  });
});

describe('one title twice', () => {
  const writeGroups = (one: string, two: string) =>
    writeTests({})
      .replace('{ test }', '{ describe, test }')
      .replace(
        /\n$/,
        [one, two]
          .map(
            (body, at) =>
              `\ndescribe('group ${at + 1}', () => {\n  test('takes it', () => {\n    ${body}\n  });\n});\n`,
          )
          .join(''),
      );

  it('is proven where both fail', async () => {
    const shop = await openProvingShop(stage, 'corner/both');
    expect(await prove(shop, writeGroups(SHOWS, SHOWS))).toMatch(/^The 2 tests added here fail without the change/);
  });

  it('is not proven where one of them passes', async () => {
    const shop = await openProvingShop(stage, 'corner/one-of-both');
    expect(await prove(shop, writeGroups(SHOWS, HOLDS))).toBe(
      'Not proven: by its names the log of the tests alone does not tell whether all new ones fail: “group 1 › takes it”, “group 2 › takes it”',
    );
  });
});

describe('a function of the file that makes the tests', () => {
  const writeMade = (bodies: readonly string[]) =>
    writeTests({}).replace(
      /\n$/,
      `\nfunction check(name, body) {\n  test(\`takes \u0024{name}\`, body);\n}\n${bodies.map((body, at) => `check('case ${at + 1}', () => {\n  ${body}\n});\n`).join('')}`,
    );

  it('is proven where all that it makes fail', async () => {
    const shop = await openProvingShop(stage, 'corner/made');
    expect(await prove(shop, writeMade([SHOWS, SHOWS]))).toMatch(/^The 2 tests added here fail without the change/);
  });

  it('is not proven where one of them passes', async () => {
    const shop = await openProvingShop(stage, 'corner/one-made');
    expect(await prove(shop, writeMade([SHOWS, HOLDS]))).toBe(
      '1 of 2 added tests does not fail without the change: “takes case 2” proves nothing',
    );
  });
});

describe('a run that ends within a test', () => {
  /** As tape does it: the title above, assertions below, and nothing for what is thrown. */
  const TAPE = `
console.log('TAP version 13');
let count = 0;
async function test(title, body) {
  console.log(\`# \u0024{title}\`);
  await body();
  console.log(\`ok \u0024{(count += 1)} holds\`);
}
`;
  const writeTape = (tests: Readonly<Record<string, string>>) =>
    writeTests(tests)
      .replace("import { test } from 'node:test';\n", '')
      .replace(/(?=\ntest\()/, TAPE)
      .replaceAll('\ntest(', '\nawait test(');
  const command = ['sh', '-c', 'for file in test/*.test.js; do node "$file" || exit 1; done'];

  it('is proven by the test that an error ends', async () => {
    const shop = await openProvingShop(stage, 'corner/ended', { command });
    expect(
      await prove(
        shop,
        writeTape({ 'takes capitals': 'count += 0;', 'takes lower case': SHOWS }).replace(
          "\nawait test('takes capitals', () => {\n  count += 0;\n});",
          '',
        ),
      ),
    ).toMatch(PROVEN);
  });

  it('says that the others did not run', async () => {
    const shop = await openProvingShop(stage, 'corner/cut', { command });
    expect(await prove(shop, writeTape({ 'takes lower case': SHOWS, 'takes capitals': HOLDS }))).toBe(
      'Not proven: the tests alone end before all new ones have run: “takes capitals” was not seen to fail',
    );
  });

  it('is not proven by a test that ends the process itself', async () => {
    const shop = await openProvingShop(stage, 'corner/exits', { command });
    const tests = writeTape({ 'takes lower case': `try {\n    ${SHOWS}\n  } catch {\n    process.exit(1);\n  }` });
    expect(await prove(shop, tests)).toBe(
      'Not proven: without the change, “test” fails, but its log does not name the test',
    );
  });
});
