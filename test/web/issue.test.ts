// An issue as a person reads it: cause, what it rests on, what to do, the change, and the record behind it.
import { describe, expect, it } from 'vitest';
import type { Conclusion } from '../../src/core/issue/issue.ts';
import { conclusion, SHA } from '../support/store-samples.ts';
import { foundCause } from './found-cause.ts';
import { contentOf, linksOf, mainOf, rowsOf, wordsOf } from './read-page.ts';
import { headingsOf } from './read-text.ts';
import { repository, type WebGround, type WebGroundOptions, webGround } from './web-ground.ts';

async function pageOf(ground: WebGround, found: Conclusion): Promise<string> {
  const { issueId } = await ground.concluded({ conclusion: found });
  return ground.visitor.page(`/issues/${issueId}`);
}

async function shown(found: Conclusion, options: WebGroundOptions = {}): Promise<string> {
  await using ground = await webGround(options);
  return await pageOf(ground, found);
}

const ON_GITHUB = { repositories: [repository('octo/shop')] };

/** The rows of a file's table: numbers, signs and code as they are read in one column. */
function diffOf(page: string, path: string): readonly string[] {
  const tables = [...mainOf(page).matchAll(/<table class="diff">.*?<\/table>/gs)].map(([table]) => table);
  const table = tables.find((each) => each.includes(`<caption class="hidden">${path}, before and after`)) ?? '';
  return [...table.matchAll(/<tr class="[^"]*">(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<td(?! class="code twin")[^>]*>(.*?)<\/td>/gs)].map(([, cell = '']) => wordsOf(cell)).join('|'),
  );
}

/** As a run records itself: 7 s in the queue, then 2, 3, 20 and 4 s. */
async function concludedSlowly({ store, clock, accepted }: WebGround, facts: Conclusion, found: Conclusion) {
  const wait = (seconds: number) => {
    clock.now = new Date(clock.now.getTime() + seconds * 1_000);
    return clock.now.toISOString();
  };
  const { runId } = await accepted();
  const run = (await store.startRun(runId, wait(7)))!;
  const [first, second, third] = found.investigationSteps;
  await store.recordStep(run, first!, wait(2));
  await store.recordStep(run, second!, wait(3));
  const usage = { ...facts.analysis.usage, seconds: 5 };
  const opening = { kind: 'facts', conclusion: { ...facts, analysis: { ...facts.analysis, usage } }, framed: [] };
  const now = clock.now.toISOString();
  await store.appendTranscript(run, JSON.stringify({ ...opening, at: now }), now);
  await store.recordStep(run, third!, wait(15), () => JSON.stringify({ kind: 'answer' }));
  await store.appendTranscript(run, JSON.stringify({ kind: 'turn' }), wait(5));
  const look = JSON.stringify({ kind: 'turn', conversation: 'second_look' });
  await store.appendTranscript(run, look, wait(3));
  const [issueId = ''] = await store.conclude(run, found, wait(1));
  return { issueId };
}

