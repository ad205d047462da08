// From a stored change to the files of a commit, over real repositories: whole, byte for byte, or withheld in words.

import type { ChangeSet, FileChange } from 'causeway-diff';
import { describe, expect, it } from 'vitest';
import { type GitRepository, gitRepository } from '../../../packages/git-objects/test/git-repository.ts';
import { describeWithheld } from '../../../src/core/thread/withheld.ts';
import { type ChangeToPublish, proveChange } from '../../../src/github/publish/prove-change.ts';
import { pathProject, SIGNAL, testSource } from '../../support/project-source.ts';

const FILES = { 'src/a.js': 'one\ntwo\nthree\n', 'src/b.js': 'b\n', 'run.sh': '#!/bin/sh\n' };

interface Ground {
  readonly repository: GitRepository;
  readonly base: string;
  publish(files: readonly FileChange[], over?: Partial<ChangeToPublish>): ReturnType<typeof proveChange>;
}

/** A repository with one commit, whose head is published on unless the test says otherwise. */
async function withGround(test: (ground: Ground) => Promise<void>, files: Record<string, string | Buffer> = FILES) {
  await using repository = await gitRepository();
  await using source = testSource();
  const base = await repository.commit(files, 'First');
  await test({
    repository,
    base,
    publish: async (changes, over = {}) => {
      const opened = await source.source.open(pathProject(repository.path), SIGNAL);
      const head = over.head ?? (await opened.resolve('', SIGNAL)) ?? '';
      const changeSet: ChangeSet = { base, files: changes };
      const paths = { allow: [], block: [] };
      const redact = async (text: string) => text;
      const ground = { repository: opened, changeSet, otherBase: null, paths, redact, ...over, head };
      return await proveChange(ground, SIGNAL);
    },
  });
}

const MODIFIED: FileChange = {
  kind: 'modified',
  path: 'src/a.js',
  before: FILES['src/a.js'],
  after: 'one\n2\nthree\n',
};

function reasonOf(change: Awaited<ReturnType<typeof proveChange>>): string {
  return change.kind === 'withheld' ? describeWithheld(change.reason) : '';
}

describe('a change', () => {
  it('is applied to the file as it really is', () =>
    withGround(async ({ publish }) => {
      expect(await publish([MODIFIED])).toEqual({
        kind: 'files',
        files: {
          written: [{ path: 'src/a.js', text: 'one\n2\nthree\n', mode: '100644' }],
          removed: [],
          hasExecutables: false,
        },
      });
    }));

  it('that was stored without a secret of the file is committed with it', () =>
    withGround(
      async ({ publish }) => {
        const before = 'key = "[redacted]"\ntwo\n';
        const made = await publish([{ kind: 'modified', path: 'a.js', before, after: 'key = "[redacted]"\n2\n' }]);
        expect(made).toMatchObject({ files: { written: [{ text: 'key = "hunter2hunter2"\n2\n' }] } });
      },
      { 'a.js': 'key = "hunter2hunter2"\ntwo\n' },
    ));

  it('keeps other line ends, a byte order mark and a missing last newline', () =>
    withGround(
      async ({ publish }) => {
        const made = await publish([
          { kind: 'modified', path: 'a.txt', before: '\ufeffone\r\ntwo', after: '\ufeffone\r\n2' },
        ]);
        expect(made).toMatchObject({ files: { written: [{ text: '\ufeffone\r\n2' }] } });
      },
      { 'a.txt': '\ufeffone\r\ntwo' },
    ));

  it('adds, deletes and renames, two files in each other’s place too', () =>
    withGround(async ({ publish }) => {
      const made = await publish([
        { kind: 'added', path: 'new/c.js', mode: '100644', after: 'c\n' },
        { kind: 'deleted', path: 'run.sh', before: FILES['run.sh'] },
        {
          kind: 'renamed',
          path: 'src/b.js',
          previousPath: 'src/a.js',
          before: FILES['src/a.js'],
          after: FILES['src/a.js'],
        },
        { kind: 'renamed', path: 'src/a.js', previousPath: 'src/b.js', before: 'b\n', after: 'b2\n' },
      ]);
      expect(made).toMatchObject({ kind: 'files', files: { removed: ['run.sh'] } });
      const written = made.kind === 'files' ? made.files.written.map(({ path, text }) => [path, text]) : [];
      expect(written).toEqual([
        ['new/c.js', 'c\n'],
        ['src/b.js', FILES['src/a.js']],
        ['src/a.js', 'b2\n'],
      ]);
    }));

  it('says where an executable is among its files, and keeps it one', () =>
    withGround(async ({ repository, publish }) => {
      repository.git('update-index', '--chmod=+x', 'run.sh');
      repository.git('commit', '--quiet', '-m', 'Executable');
      const base = repository.git('rev-parse', 'HEAD');
      const files: FileChange[] = [
        { kind: 'modified', path: 'run.sh', before: FILES['run.sh'], after: '#!/bin/sh\nls\n' },
      ];
      const made = await publish([], { changeSet: { base, files } });
      expect(made).toMatchObject({ files: { hasExecutables: true, written: [{ mode: '100755' }] } });
    }));
});

describe('a change is withheld', () => {
  it('where one of its files has changed since, but not where others have', () =>
    withGround(async ({ repository, publish }) => {
      await repository.commit({ 'src/b.js': 'other\n' }, 'Elsewhere');
      expect((await publish([MODIFIED])).kind).toBe('files');
      await repository.commit({ 'src/a.js': 'one\ntwo\nthree\nfour\n' }, 'Here');
      expect(reasonOf(await publish([MODIFIED]))).toContain('`src/a.js` has changed since');
    }));

  it('where something stands by now where a file is to be added', () =>
    withGround(async ({ repository, publish }) => {
      const added: FileChange = { kind: 'added', path: 'lib/x.js', mode: '100644', after: 'x\n' };
      await repository.commit({ lib: 'a file\n' }, 'In the way');
      expect(reasonOf(await publish([added]))).toContain('`lib` already exists');
    }));

  it('where the stored text does not fit the real one', () =>
    withGround(async ({ publish }) => {
      expect(reasonOf(await publish([{ ...MODIFIED, before: 'one\nTWO\nthree\n' } as FileChange]))).toContain(
        'no longer applies',
      );
    }));

  it('where it would put a placeholder in place of a secret, or a secret itself', () =>
    withGround(async ({ publish }) => {
      const holed: FileChange = { ...MODIFIED, after: 'one\n[redacted]\nthree\n' } as FileChange;
      expect(reasonOf(await publish([holed]))).toContain('includes a secret');
      const redact = async (text: string) => text.replaceAll('2', '[redacted]');
      expect(reasonOf(await publish([MODIFIED], { redact }))).toContain('looks like a secret');
    }));

  it.each([
    ['not among the allowed paths', { allow: ['docs/**'], block: [] }],
    ['among the blocked ones', { allow: [], block: ['src/**'] }],
  ])('where a path is %s', (_, paths) =>
    withGround(async ({ publish }) => {
      expect(reasonOf(await publish([MODIFIED], { paths }))).toContain("doesn't allow changes to `src/a.js`");
    }),
  );

  it('where the file is cut when it is read', () => {
    const long = `${'x'.repeat(20_000)}\ntwo\n`;
    return withGround(
      async ({ publish }) => {
        const changed: FileChange = { kind: 'modified', path: 'a.js', before: long, after: long.replace('two', '2') };
        expect(reasonOf(await publish([changed]))).toContain('too large');
      },
      { 'a.js': long },
    );
  });
});
