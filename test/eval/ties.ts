// `ties`: a commit changed source and its test. Is that test tied to that source, and not to what another commit changed?

import type { Repository, SourceTree } from 'causeway-git-objects';
import { findLeaning, listRedefined } from '../../src/ci/leaning.ts';
import { findTiesByName, findTiesInTree, isCertainTie, type Tie } from '../../src/ci/touches.ts';
import type { Leaning } from '../../src/core/check/index.ts';
import type { Case, EvalOptions, Part, Row } from './part.ts';
import { textIn, textsIn } from './read-case.ts';
import { openRepositories } from './repositories.ts';

interface TieCase {
  readonly id: string;
  readonly repo: string;
  readonly language: string;
  readonly commit: string;
  /** A test file that the commit changed. */
  readonly test: string;
  /** The source files that it changed. */
  readonly changed: readonly string[];
}

interface Found {
  readonly language: string;
  readonly byName: readonly Tie[];
  readonly inTree: readonly Tie[];
  readonly leaning: Leaning | null;
}

/** Sources that a commit changed, in the tree of the commit whose test fails. */
interface Pairing {
  readonly tree: SourceTree;
  readonly changed: readonly string[];
  readonly listRedefined: (path: string) => Promise<readonly string[]>;
}

export const TIES: Part = {
  name: 'ties',
  says: 'failing test, changed source → tied; the same with what another commit changed → not tied; --cases, --repositories',
  fits: (cases) => cases.every(({ data }) => typeof data['test'] === 'string' && Array.isArray(data['changed'])),
  run: async (options) => {
    const cases = options.cases.map(tieCase);
    await using repositories = openRepositories(options.repositories, options.keep);
    const right: Found[] = [];
    const wrong: Found[] = [];
    const notes: string[] = [];
    for (const [name, own] of Map.groupBy(cases, ({ repo }) => repo)) {
      options.progress(`${name}: ${own.length} cases`);
      const opened = await repositories.open(name, options.signal);
      if (opened === null) notes.push(`${name} is not among the repositories: ${own.length} cases skipped.`);
      else
        for (const [at, one] of own.entries()) {
          const tree = (await opened.asOf(one.commit, options.signal))?.tree(one.commit);
          if (tree === undefined) {
            notes.push(`${one.id}: its commit is not in ${name}; skipped.`);
            continue;
          }
          const pair = ({ commit, changed }: TieCase): Pairing => ({
            ...{ tree, changed },
            listRedefined: (file) => listChangedBy(opened.repository, { commit, file }, options.signal),
          });
          right.push(await found(one, pair(one), options));
          const { entries } = await tree.files(options.signal);
          const other = otherCommit(own, at, new Set(entries.map((entry) => entry.path)));
          if (other !== null) wrong.push(await found(one, pair(other), options));
        }
    }
    return { rows: [...rowsOf('tied', right), ...rowsOf('tied to another', wrong)], notes };
  },
};

function tieCase(one: Case): TieCase {
  const [id, repo, language] = [textIn(one, 'id'), textIn(one, 'repo'), textIn(one, 'language')];
  const [commit, test] = [textIn(one, 'commit'), textIn(one, 'test')];
  return { id, repo, language, commit, test, changed: textsIn(one, 'changed') };
}

/** What the commit redefines in a file of its own; empty where it has no parent. */
async function listChangedBy(
  repository: Repository,
  { commit, file }: { readonly commit: string; readonly file: string },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const tree = repository.tree(commit);
  const { from: parent } = await tree.compare(null, {}, signal);
  return parent === '' ? [] : listRedefined(repository.tree(parent), tree, file, signal);
}

/**
 * Half of the cases further on, the first that changed neither this test nor what this one changed, and something that is
 * there at this one's commit.
 */
function otherCommit(cases: readonly TieCase[], at: number, there: ReadonlySet<string>): TieCase | null {
  const { test = '', changed = [] } = cases[at] ?? {};
  const from = at + Math.floor(cases.length / 2);
  const turned = cases.map((_, offset) => cases[(from + offset) % cases.length]).filter((one) => one !== undefined);
  const isOther = (one: TieCase) => one.test !== test && !one.changed.some((path) => changed.includes(path));
  return turned.find((one) => isOther(one) && one.changed.some((path) => there.has(path))) ?? null;
}

/** As if the log named the test's file and nothing else. */
async function found(
  { id, language, test }: TieCase,
  { tree, changed, listRedefined: listNames }: Pairing,
  { emit, signal }: EvalOptions,
): Promise<Found> {
  const read = {
    places: [{ path: test, line: 1, message: '' }],
    excerpt: { step: '', headline: '', lines: [], cut: '', tests: [] },
  };
  const byName = findTiesByName(changed, read);
  const inTree = await findTiesInTree(tree, { changed, read }, signal);
  const isOpen = !inTree.some(isCertainTie);
  const leaning = isOpen ? await findLeaning(tree, { changed, read, listRedefined: listNames }, signal) : null;
  emit({ id, test, changed, byName, inTree, leaning });
  return { language, byName, inTree, leaning };
}

function rowsOf(system: string, all: readonly Found[]): readonly Row[] {
  const languages = [...new Set(all.map(({ language }) => language))].sort();
  return [null, ...languages].map((language): Row => {
    const own = all.filter((one) => language === null || one.language === language);
    const share = (isTied: (one: Found) => boolean) => (100 * own.filter(isTied).length) / own.length;
    return {
      ...{ group: language === null ? 'all' : `language ${language}`, system, n: own.length },
      figures: {
        'names alone': share(({ byName }) => byName.length > 0),
        'names in the tree': share(({ inTree }) => inTree.some(isCertainTie)),
        'leaning besides': share(({ leaning }) => leaning !== null),
        'and all that the test uses': share(({ inTree }) => inTree.length > 0),
      },
    };
  });
}
