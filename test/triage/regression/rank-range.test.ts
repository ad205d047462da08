// What the facts of a red branch's investigation say of the commits that may have turned it red.
import { describe, expect, it } from 'vitest';
import type { CommitRange } from '../../../src/core/check/failure.ts';
import { COMMITS, FILES, FIRST, factsOf, SECOND, TRACE } from '../shop.ts';

const THIRD = '3c'.repeat(20);
const WORDS = { ...FILES, 'README.md': 'Say more.\n' };
const BROKEN = { ...WORDS, 'src/header.ts': `${FILES['src/header.ts']}// more\n` };
const HISTORY = {
  commits: [
    COMMITS[1]!,
    { sha: FIRST, subject: 'Say more', files: WORDS },
    { sha: THIRD, subject: 'Header', files: BROKEN },
  ],
};
const SAY_MORE = { sha: FIRST, author: 'mona', subject: 'Say more' };
const HEADER = { sha: THIRD, author: 'wren', subject: 'Header' };

function between(commits: CommitRange['commits'], total = commits.length): CommitRange {
  return { from: SECOND, to: THIRD, total, commits };
}

async function ranked(report: string, range: CommitRange | null, history = HISTORY) {
  const { told, ranking } = await factsOf(report, { ...history, range });
  return {
    step: told.find(({ action }) => /^rank .*commits? since/.test(action)),
    likeliest: ranking?.likeliest ?? null,
  };
}

describe('the commits since the check was green', () => {
  it('the one that touches what the failure names is named first, with the reason', async () => {
    const { step, likeliest } = await ranked(TRACE, between([SAY_MORE, HEADER]));
    expect(step?.action).toBe('rank the 2 commits since the check was green, by what they touch');
    expect(step?.result).toMatch(/^3c3c3c3 Header: touches src\/header\.ts, which /);
    const reason = 'touches src/header.ts, which the failing lines name';
    expect(step?.analysis).toBe(`3c3c3c3 is the likeliest to have turned the check red: it ${reason}.`);
    expect(likeliest).toMatchObject({ sha: THIRD });
    expect(likeliest?.ties[0]).toEqual({ code: 'named', path: 'src/header.ts' });
  });

  it('none is named where two touch it alike', async () => {
    const commits = [
      COMMITS[1]!,
      { sha: FIRST, subject: 'Header', files: BROKEN },
      { sha: THIRD, subject: 'Undo', files: FILES },
    ];
    const { step, likeliest } = await ranked(TRACE, between([SAY_MORE, HEADER]), { commits });
    expect(step?.analysis).toMatch(/^No commit stands out/);
    expect(likeliest).toBeNull();
  });

  it('none is named where not all of them are listed; it is said how many were ranked', async () => {
    const { step, likeliest } = await ranked(TRACE, between([SAY_MORE, HEADER], 64));
    expect(step?.action).toBe('rank 2 of the 64 commits since the check was green, by what they touch');
    expect(step?.result).toMatch(/^3c3c3c3 Header: touches src\/header\.ts/);
    expect(step?.analysis).toMatch(/^No commit is named: 62 of the 64 commits could not be ranked/);
    expect(likeliest).toBeNull();
  });

  it('nor where one of them is not in the repository', async () => {
    const gone = { sha: '4d'.repeat(20), author: 'ada', subject: 'Gone' };
    const { step, likeliest } = await ranked(TRACE, between([SAY_MORE, HEADER, gone]));
    expect(step?.action).toMatch(/^rank 2 of the 3 commits/);
    expect(likeliest).toBeNull();
  });

  it('nothing is said where there is no more than one', async () => {
    for (const range of [between([HEADER]), null]) {
      expect(await ranked(TRACE, range)).toEqual({ step: undefined, likeliest: null });
    }
  });

  it('are never read from the report: a log could forge them', async () => {
    const forged = `=== Commits since it was last green ===\nGreen at ${SECOND}, red at ${THIRD}, 2 between them:`;
    const report = `${TRACE}\n\n${forged}\n- ${FIRST} mona: Say more\n- ${THIRD} wren: Header\n`;
    expect(await ranked(report, null)).toEqual({ step: undefined, likeliest: null });
  });
});

describe('a commit that only touches what the report mentions', () => {
  const MENTIONS = [
    ['a test that passed', 'PASS test/header.test.ts', 'test/header.test.ts'],
    [
      'what a test that passed printed',
      'PASS test/header.test.ts\n  console.error\n    Error: x\n      at run (src/header.ts:2:5)',
      'src/header.ts',
    ],
    ['the subject of another', `- ${FIRST} mona: TypeError in src/header.ts:2`, 'src/header.ts'],
    ['a path in prose', 'Compiled src/header.ts in 3 s', 'src/header.ts'],
  ] as const;
  const FAILED = `FAIL test/order.test.ts
  ● orders › adds up

    TypeError: Cannot read properties of undefined (reading 'sum')

      at Object.<anonymous> (test/order.test.ts:1:20)
`;
  const WITH_ORDER = { ...FILES, 'test/order.test.ts': "it('adds up', () => order().sum);\n" };
  const history = (path: string) => {
    const changed = { ...WITH_ORDER, [path]: `${FILES[path as keyof typeof FILES]}// more\n` };
    return {
      commits: [
        { sha: SECOND, subject: 'Start', files: WITH_ORDER },
        { sha: FIRST, subject: 'Say more', files: { ...WITH_ORDER, 'README.md': 'More\n' } },
        { sha: THIRD, subject: 'Header', files: { ...changed, 'README.md': 'More\n' } },
      ],
    };
  };

  it.each(MENTIONS)('is not blamed: %s', async (_, mention, path) => {
    for (const report of [`${mention}\n${FAILED}`, `${FAILED}\n${mention}\n`]) {
      const { step, likeliest } = await ranked(report, between([SAY_MORE, HEADER]), history(path));
      expect(step?.action).toMatch(/^rank the 2 commits/);
      expect(step?.result).not.toMatch(/in which a test failed|which the failing lines name/);
      expect(likeliest).toBeNull();
    }
  });

  it('while one that touches the test that failed is', async () => {
    const { likeliest } = await ranked(`PASS test/header.test.ts\n${FAILED}`, between([SAY_MORE, HEADER]), {
      commits: [
        { sha: SECOND, subject: 'Start', files: FILES },
        { sha: FIRST, subject: 'Say more', files: WORDS },
        { sha: THIRD, subject: 'Header', files: { ...WITH_ORDER, 'README.md': 'Say more.\n' } },
      ],
    });
    expect(likeliest).toMatchObject({ sha: THIRD });
    expect(likeliest?.ties[0]).toEqual({ code: 'test', path: 'test/order.test.ts' });
  });
});
