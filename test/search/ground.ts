// What the tests of lexicons start with: commits in memory whose reads are counted, and a look for one word in all files.

import { hashTerm } from 'causeway-code-words';
import type { SourceTree } from 'causeway-git-objects';
import type { CommitLexicon } from '../../src/core/source/lexicon.ts';
import { createMemoryRepository } from '../support/memory-source.ts';

export const SIGNAL = new AbortController().signal;

export interface CountedTree {
  readonly tree: SourceTree;
  /** Blobs that were asked for, and commits. */
  readonly asked: { blobs: number; commits: number };
}

type Files = Readonly<Record<string, string>>;

/** The last of these commits, as a tree. */
export function countedTree(...commits: readonly Files[]): CountedTree {
  const asked = { blobs: 0, commits: 0 };
  const named = commits.map((files, index) => ({
    sha: shaOf(JSON.stringify(commits.slice(0, index + 1))),
    subject: `Change number ${index}`,
    files,
  }));
  const tree = createMemoryRepository({ commits: named }).tree(named.at(-1)!.sha);
  const counted: SourceTree = {
    ...tree,
    contents: (blobs, signal) => {
      asked.blobs += blobs.length;
      return tree.contents(blobs, signal);
    },
    messages: (ids, signal) => {
      asked.commits += ids.length;
      return tree.messages(ids, signal);
    },
  };
  return { tree: counted, asked };
}

/** The same content has the same one. */
function shaOf(text: string): string {
  return hashTerm(text).toString(16).padStart(8, '0').repeat(5);
}

/** So many sources, each with a word of its own (`alpha0`, …) and one that all have (`shared`). */
export function sources(count: number, folder = 'src'): Files {
  const files = Array.from({ length: count }, (_, index) => [
    `${folder}/part${index}.ts`,
    `export function shared(): string {\n  return '${wordOf(index)}';\n}\n`,
  ]);
  return Object.fromEntries(files);
}

export function wordOf(index: number): string {
  return `alpha${[...String(index)].map((digit) => 'bcdfghjklm'[Number(digit)]).join('')}`;
}

/** Paths of the files in which the word stands. */
export async function pathsWith(lexicon: CommitLexicon, word: string): Promise<readonly string[]> {
  const [matches] = await lexicon.match(Uint32Array.of(hashTerm(word)), SIGNAL);
  return Array.from(matches!.positions, (position) => lexicon.files[position]!.path).sort();
}

export function projectOf(id: string) {
  const source = { kind: 'path', path: '/shop' } as const;
  return { id, name: `local/${id}`, source, createdAt: '2024-01-01T00:00:00.000Z' };
}
