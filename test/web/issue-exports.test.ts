// An issue as Markdown: what a maintainer pastes into a ticket, in which nothing of a model's or a stranger's does anything.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addSources } from '../../src/core/issue/shown-issue.ts';
import '../support/property-seed.ts';
import { toUnifiedPatch } from 'causeway-diff';
import { effectsOf, readAsGithub } from '../../packages/safe-markdown/test/github-reading.ts';
import { type Conclusion, toIssue } from '../../src/core/issue/issue.ts';
import type { Project } from '../../src/core/project/project.ts';
import { toIssueMarkdown } from '../../src/web/issue-exports.ts';
import { SHA } from '../support/store-samples.ts';
import { CHANGE, foundCause } from './found-cause.ts';
import { repository, webGround } from './web-ground.ts';

const LOCAL: Project = { id: 'prj_1', name: 'local/app', source: { kind: 'path', path: '/srv/app' }, createdAt: '' };
const ADDRESS = 'https://causeway.example/issues/iss_1';

function github(isPrivate: boolean): Project {
  const { cloneUrl: url, ...more } = repository('octo/shop', { isPrivate });
  return {
    ...{ id: 'prj_1', name: 'octo/shop', createdAt: '' },
    source: {
      kind: 'github',
      repositoryId: 1,
      installationId: 5,
      url,
      isPrivate,
      isArchived: false,
      defaultBranch: more.defaultBranch,
    },
  };
}

function markdownOf(found: Conclusion, project = LOCAL): string {
  const owner = {
    issueId: 'iss_1',
    investigationId: 'inv_1',
    projectId: 'prj_1',
    reference: '',
    origin: 'api',
    report: '',
  } as const;
  const issue = toIssue({ ...owner, verdict: null, sameAs: null, requestedAt: '', createdAt: '' }, found);
  const sources = found.investigationSteps.map(({ source = 'repository' }) => source);
  return toIssueMarkdown({ issue: addSources(issue, sources), project, changeSet: found.changeSet, address: ADDRESS });
}

const OURS = ['p', 'ul', 'ol', 'li', 'code', 'pre', 'h2', 'h3', 'strong', 'a'];

/** Without our own link to the page. */
function effects(markdown: string): readonly string[] {
  return effectsOf(markdown.replace(`<${ADDRESS}>`, ''), {
    elements: OURS,
    base: 'https://github.com/octo/shop/blob/',
  });
}

