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

async function read(files: Readonly<Record<string, string>>, configured = '') {
  const commits = [{ sha: 'a'.repeat(40), subject: 'Start', files }];
  return readInstructions(configured, createMemoryRepository({ commits }), SIGNAL);
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

  it('say which rule there is about changes that were made with a model', async () => {
    const { modelRule } = await read({ 'docs/CONTRIBUTING.md': CONTRIBUTING });
    expect(modelRule).toEqual({
      path: 'docs/CONTRIBUTING.md',
      text: 'You may use AI, but every pull request must say so. Undisclosed ones are closed.',
    });
    expect((await read({ 'CONTRIBUTING.md': '# Style\n\nAgents run in a loop. Use tabs.\n' })).modelRule).toBeNull();
  });
});
