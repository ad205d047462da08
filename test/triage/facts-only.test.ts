// The facts-only Issue as a maintainer reads it.

import { readReport } from 'causeway-ci-log';
import { parseInline, sanitiseMarkdown } from 'causeway-safe-markdown';
import { describe, expect, it } from 'vitest';
import { concludeFromFacts } from '../../src/triage/facts-only.ts';
import { renderText } from '../../src/web/text.ts';
import { COMMITS, FILES, factsOf, SECOND, TRACE } from './shop.ts';

const NOTE = `import { parseNote } from './parse.ts';

// Sums the amounts of each thing in a shopping note.
export function tally(text: string) {
  const sums = new Map();
  for (const { name, amount } of parseNote(text)) {
    sums.set(name, (sums.get(name) ?? 0) + amount);
  }
  return sums;
}

export function findMost(text: string) {
  const sums = [...tally(text)];
  sums.sort((a, b) => a[1] - b[1]);
  return sums[0];
}
`;

describe('the facts-only Issue', () => {
  it('reads well: evidence first, no model, what to look at next', async () => {
    const conclusion = concludeFromFacts(await factsOf('It stops\n\nError: header has no value: cookie'), {
      seconds: 2.5,
    });
    expect(conclusion.rootCause.split('\n')).toEqual([
      'Most likely place: `src/header.ts:4` in `parseHeader()` (contains the error message “header has no value” at line 4).',
      'Error: `header has no value: cookie`.',
      'Line 4 last changed in 1a1a1a1 (2024-01-01, “Read headers”).',
    ]);
    expect(conclusion.solutionSteps.map(({ description }) => description)).toEqual([
      'The nearest test is `test/header.test.ts:2`.',
      'Look at the recent changes to `src/header.ts`:\n- 1a1a1a1 (2024-01-01) Read headers',
    ]);
    expect(conclusion.changeSet).toEqual({ base: SECOND, files: [] });
    expect(conclusion.analysis).toMatchObject({
      outcome: 'facts_only',
      model: null,
      confidence: null,
      revision: SECOND,
      partial: false,
    });
    expect(conclusion.analysis.usage).toMatchObject({ seconds: 2.5, turns: 0, costUsd: 0 });
  });

  it('quotes an error with backticks as it is in the report', async () => {
    const code = 'header has no value: `cookie`';
    const facts = await factsOf(`It stops\n\nError: ${code}`);
    const { rootCause } = concludeFromFacts(facts, { seconds: 1 });
    const quoted = parseInline(rootCause).flatMap((part) => (part.type === 'inlineCode' ? [part.value] : []));
    expect(quoted).toContainEqual(expect.stringContaining(code));
    expect(sanitiseMarkdown(rootCause, 5_000)).toContain(code);
    expect(String(renderText(rootCause))).toContain(`${code}</code>`);
  });

  it('says that the error is that of the check, with the values it compares', async () => {
    const said = 'AssertionError [ERR_ASSERTION]: header has no value, expected to be strictly equal:';
    const at = '    at parseHeader (/srv/shop/src/header.ts:4:1)';
    const causeOf = async (values: string, isCheck: boolean) => {
      const facts = await factsOf(`test failed\n\n${said}\n\n${values}\n\n${at}`);
      return concludeFromFacts(facts, { seconds: 1, isCheck }).rootCause;
    };
    const error = 'AssertionError: header has no value, expected to be strictly equal:';
    expect(await causeOf('3995 !== 3500', true)).toContain(`\nError: \`${error} 3995 !== 3500\`.\n`);
    expect(await causeOf('3995 !== 3500', false)).toContain(`\nError: \`${error} 3995 !== 3500\`.\n`);
    expect(await causeOf("+ actual - expected\n\n+ 'old'\n- 'new'", true)).toContain(`${error} + 'old' - 'new'\`.\n`);
    expect(await causeOf('', true)).toContain(`\nError: \`${error}\`.\n`);
  });

  it('lists errors without the colon that their values follow', async () => {
    const said = 'AssertionError: header has no value, expected to be strictly equal:';
    const { told } = await factsOf(`It stops\n\n${said}\n\n1 !== 2\n\nError: header is gone`);
    const listed = told.map(({ result }) => /^errors: .*/m.exec(result)?.[0] ?? '').find((line) => line !== '');
    expect(listed).toContain('strictly equal; ');
  });

  it('names the nearest test where the report gives nothing to begin with, but not for a failed check', async () => {
    const facts = await factsOf('It stops\n\nError: header has no value: cookie');
    const steps = (isCheck: boolean) => JSON.stringify(concludeFromFacts(facts, { seconds: 1, isCheck }).solutionSteps);
    expect(steps(false)).toContain('The nearest test is');
    expect(steps(true)).not.toContain('nearest test');
  });

  it('asks a wrong result for no stack trace', async () => {
    const ask = async (report: string) => concludeFromFacts(await factsOf(report), { seconds: 1 }).analysis.questions;
    const [steps, version] = await ask('Wrong qqq');
    expect([steps, version]).toEqual([expect.stringMatching(/^Which steps/), expect.stringMatching(/^Which version/)]);
    expect(await ask('The qqq crashes')).toEqual([expect.stringContaining('stack trace'), steps, version]);
  });

  it.each([
    ['words', 'Zzz qqq is wrong on the second day of every month, where the sum is one less than before. '.repeat(3)],
    ['words of another language', `新建分类时${'不能保存'.repeat(20)}，出现异常`],
    ['code', 'Wrong qqq\n\n```\nqqq(zzz)\n```'],
    ['a number', 'Wrong qqq, it gives 3'],
    ['a command', 'It crashes\n\n$ qqq --zzz'],
  ])('asks nothing of who gave %s', async (_, report) => {
    expect(concludeFromFacts(await factsOf(report), { seconds: 1 }).analysis.questions).toEqual([]);
  });

  it('asks nothing of a log, and says which test to run', async () => {
    const facts = await factsOf('zzz qqq');
    const log = (text: string) => readReport(`--- Log: build.log ---\n${text}\n`).logs;
    const plain = concludeFromFacts({ ...facts, logs: log('Error: qqq went away') }, { seconds: 1 });
    expect(plain.analysis.questions).toEqual([]);
    const failed = concludeFromFacts(
      { ...facts, logs: log('--- FAIL: TestZzz (0.00s)\n    a_test.go:3: no\nFAIL') },
      { seconds: 1 },
    );
    expect(failed.solutionSteps.map(({ description }) => description)).toEqual([
      'Run the failing test `TestZzz` alone at this commit.',
    ]);
  });

  it('says of a log alone that it does not match, and of words besides it that both do not', async () => {
    const facts = { ...(await factsOf(TRACE)), logs: readReport('--- Log: a.log ---\nError: qqq went away\n').logs };
    const mismatches = ['a.ts has 5 lines at this commit, but the report names line 400'];
    const conclude = (isOnlyLog: boolean) => concludeFromFacts({ ...facts, mismatches, isOnlyLog }, { seconds: 1 });
    const alone = conclude(true);
    expect(alone.rootCause).toContain(
      "The log doesn't match this commit: a.ts has 5 lines at this commit, but the log names line 400. The log may be from another version.",
    );
    expect(alone.analysis.questions.join()).toContain('in the log');
    expect(JSON.stringify([alone.rootCause, alone.analysis.questions])).not.toContain('eport');
    expect(conclude(false).rootCause).toContain("Report and log don't match this commit: ");
  });

  it('does not ask for steps where a trace is something to begin with', async () => {
    const { solutionSteps } = concludeFromFacts(await factsOf(TRACE), { seconds: 1 });
    expect(solutionSteps.map(({ description }) => description)).toContainEqual(
      expect.stringMatching(/^Write a failing test; the nearest one is `test\/header\.test\.ts:2`\.$/),
    );
  });

  it('names a commit that was asked for by its short id', async () => {
    const facts = await factsOf('zzz', { revision: SECOND });
    const { questions } = concludeFromFacts({ ...facts, mismatches: ['line 9 is gone'] }, { seconds: 1 }).analysis;
    expect(questions[0]).toBe(
      "Is the report from another version? Lines in the report don't match 2b2b2b2, which was asked for.",
    );
  });

  it('offers no recent change to check where the change under test is what breaks', async () => {
    const facts = await factsOf('It stops\n\nError: header has no value: cookie');
    const stepsOf = (changed: readonly { file: string; line: number; function: string }[]) =>
      concludeFromFacts(facts, { seconds: 1, isCheck: true, changed }).solutionSteps.map((step) => step.description);
    expect(stepsOf([])).toEqual([]);
    expect(stepsOf([{ file: 'src/names.ts', line: 7, function: 'readName' }])).toEqual([]);
  });

  it('names one place, and that of the change under test where the report names no other line', async () => {
    const files = { ...FILES, 'src/note.ts': NOTE };
    const commits = COMMITS.map((commit) => ({ ...commit, files }));
    const facts = await factsOf('test failed\n\nsrc/note.ts: the amounts of each thing in a note are wrong', {
      commits,
    });
    const changed = [{ file: 'src/note.ts', line: 14, function: 'findMost' }];
    const { rootCause, solutionSteps, analysis } = concludeFromFacts(facts, { seconds: 1, isCheck: true, changed });
    expect(rootCause).toMatch(/^Most likely place: `src\/note\.ts:14` in `findMost\(\)` \(this change touches it; /);
    expect(rootCause.match(/src\/note\.ts:\d+/g)).toEqual(['src/note.ts:14']);
    expect(rootCause).not.toContain('const');
    expect(analysis.suspects[0]).toMatchObject({ file: 'src/note.ts', line: 14, function: 'findMost' });
    expect(JSON.stringify([solutionSteps, analysis.citations])).not.toContain('src/note.ts');
    const framed = await factsOf(`${TRACE}`);
    const other = [{ file: 'src/request.ts', line: 1, function: '' }];
    const kept = concludeFromFacts(framed, { seconds: 1, isCheck: true, changed: other });
    expect(kept.analysis.suspects[0]).toMatchObject({ file: 'src/request.ts', line: 4 });
  });

  it('calls no second place the most likely one', async () => {
    const facts = await factsOf('It stops\n\nError: header has no value: cookie');
    const changed = [{ file: 'src/names.ts', line: 7, function: 'readName' }];
    const { rootCause, analysis } = concludeFromFacts(facts, { seconds: 1, isCheck: true, changed });
    expect(rootCause).toMatch(/^Most likely place: `src\/names\.ts:7`/);
    expect(analysis.citations.map(({ claim }) => claim)).toEqual(['Also look at: src/header.ts:4.']);
  });

  it('takes a line of code for the place, not the comment or the documentation that has the words', async () => {
    const python =
      'import os\n\ndef read_note(text):\n    """Sums the shopping\n    amounts of pears.\n    """\n    return text\n';
    const files = { ...FILES, 'src/note.ts': NOTE, 'shop/pears.py': python };
    const commits = COMMITS.map((commit) => ({ ...commit, files }));
    const lineOf = async (report: string, path: string) => {
      const { suspects } = await factsOf(report, { commits });
      const { line = 0 } = suspects.find(({ file }) => file === path) ?? {};
      return files[path as keyof typeof files].split('\n')[line - 1]?.trim();
    };
    expect(await lineOf('wrong in src/note.ts\n\nThe amounts of each thing in a shopping note', 'src/note.ts')).toMatch(
      /^(?:export|const|for|sums|return)/,
    );
    expect(await lineOf('wrong amounts of pears in shopping', 'shop/pears.py')).toMatch(/^(?:def|return)/);
  });

  it('takes no bracket for the place where the comment before it has the words', async () => {
    const files = {
      ...FILES,
      'src/till.ts':
        'export function close() {\n  begin();\n  // Sums the amounts of pears in a basket\n  try {\n    drawer.shut();\n  } finally {}\n}\n',
    };
    const { suspects } = await factsOf('wrong amounts of pears in a basket', {
      commits: COMMITS.map((commit) => ({ ...commit, files })),
    });
    const { line = 0 } = suspects.find(({ file }) => file === 'src/till.ts') ?? {};
    expect(files['src/till.ts'].split('\n')[line - 1]?.trim()).toBe('drawer.shut();');
  });

  it('says where the error message is, if it is elsewhere', async () => {
    const facts = await factsOf('It stops\n\nError: header has no value: cookie');
    const [said] = facts.shown;
    const first = { ...said!, file: 'src/names.ts', line: 3, function: '', evidence: 'names', lineFrom: '' } as const;
    const { rootCause } = concludeFromFacts({ ...facts, shown: [first, said!] }, { seconds: 1 });
    expect(rootCause).toContain('\nThe error message itself is at `src/header.ts:4` in `parseHeader()`.');
    expect(rootCause).not.toContain('No stack frame');
  });

  it('does not call the caller of the innermost frame as likely', async () => {
    const trace =
      'Error: qqq\n    at parseHeader (/srv/shop/src/header.ts:3:1)\n    at readRequest (/srv/shop/src/request.ts:4:1)\n';
    const facts = await factsOf(`readRequest breaks, \`readRequest\` and request.ts\n\n${trace}`);
    expect(
      facts.suspects
        .map(({ file }) => file)
        .slice(0, 2)
        .sort(),
    ).toEqual(['src/header.ts', 'src/request.ts']);
    expect([...facts.callers]).toEqual(['src/request.ts']);
    const reordered = { ...facts, shown: facts.shown.toSorted((a) => (a.file === 'src/header.ts' ? -1 : 1)) };
    expect(concludeFromFacts(reordered, { seconds: 1 }).rootCause).not.toContain('almost as likely');
  });

  it('says nothing of a model that nobody can configure, and names no wish as the error', async () => {
    const conclusion = concludeFromFacts(await factsOf('`parseHeader` should raise something like shop.HeaderError:'), {
      seconds: 1,
    });
    expect(conclusion.rootCause).not.toContain('HeaderError');
    expect(JSON.stringify(conclusion)).not.toContain('OPENAI');
  });

  it('says that nothing names a place where only everyday words are shared', async () => {
    const facts = await factsOf('zzz qqq');
    const suspect = { ...(await factsOf(TRACE)).shown[0]!, score: 0.4, reasons: [], evidence: 'words' as const };
    const { rootCause } = concludeFromFacts({ ...facts, shown: [suspect] }, { seconds: 1 });
    expect(rootCause.split('\n')).toEqual([
      'Nothing in the report names a place in this code; its words are closest to `src/header.ts` in `parseHeader()`.',
    ]);
    const named = {
      ...suspect,
      file: 'src/names.ts',
      line: 0,
      function: '',
      evidence: 'names',
      reasons: ['defines `x`'],
    } as const;
    expect(concludeFromFacts({ ...facts, shown: [suspect, named] }, { seconds: 1 }).rootCause).toBe(
      'No reliable suspect. The closest matches are `src/header.ts` by its words, and `src/names.ts` (defines `x`).',
    );
  });

  it.each([
    '[Feature] openHeader for cookies',
    'Feature request: openHeader for cookies',
    'openHeader for cookies (feature request)',
    'Wunsch: openHeader für Cookies',
    "Cookies\n\n**Describe the solution you'd like**\n`openHeader` for cookies",
  ])('says that %j is a wish, and what it names, but no place to start at', async (report) => {
    const { rootCause, solutionSteps, analysis } = concludeFromFacts(await factsOf(report), { seconds: 1 });
    expect(rootCause.split('\n')[0]).toBe('This reads as a request for something new, not as a fault.');
    expect(rootCause).not.toMatch(/Start here|Most likely|don't know/);
    expect([solutionSteps, analysis.questions]).toEqual([[], []]);
  });

  it.each([
    'Submitting the feature request form crashes\n\n```\nError: header has no value: cookie\n```',
    'The feature request form of openHeader stops',
    '[Bug] feature-request template: KeyError in openHeader',
    '[Bug] openHeader loses a feature request',
    '[Request] openHeader throws TypeError',
  ])('takes no fault for a wish: %j', async (report) => {
    const { rootCause } = concludeFromFacts(await factsOf(report), { seconds: 1 });
    expect(rootCause).not.toContain('request for something new');
  });

  it('takes no fault that was asked for with a trace for a wish', async () => {
    const { rootCause } = concludeFromFacts(await factsOf(`Feature request: it stops\n\n${TRACE}`), { seconds: 1 });
    expect(rootCause).toContain('Most likely place');
  });

  it('cites a line that stands in the cited step', async () => {
    const report = TRACE.replace('dist/header.js:9', 'src/header.ts:3');
    const { analysis, investigationSteps } = concludeFromFacts(await factsOf(report), { seconds: 1 });
    const [citation] = analysis.citations;
    expect(investigationSteps[citation!.step - 1]?.result).toContain(citation!.quote);
  });

  it('says "I don\'t know" where nothing points anywhere, and asks for what is missing', async () => {
    const conclusion = concludeFromFacts(await factsOf('zzz qqq'), { seconds: 1 });
    expect(conclusion.rootCause).toBe(
      "I don't know: no reliable suspect. Nothing that the report names was found in this repository at 2b2b2b2.",
    );
    expect(conclusion.analysis.suspects).toEqual([]);
    expect(conclusion.analysis.questions).toHaveLength(2);
  });

  it('names the dependencies where the trace never enters the repository', async () => {
    const facts = await factsOf('Error: qqq\n    at run (/srv/shop/node_modules/left-pad/index.js:1:1)\n');
    expect(concludeFromFacts(facts, { seconds: 1 }).rootCause).toContain('only through dependencies (left-pad)');
  });

  it('names no file that is not in the commit', async () => {
    const { rootCause, solutionSteps, analysis } = concludeFromFacts(await factsOf(TRACE), { seconds: 1 });
    const said = [rootCause, ...solutionSteps.map(({ description }) => description)].join('\n');
    for (const [path] of said.matchAll(/(?:src|test)\/[\w./-]+\.ts/g)) expect(Object.keys(FILES)).toContain(path);
    for (const { file } of analysis.suspects) expect(Object.keys(FILES)).toContain(file);
  });
});