describe('an issue as Markdown', () => {
  it('says the result, why, what to do, and where the full record is', () => {
    const text = markdownOf(foundCause({}, { changeSet: { base: SHA, files: [] } }));
    expect(text).toBe(`## Checkout crashes for empty carts

**Cause and fix · confidence 82 %**

The cart reads one item too far.

See \`src/cart.ts:20\`.

### Evidence

From \`read src/cart.ts:10-30\`:

\`\`\`
const last = items[items.length];
\`\`\`

### What to do

1. Read the last item only where there is one.
2. Add a test.

### Questions

- Which coupon was it?
- Since when?

### How to reproduce it

1. Check out with:

   \`\`\`sh
   curl localhost
   \`\`\`

### Where to look

- \`src/cart.ts:20\`: own frame of the stack trace
- \`src/odd name#1.ts:3\`: mentioned in the report

At commit \`aaaaaaaaaaaa\`. Full record: <${ADDRESS}>
`);
  });

  it('names a query once above all that is quoted from it', () => {
    const [claim, step] = ['The cart reads one item too far.', 2];
    const quotes = ['const last = items[items.length];', 'return last.price;'];
    const found = foundCause({ citations: quotes.map((quote) => ({ claim, step, quote })) });
    expect(markdownOf(found)).toContain(`From \`read src/cart.ts:10-30\`:

\`\`\`
const last = items[items.length];
\`\`\`

\`\`\`
return last.price;
\`\`\`

### What to do`);
  });

  it('contains the change as a patch that applies, in a fence that nothing in it can close', () => {
    const files = [{ kind: 'added', path: 'a.md', mode: '100644', after: '```\n````\n' }] as const;
    const [, patch] =
      /(`{5,})diff\n([\s\S]*?)\n\1/.exec(markdownOf(foundCause({}, { changeSet: { base: SHA, files } })))?.slice(1) ??
      [];
    expect(`${patch}\n`).toBe(toUnifiedPatch({ base: SHA, files }));
    expect(readAsGithub(markdownOf(foundCause())).codes.join('')).toContain(
      toUnifiedPatch(CHANGE).trim().slice(0, 200),
    );
  });

  it('leaves a change that is too long to its file', () => {
    const files = [{ kind: 'added', path: 'a.txt', mode: '100644', after: 'x\n'.repeat(30_000) }] as const;
    const text = markdownOf(foundCause({}, { changeSet: { base: SHA, files } }));
    expect(text.length).toBeLessThan(5_000);
    expect(text).toContain('too long for this text');
  });

  it('links places in the source, on GitHub only', () => {
    const links = readAsGithub(markdownOf(foundCause(), github(true))).links;
    expect(links).toContain(`https://github.com/octo/shop/blob/${SHA}/src/cart.ts#L20`);
    expect(readAsGithub(markdownOf(foundCause())).links).toEqual([ADDRESS]);
  });

  it('does nothing with what models and strangers wrote, anywhere in it', () => {
    const marks = fc.constantFrom(
      ...[
        '@mona',
        '#1',
        'fixes #2',
        '![x](https://evil.example)',
        '[a](https://evil.example)',
        '<img src=x>',
        '`',
        '```',
        '**',
        '\n',
        '\n\n',
        ' ',
      ],
      ...[
        '| a |',
        '---',
        '# x',
        '- ',
        '1. ',
        '<!-- x -->',
        'www.evil.example',
        '484f10e70a39',
        '$x$',
        ':tada:',
        '\u202e',
        '[skip ci]',
        'word',
      ],
    );
    const foreign = fc.array(marks, { minLength: 1, maxLength: 12 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(foreign, foreign, (one, two) => {
        const step = { stepNumber: 1, description: one };
        const found = foundCause(
          {
            ...{ questions: [two], guards: [{ rule: 'never/size', file: two, reason: one }] },
            citations: [{ claim: two, step: 1, quote: one }],
            suspects: [{ file: one, line: 3, function: two, score: 1, reasons: [two] }],
          },
          {
            ...{ problem: one, rootCause: two, solutionSteps: [step], stepsToReproduce: [step] },
            investigationSteps: [{ action: two, result: one, analysis: one }],
            changeSet: { base: SHA, files: [] },
          },
        );
        const text = markdownOf(found, github(true));
        expect(effects(text)).toEqual([]);
        expect(text).not.toMatch(/(?<![\p{L}\p{N}])fixes\W{0,3}#2|\[skip ci\]/u);
      }),
      { numRuns: 60 },
    );
  });

  it('leaves out results of monitoring systems for public repositories', () => {
    const told = 'customer 4711 paid twice at 10:02:33';
    const found = foundCause(
      { citations: [{ claim: `It says “${told}”.`, step: 1, quote: told }] },
      {
        rootCause: `A payment ran twice: “${told}”.`,
        investigationSteps: [
          { source: 'monitoring', action: 'grafana__query_loki {app="shop"}', result: told, analysis: '' },
        ],
      },
    );
    expect(markdownOf(found, github(true))).toContain(told);
    const open = markdownOf(found, github(false));
    expect(open).not.toContain('4711');
    expect(open).toContain('The results of 1 lookup in monitoring systems are left out');
  });

  it('is served as plain text at its own address, where the button of the page finds it', async () => {
    await using ground = await webGround();
    const { issueId } = await ground.concluded({ conclusion: foundCause() });
    const path = `/issues/${issueId}/markdown`;
    const answer = await ground.visitor.get(path);
    expect(answer.headers.get('Content-Type')).toMatch(/^text\/plain; ?charset=utf-8$/i);
    expect(await answer.text()).toMatch(/^## Checkout crashes/);
    const page = await ground.visitor.page(`/issues/${issueId}`);
    expect(page).toContain(
      `<button type="button" class="plain" data-copy-from="${path}" hidden>Copy as Markdown</button>`,
    );
    expect(page).toContain(`<a href="${path}">View as Markdown</a>`);
  });
});
