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
    expect((await read({ 'CONTRIBUTING.md': '# Style\n\nAgents run in a loop. Use tabs.\n' })).modelRule).toBeNull();
  });
});
