// What the model reads of a project's own instructions, and which rule about such changes people are shown.
import { describe, expect, it } from 'vitest';
import { readInstructions } from '../../src/services/read-instructions.ts';
import { createMemoryRepository } from '../support/memory-source.ts';

const SIGNAL = new AbortController().signal;

const CONTRIBUTING = `# Contributing

We are glad that you are here! Join us on Discord.

## Set-up

Clone your fork and install the dependencies.

## Tests

Add a test for each fix, next to the others.

Changelog
---------

Each change has a line in CHANGES.md.

## Use of AI

You may use AI, but every pull request must say so. Undisclosed ones are closed.
`;

async function read(files: Readonly<Record<string, string>>, configured = '', suspects: readonly string[] = []) {
  const commits = [{ sha: 'a'.repeat(40), subject: 'Start', files }];
  return readInstructions(configured, createMemoryRepository({ commits }), suspects, SIGNAL);
}

describe('instructions of the project', () => {
  it('are kept where they are about tests, style and changelog', async () => {
    const { instructions } = await read({ 'CONTRIBUTING.md': CONTRIBUTING }, 'Speak German.');
    expect(instructions).toEqual([
      { path: '.github/causeway.yml (instructions)', text: 'Speak German.' },
      {
        path: 'CONTRIBUTING.md',
        text: 'Tests:\nAdd a test for each fix, next to the others.\nChangelog:\nEach change has a line in CHANGES.md.',
      },
    ]);
  });

  it('are whole paragraphs and points that an edit can keep to: not the way to a merge, not what is run, nothing half', async () => {
    const rules = [
      '- Add a test for each fix in `test/mocha`, which is\n  named after its issue.',
      '- Pull request titles follow the naming conventions of Conventional Commits.',
      '- Sign your commits, and sign the CLA before you open a pull request with tests.',
      '- Run `npm test` before you push.',
      `- Comments say why. ${'And much more of it. '.repeat(70)}`,
      '- Indentation uses 4 spaces, never tabs.',
    ];
    const text = `# Guide\n\n## Rules\n\nThe tests are run like this:\n\n\`\`\`sh\nnpm test\n\`\`\`\n\n${rules.join('\n')}\n`;
    const { instructions, modelRule } = await read({ 'AGENTS.md': text });
    expect(instructions).toEqual([{ path: 'AGENTS.md', text: `Rules:\n${rules[0]}\n${rules[5]}` }]);
    expect(modelRule).toBeNull();
  });

  it('speak first of what the suspects are', async () => {
    const long = (word: string) => `Tests of ${word} never sleep. ${'They must not wait for a clock. '.repeat(30)}`;
    const text = `# Tests\n\n${long('orders')}\n\n${long('vouchers')}\n`;
    const { instructions } = await read({ 'CONTRIBUTING.md': text }, '', ['src/vouchers/spend.ts']);
    expect(instructions.map(({ text: kept }) => kept)).toEqual([`Tests:\n${long('vouchers')}`]);
  });

  it('of folders are given to changes below them, the nearest first, and those of the root last', async () => {
    const files = ['AGENTS.md', 'packages/api/AGENTS.md', 'packages/api/src/CLAUDE.md', 'packages/web/AGENTS.md'];
    const texts = Object.fromEntries(files.map((path) => [path, `Test what ${path} says.`]));
    const { instructions } = await read(texts, '', ['packages/api/src/money/round.ts', 'packages/api/index.ts']);
    expect(instructions.map(({ path }) => path)).toEqual([
      'packages/api/src/CLAUDE.md',
      'packages/api/AGENTS.md',
      'AGENTS.md',
    ]);
  });

  it('say which rule there is about changes that were made with a model', async () => {
    const { modelRule } = await read({ 'docs/CONTRIBUTING.md': CONTRIBUTING });
    expect(modelRule).toEqual({
      path: 'docs/CONTRIBUTING.md',
      text: 'You may use AI, but every pull request must say so. Undisclosed ones are closed.',
    });
    const form = '# For agents\n\nDo not use emojis in PR titles that an AI wrote. An agent must not open issues.\n';
    expect((await read({ 'AGENTS.md': form })).modelRule).toBeNull();
    expect((await read({ 'CONTRIBUTING.md': '# Style\n\nAgents run in a loop. Use tabs.\n' })).modelRule).toBeNull();
  });

  it.each([
    ['Pull requests that were written with AI must say so in their description, or they are closed.'],
    ['We reject pull requests opened by coding agents.'],
    [
      'We do not accept:\n- typos\n- pull requests that an LLM wrote',
      'We do not accept: pull requests that an LLM wrote',
    ],
  ])('find a rule about such changes in: %s', async (text, rule = text) => {
    expect((await read({ 'CONTRIBUTING.md': `# Rules\n\n${text}\n` })).modelRule?.text).toBe(rule);
  });
});