describe('the page of an issue', () => {
  it('begins with the result, its confidence, and what to do next', async () => {
    const page = await shown(foundCause({ partial: true, verdict: 'flaky', reason: 'The budget ended it.' }));
    expect(headingsOf(page)).toEqual([
      ...['1 Checkout crashes for empty carts', '2 Root cause', '3 Why this outcome', '3 Evidence'],
      ...['2 What to do', '2 Questions', '2 Change'],
      ...['3 src/cart.ts changed +2 −1', '3 test/cart.test.ts added +1 −0', '3 src/old.ts deleted +0 −1'],
      ...['3 docs/new.md renamed', '2 Investigation', '2 2 suspects', '2 How to reproduce it'],
      ...['2 Report', '2 Details'],
    ]);
    const words = contentOf(page);
    expect(words).toContain('Cause and fix stopped early 82 % confidence Next: review the change');
    expect(words).toContain('The check is flaky: it passes and fails without a change.');
    expect(words).toContain('The investigation stopped early');
    expect(words).toContain('The budget ended it.');
    expect(words).toContain('It says TypeError.');
  });

  it('leads from the cause and each quotation to the step that they rest on', async () => {
    const page = await shown(foundCause());
    const links = linksOf(page);
    expect(links).toContainEqual({ href: '#step-2', words: '[step 2]' });
    expect(links).toContainEqual({ href: '#step-2', words: 'Step 2' });
    expect(mainOf(page)).toContain('<blockquote><pre><code>const last = items[items.length];</code></pre>');
    expect(contentOf(page).split('The cart reads one item too far')).toHaveLength(2);
    const [, step = ''] = /<li id="step-2"[^>]*>(.*?)<\/li>/s.exec(page) ?? [];
    expect(wordsOf(step)).toBe('Step 2 read src/cart.ts:10-30 2 lines 20 | const last = items[items.length]; 21 | }');
    expect(step).toContain('<details id="result-2">');
  });

  it('folds the steps by what they were for, each part with its time and count', async () => {
    await using ground = await webGround();
    const facts = conclusion({
      investigationSteps: [
        { action: 'Read the report', result: '', analysis: '', source: 'report' },
        { action: 'search "items"', result: '', analysis: '' },
      ],
    });
    const found = foundCause(
      {},
      {
        investigationSteps: [...facts.investigationSteps, { action: 'read src/cart.ts', result: 'x', analysis: '' }],
      },
    );
    const { issueId } = await concludedSlowly(ground, facts, found);
    const page = await ground.visitor.page(`/issues/${issueId}`);
    const parts = [
      ...page.matchAll(
        /<li><details><summary><strong>(.*?)<\/summary>(.*?)<\/details><\/li>(?=<li><details><summary><strong>|<\/ol>)/gs,
      ),
    ];
    expect(parts.map(([, line = '']) => wordsOf(line))).toEqual([
      'Read the report 2 s 1 step',
      'Searched the source 3 s 1 step',
      'Asked the model 20 s 1 step, 7 turns',
      'Verified the answer 4 s 1 quote',
    ]);
    expect(parts.map(([, , body = '']) => [...body.matchAll(/id="step-(\d+)"/g)].map(([, id]) => id))).toEqual([
      ['1'],
      ['2'],
      ['3'],
      [],
    ]);
    expect(contentOf(page)).toContain('It waited 7 s for its turn.');
    expect(contentOf(page)).toContain('took 36 s');
  });

  it('has an anchor for every link within it', async () => {
    const page = await shown(
      foundCause({ guards: [{ rule: 'never/secret', file: '.env', reason: 'is where secrets are kept' }] }),
    );
    const targets = linksOf(page).flatMap(({ href }) => (href.startsWith('#') ? [href.slice(1)] : []));
    expect(targets.length).toBeGreaterThan(1);
    expect(targets.filter((id) => !page.includes(` id="${id}"`))).toEqual([]);
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  });

  it('shows the change with signs, numbers, folds, and what changes besides lines', async () => {
    const page = await shown(foundCause());
    expect(diffOf(page, 'src/cart.ts')).toEqual([
      ...['16 unchanged lines', '17|17|line 17', '18|18|line 18', '19|19|line 19'],
      ...['20||−line 20', '|20|+line twenty', '|21|+and more'],
      ...['21|22|line 21', '22|23|line 22', '23|24|line 23', '17 unchanged lines'],
    ]);
    expect(diffOf(page, 'test/cart.test.ts')).toEqual(['|1|+expect(<b>1</b>) no newline at end of file']);
    expect(diffOf(page, 'src/old.ts')).toEqual(['1||−gone']);
    expect(diffOf(page, 'docs/new.md')).toEqual([]);
    const words = contentOf(page);
    expect(words).toContain('It becomes executable.');
    expect(words).toContain('Renamed from docs/old.md. Its lines are unchanged.');
  });

  it('shows invisible characters in code, and which line ends change', async () => {
    const files = [
      { kind: 'modified', path: 'a.js', before: 'if (x) {\r\nb\r\n', after: 'if (x\u202E) {\r\nb\n' },
    ] as const;
    const page = await shown(foundCause({}, { changeSet: { base: SHA, files } }));
    expect(diffOf(page, 'a.js')).toEqual(['1||−if (x) {', '2||−b[U+000D]', '|1|+if (x[U+202E]) {', '|2|+b']);
  });

  it('is bounded, and leads to the patch for the rest', async () => {
    const after = 'x\n'.repeat(5_000);
    const long = { kind: 'added', path: 'b.txt', mode: '100644', after: 'y'.repeat(3_000) } as const;
    const files = [long, { kind: 'added', path: 'a.txt', mode: '100644', after }] as const;
    const page = await shown(foundCause({}, { changeSet: { base: SHA, files } }));
    expect(diffOf(page, 'a.txt')).toHaveLength(1_499);
    expect(contentOf(page)).toContain('3,501 more rows of this file are not shown: see the patch.');
    expect(diffOf(page, 'b.txt')[0]).toContain('[2,000 more characters]');
  });

  it('links to the repository at the analysed commit, on GitHub only', async () => {
    const page = await shown(foundCause(), ON_GITHUB);
    const own = `https://github.com/octo/shop/blob/${SHA}`;
    const links = linksOf(page);
    expect(links).toContainEqual({ href: `${own}/src/cart.ts#L20`, words: 'src/cart.ts:20' });
    expect(links).toContainEqual({ href: `${own}/src/odd%20name%231.ts#L3`, words: 'src/odd name#1.ts:3' });
    expect(links).toContainEqual({ href: `https://github.com/octo/shop/commit/${SHA}`, words: SHA.slice(0, 7) });
    const local = linksOf(await shown(foundCause()));
    expect(local.filter(({ href }) => !/^[/#]/.test(href))).toEqual([]);
  });

  it('says why there is no pull request, and what a person must look at', async () => {
    const guards = [
      {
        rule: 'never/ci-configuration',
        file: '.github/workflows/ci.yml',
        reason: 'runs in CI: never changed automatically',
      },
      { rule: 'person/tests-loosened', file: 'test/cart.test.ts', reason: 'an assertion is gone' },
      { rule: 'person/large', file: '', reason: 'who knows' },
    ];
    const page = await shown(foundCause({ guards }));
    expect(rowsOf(page, 'Why not a pull request')).toEqual([
      ['.github/workflows/ci.yml', 'runs in CI: never changed automatically'],
    ]);
    expect(rowsOf(page, 'Check before applying')).toEqual([
      ['test/cart.test.ts', 'an assertion is gone'],
      ['the change as a whole', 'who knows'],
    ]);
  });

  it("shows its cost and where else it appears; only addresses of the project's own GitHub are links", async () => {
    const links = {
      comment: 'https://github.com/octo/shop/issues/3#issuecomment-1',
      checkRun: 'https://evil.example/octo/shop/runs/1',
      pullRequest: 'https://github.com/octo/shop/pull/31',
    };
    const page = await shown(foundCause({ links }), ON_GITHUB);
    const words = contentOf(page);
    expect(words).toContain('a-model, 7 turns');
    expect(words).toContain('31,000: 30,000 in (12,000 cached), 1,000 out');
    expect(words).toContain('$0.12');
    expect(words).toContain('pull request #31 open · 2026-11-20 10:00 UTC · took under 1 s · $0.12');
    expect(words).toContain('On GitHub comment');
    expect(words).toContain('Next: review the pull request.');
    expect(linksOf(page).filter(({ href }) => href.includes('evil'))).toEqual([]);
    const foreign = await shown(
      foundCause({ links: { ...links, pullRequest: 'http://github.com/octo/shop/pull/1' } }),
      ON_GITHUB,
    );
    expect(foreign).not.toContain('http://github.com');
  });

  it('is short where there is little: facts only, without a model', async () => {
    const page = await shown(conclusion());
    expect(headingsOf(page)).toEqual([
      ...['1 x is undefined', '2 Where it points', '2 What to do', '2 Investigation'],
      ...['2 Report', '2 Details'],
    ]);
    const words = contentOf(page);
    expect(words).toContain('Facts only Next: add what you know, and submit the report again.');
    expect(words).toContain('none: facts only, at no cost');
    expect(linksOf(page).map(({ words: text }) => text)).not.toContain('Download patch');
  });

  it('keeps every word of models, reports and repositories inert', async () => {
    const evil = '<img src=x onerror=alert(1)>\u202E"\'<script>alert(1)</script>';
    const step = { stepNumber: 1, description: evil };
    const found = foundCause(
      {
        ...{ reason: evil, questions: [evil], model: evil },
        citations: [{ claim: evil, step: 9, quote: evil }],
        guards: [{ rule: evil, file: evil, reason: evil }],
        suspects: [{ file: evil, line: 1, function: evil, score: 1, reasons: [evil] }],
      },
      {
        ...{ problem: evil, rootCause: evil, stepsToReproduce: [step], solutionSteps: [step] },
        investigationSteps: [{ action: evil, result: evil, analysis: evil }],
        changeSet: {
          base: SHA,
          files: [{ kind: 'added', path: evil.replace('</script>', ''), mode: '100644', after: evil }],
        },
      },
    );
    await using ground = await webGround({ repositories: [repository('octo/shop')] });
    const { issueId } = await ground.concluded({ conclusion: found, text: evil });
    const page = await ground.visitor.page(`/issues/${issueId}`);
    expect(page).not.toMatch(/<img|<script>|onerror="|\u202E/);
    expect(page).not.toMatch(/ (?:style|on\w+)="/);
    expect(contentOf(page)).toContain('<img src=x onerror=alert(1)>');
  });

  it('is absent for people without access, in the same bytes as an unknown one', async () => {
    await using ground = await webGround({ repositories: [repository('octo/shop', { isPrivate: false })] });
    const { issueId } = await ground.concluded({ conclusion: foundCause() });
    const reader = await ground.signIn('reader', 7, 'read');
    const bytes = async (path: string) => {
      const answer = await reader.get(path);
      return [answer.status, await answer.text()];
    };
    for (const rest of ['', '/markdown', '/patch', '/delete']) {
      const foreign = await bytes(`/issues/${issueId}${rest}`);
      expect(foreign).toEqual(await bytes(`/issues/iss_00000000000000000000${rest}`));
      expect(foreign[0]).toBe(404);
    }
    const triager = await ground.signIn('triager', 8, 'triage');
    expect((await triager.get(`/issues/${issueId}`)).status).toBe(200);
  });
});
