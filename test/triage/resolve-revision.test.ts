// The commit to read at: what was asked for, and what the report is about.
import { describe, expect, it } from 'vitest';
import { type Revisions, resolveRevisions } from '../../src/triage/resolve-revision.ts';
import { findSignals } from '../../src/triage/signals.ts';
import { createMemoryRepository } from '../support/memory-source.ts';

const OLD = 'a1'.repeat(20);
const NEW = 'b2'.repeat(20);

function revisions(
  report: string,
  revision = '',
  tags: Record<string, string> = { 'v1.2.3': OLD },
): Promise<Revisions> {
  const commits = [
    { sha: OLD, subject: 'old', files: {} },
    { sha: NEW, subject: 'new', files: {} },
  ];
  const repository = createMemoryRepository({ commits, tags });
  const input = { revision, repository, ownNames: ['@acme/shop'], signals: findSignals(report) };
  return resolveRevisions(input, new AbortController().signal);
}

describe('a version in the report', () => {
  it.each([
    ['version: 1.2.3', 'v1.2.3'],
    ['v1.2.3 breaks', 'v1.2.3'],
    ['shop 1.2.3 breaks', 'v1.2.3'],
    ['@acme/shop@1.2.3 breaks', '@acme/shop@1.2.3'],
    ['shop-1.2.3 breaks', 'shop-1.2.3'],
    ['Version 1.2.3', '1.2.3'],
    [`at commit ${OLD.slice(0, 9)}`, OLD.slice(0, 9)],
  ])('%s is read at its tag %s', async (report, tag) => {
    const found = await revisions(report, '', { [tag]: OLD });
    expect(found).toMatchObject({ asked: NEW, askedName: 'main', frames: OLD, framesName: tag });
  });

  it.each(['Node v1.2.3', 'it worked in shop 1.2.3', 'lodash 1.2.3', 'no version', 'shop 9.9.9'])(
    '%s leaves the default branch',
    async (report) => {
      expect(await revisions(report)).toMatchObject({ asked: NEW, frames: NEW, framesName: '' });
    },
  );

  it('of two, the newer one that is not said to be fine is read', async () => {
    const found = await revisions('upgrading shop from 1.2.2 to 1.2.3 broke it', '', { 'v1.2.2': NEW, 'v1.2.3': OLD });
    expect(found.framesName).toBe('v1.2.3');
  });

  it('does not matter where a revision was asked for', async () => {
    expect(await revisions('shop 1.2.3 breaks', 'main')).toMatchObject({ asked: NEW, frames: NEW, tried: [] });
  });
});

describe('a revision that does not exist', () => {
  it('is refused, naming it and the branch that is read instead', async () => {
    await expect(revisions('boom', 'relase/2')).rejects.toMatchObject({
      code: 'revision_not_found',
      message: expect.stringMatching(/"relase\/2".*Leave the revision out to use main/),
    });
  });
});
